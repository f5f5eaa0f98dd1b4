#include "parsers/simlog/simlog_overhead.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/simlog/simlog_internal.h"

enum { LINE_MAX_BYTES = 256, INSTRUCTIONS_PER_FETCH = 4, INSTRUCTION_BYTES = 4 };
static const size_t ticks_max = (size_t)1 << 26;

static void add_tick(struct sim_tick **rows,
                     size_t *count,
                     size_t *room,
                     uint64_t pc,
                     uint64_t cycle)
{
    if (*count == ticks_max)
        return;
    if (*count == *room) {
        *room = *room ? *room * 2 : 256;
        *rows = xreallocarray(*rows, *room, sizeof(**rows));
    }
    (*rows)[(*count)++] = (struct sim_tick){pc, cycle};
}

/* Reads "[info] <cycle>: ... <mark>0x<address>". */
static bool
read_tick(const char *line, size_t length, const char *mark, struct sim_tick *tick)
{
    char text[LINE_MAX_BYTES], *at = text, *end;

    if (length >= sizeof(text))
        return false;
    memcpy(text, line, length);
    text[length] = '\0';
    if (strncmp(at, "[info] ", 7) == 0)
        at += 7;
    if (*at < '0' || *at > '9')
        return false;
    tick->cycle = strtoull(at, &end, 10);
    at = strstr(end, mark);
    if (*end != ':' || !at || strncmp(at + strlen(mark), "0x", 2) != 0)
        return false;
    at += strlen(mark);
    tick->pc = strtoull(at, &end, 16);
    return end > at + 2;
}

typedef void line_fn(struct sim_overhead *overhead, const char *line, size_t length);

static void each_line(struct sim_overhead *overhead,
                      const char *bytes,
                      size_t size,
                      line_fn *on_line)
{
    const char *end = bytes + size, *line;
    size_t length;

    while (simlog_next_line(&bytes, end, &line, &length))
        on_line(overhead, line, length);
}

static void add_fetches(struct sim_overhead *overhead, const char *line, size_t length)
{
    struct sim_tick tick;

    if (read_tick(line, length, "lookup_tag is fetch req addr:", &tick))
        for (uint64_t i = 0; i < INSTRUCTIONS_PER_FETCH; i++)
            add_tick(&overhead->fetches, &overhead->fetch_count, &overhead->fetch_room,
                     tick.pc + i * INSTRUCTION_BYTES, tick.cycle);
}

static void add_issue(struct sim_overhead *overhead, const char *line, size_t length)
{
    struct sim_tick tick;

    if (read_tick(line, length, "is_single_issue instr, pc:", &tick) ||
        read_tick(line, length, "ccu do issue success.issue isa pc :", &tick))
        add_tick(&overhead->issues, &overhead->issue_count, &overhead->issue_room,
                 tick.pc, tick.cycle);
}

void simlog_read_fetches(struct sim_overhead *overhead, const char *bytes, size_t size)
{
    each_line(overhead, bytes, size, add_fetches);
}

void simlog_read_issues(struct sim_overhead *overhead, const char *bytes, size_t size)
{
    each_line(overhead, bytes, size, add_issue);
}

static int by_pc(const void *left, const void *right)
{
    const struct sim_tick *a = left, *b = right;

    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    return (a->cycle > b->cycle) - (a->cycle < b->cycle);
}

/* Finds the latest cycle of this address up to `cycle`. Returns false when there is
 * none. */
static bool find_before(const struct sim_tick *rows,
                        size_t count,
                        uint64_t pc,
                        uint64_t cycle,
                        uint64_t *out)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rows[middle].pc < pc ||
            (rows[middle].pc == pc && rows[middle].cycle <= cycle))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || rows[low - 1].pc != pc)
        return false;
    *out = rows[low - 1].cycle;
    return true;
}

void simlog_find_overhead(struct sim_core *core, struct sim_overhead *overhead)
{
    if (!overhead->fetch_count || !overhead->issue_count)
        return;
    qsort(overhead->fetches, overhead->fetch_count, sizeof(struct sim_tick), by_pc);
    qsort(overhead->issues, overhead->issue_count, sizeof(struct sim_tick), by_pc);
    for (size_t i = 0; i < core->count; i++) {
        struct sim_instruction *row = &core->rows[i];

        row->has_overhead = find_before(overhead->issues, overhead->issue_count,
                                        row->pc, row->start, &row->issued) &&
                            find_before(overhead->fetches, overhead->fetch_count,
                                        row->pc, row->issued, &row->fetched);
        core->has_overhead |= row->has_overhead;
    }
}

void simlog_clear_overhead(struct sim_overhead *overhead)
{
    free(overhead->fetches);
    free(overhead->issues);
    memset(overhead, 0, sizeof(*overhead));
}
