#include "parsers/simlog/simlog.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { MARKS = 10, CLOSE_LOG = 8, CLOSE_POPPED = 1 };
static const size_t LINES_MAX = (size_t)1 << 25;

struct lines {
    struct sim_line *rows;
    size_t count, room, odd;
};

static void read_lines(struct lines *lines, const char *bytes, size_t size)
{
    const char *end = bytes + size;

    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((feed ? feed : end) - bytes);
        struct sim_line line;

        if (!simlog_parse_line(bytes, length, &line) || lines->count == LINES_MAX) {
            lines->odd += length > 0;
        } else if (!line.is_dropped) {
            if (lines->count == lines->room) {
                lines->room = lines->room ? lines->room * 2 : 1024;
                lines->rows =
                    xreallocarray(lines->rows, lines->room, sizeof(lines->rows[0]));
            }
            if (!line.has_id)
                line.id = lines->count;
            lines->rows[lines->count++] = line;
        }
        bytes += length + (feed ? 1 : 0);
    }
}

static bool find(struct sim_span span, const char *text, struct sim_span *rest)
{
    const char *at = memmem(span.at, span.length, text, strlen(text));

    if (!at)
        return false;
    rest->at = at + strlen(text);
    rest->length = (uint32_t)(span.at + span.length - rest->at);
    return true;
}

/* "...=0x<n>,SPR:<name>": the number in front of the name. */
static bool special_register(struct sim_span detail, const char *name, uint64_t *value)
{
    struct sim_span rest;
    char digits[20];
    const char *at, *from;

    if (!find(detail, name, &rest))
        return false;
    at = rest.at - strlen(name);
    while (at > detail.at && (at[-1] == ' ' || at[-1] == ','))
        at--;
    from = at;
    while (from > detail.at && from[-1] != '=')
        from--;
    if (from == detail.at || at - from >= (ptrdiff_t)sizeof(digits))
        return false;
    memcpy(digits, from, (size_t)(at - from));
    digits[at - from] = '\0';
    *value = strtoull(digits, NULL, 16);
    return true;
}

static void find_block(struct sim_core *core, const struct lines *ended)
{
    for (size_t i = 0; i < ended->count; i++) {
        const struct sim_line *line = &ended->rows[i];

        if (!sim_span_is(line->name, "MOV_XD_SPR"))
            continue;
        if (!core->has_block &&
            special_register(line->detail, "SPR:BLOCKID", &core->block))
            core->has_block = true;
        else if (special_register(line->detail, "SPR:SUBBLOCKID", &core->sub_block))
            return;
    }
}

/* "0x8000000d" begins mark d, "0xc000000d" ends it; -1: neither. */
static int mark_of(const struct sim_line *line, bool *is_end)
{
    static const char *const starts[] = {"0x8000000", "0xc000000"};

    if (line->pipe != SIM_USERMARK)
        return -1;
    for (int i = 0; i < 2; i++) {
        struct sim_span rest;

        if (find(line->detail, starts[i], &rest) && rest.length > 0 &&
            rest.at[0] >= '0' && rest.at[0] <= '9' &&
            (rest.length == 1 || rest.at[1] == ',' || rest.at[1] == ' ')) {
            *is_end = i == 1;
            return rest.at[0] - '0';
        }
    }
    return -1;
}

static bool is_nop(const struct lines *lines, size_t at)
{
    return at < lines->count && sim_span_is(lines->rows[at].name, "NOP_PIPE");
}

struct open_mark {
    bool is_open, is_void;
    struct sim_mark mark;
};

static void begin_mark(struct open_mark *open, const struct lines *lines, size_t at)
{
    size_t nop = at + 1;

    if (open->is_open) {
        open->is_void = true;
        return;
    }
    while (nop < lines->count && !is_nop(lines, nop))
        nop++;
    if (nop == lines->count)
        nop = at;
    open->is_open = true;
    open->mark.start = lines->rows[nop].cycle;
    open->mark.start_pc = lines->rows[at].pc;
}

static void end_mark(struct open_mark *open, const struct lines *lines, size_t at)
{
    size_t last = at;

    while (is_nop(lines, last + 1))
        last++;
    open->is_open = false;
    open->mark.end = lines->rows[last].cycle;
    open->mark.end_pc = lines->rows[at].pc;
}

static void read_marks(struct sim_core *core, const struct lines *lines)
{
    struct open_mark open[MARKS] = {0};

    core->marks = xcalloc(lines->count + 1, sizeof(core->marks[0]));
    for (size_t i = 0; i < lines->count; i++) {
        bool is_end;
        int number = mark_of(&lines->rows[i], &is_end);

        if (number < 0)
            continue;
        open[number].mark.number = (unsigned)number;
        if (!is_end) {
            begin_mark(&open[number], lines, i);
        } else if (open[number].is_open) {
            end_mark(&open[number], lines, i);
            core->marks[core->mark_count++] = open[number].mark;
        }
    }
    /* a mark that was begun twice says nothing at all */
    size_t kept = 0;
    for (size_t i = 0; i < core->mark_count; i++)
        if (!open[core->marks[i].number].is_void)
            core->marks[kept++] = core->marks[i];
    core->mark_count = kept;
}

static int by_pc(const void *left, const void *right)
{
    const struct sim_line *const *a = left, *const *b = right;

    if ((*a)->pc != (*b)->pc)
        return (*a)->pc < (*b)->pc ? -1 : 1;
    return *a < *b ? -1 : *a > *b; /* as they stand in the file */
}

static int by_id(const void *left, const void *right)
{
    const struct sim_line *const *a = left, *const *b = right;

    if ((*a)->id != (*b)->id)
        return (*a)->id < (*b)->id ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

static const struct sim_line **sorted(const struct lines *lines,
                                      int (*order)(const void *, const void *))
{
    const struct sim_line **rows = xcalloc(lines->count + 1, sizeof(*rows));

    for (size_t i = 0; i < lines->count; i++)
        rows[i] = &lines->rows[i];
    if (lines->count > 0)
        qsort(rows, lines->count, sizeof(*rows), order);
    return rows;
}

/* An instruction for several units is printed once for each: of such a run the last
 * counts. Thins `count` rows of one address down to no fewer than `wanted`. */
static size_t
drop_unpaired(const struct sim_line **rows, size_t count, size_t wanted, bool is_popped)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t distance = i + 1 < count && rows[i + 1]->cycle >= rows[i]->cycle
                                ? rows[i + 1]->cycle - rows[i]->cycle
                                : UINT64_MAX;
        bool same = is_popped ? distance == CLOSE_POPPED : distance <= CLOSE_LOG;

        if (!same)
            rows[kept++] = rows[i];
    }
    return kept < wanted ? kept : wanted;
}

/* "[warpId:<n>]" where "[schId:<n>]" stands, too; -1: it is of no warp. */
static int32_t warp_of(struct sim_span detail)
{
    enum { WARPS_MAX = 65536 };
    struct sim_span rest, scheduler;
    int32_t warp = 0;
    uint32_t i;

    if (!find(detail, "[warpId:", &rest) || !find(detail, "[schId:", &scheduler))
        return -1;
    for (i = 0; i < rest.length && rest.at[i] >= '0' && rest.at[i] <= '9'; i++)
        if ((warp = warp * 10 + (rest.at[i] - '0')) >= WARPS_MAX)
            return -1;
    return i > 0 ? warp : -1;
}

static void join(struct sim_core *core,
                 const struct sim_line *popped,
                 const struct sim_line *ended,
                 bool keep_flags)
{
    if (popped->cycle > ended->cycle || ended->pipe == SIM_USERMARK ||
        (!keep_flags && sim_is_flag(ended->name)))
        return;
    core->rows[core->count++] = (struct sim_instruction){
        .pc = ended->pc,
        .start = popped->cycle,
        .end = ended->cycle,
        .id = ended->id,
        .name = ended->name,
        .detail = ended->detail,
        .pipe = ended->pipe,
        .warp = warp_of(ended->detail) >= 0 ? warp_of(ended->detail)
                                            : warp_of(popped->detail),
    };
}

static size_t run_of(const struct sim_line **rows, size_t from, size_t count, bool ids)
{
    size_t to = from;

    while (to < count &&
           (ids ? rows[to]->id == rows[from]->id : rows[to]->pc == rows[from]->pc))
        to++;
    return to - from;
}

static void join_all(struct sim_core *core,
                     const struct lines *ended,
                     const struct lines *popped,
                     bool by_number,
                     bool keep_flags)
{
    const struct sim_line **done = sorted(ended, by_number ? by_id : by_pc);
    const struct sim_line **began = sorted(popped, by_number ? by_id : by_pc);
    size_t d = 0, b = 0;

    core->rows = xcalloc(ended->count + 1, sizeof(core->rows[0]));
    while (d < ended->count && b < popped->count) {
        uint64_t left = by_number ? done[d]->id : done[d]->pc;
        uint64_t right = by_number ? began[b]->id : began[b]->pc;
        size_t ends = run_of(done, d, ended->count, by_number);
        size_t begins = run_of(began, b, popped->count, by_number);
        size_t pairs = ends < begins ? ends : begins;

        if (left != right) {
            core->unpaired += left < right ? ends : begins;
            *(left < right ? &d : &b) += left < right ? ends : begins;
            continue;
        }
        if (ends > begins)
            pairs = drop_unpaired(done + d, ends, pairs, false);
        else if (begins > ends)
            pairs = drop_unpaired(began + b, begins, pairs, true);
        core->unpaired += (ends > begins ? ends : begins) - pairs;
        for (size_t i = 0; i < pairs; i++)
            join(core, began[b + i], done[d + i], keep_flags);
        d += ends;
        b += begins;
    }
    core->unpaired += ended->count - d + popped->count - b;
    free(done);
    free(began);
}

static int by_pc_and_start(const void *left, const void *right)
{
    const struct sim_instruction *a = left, *b = right;

    if (a->pc != b->pc)
        return a->pc < b->pc ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void simlog_read(struct sim_core *core,
                 const char *ended,
                 size_t ended_bytes,
                 const char *popped,
                 size_t popped_bytes,
                 bool keep_flags)
{
    struct lines done = {0}, began = {0};
    bool by_number;

    memset(core, 0, sizeof(*core));
    read_lines(&done, ended, ended_bytes);
    read_lines(&began, popped, popped_bytes);
    by_number = done.count > 0 && done.rows[0].has_id && began.count > 0 &&
                began.rows[0].has_id;
    core->is_numbered = by_number;
    core->unknown_lines = done.odd + began.odd;
    find_block(core, &done);
    read_marks(core, &done);
    join_all(core, &done, &began, by_number, keep_flags);
    if (!by_number && core->count > 0)
        qsort(core->rows, core->count, sizeof(core->rows[0]), by_pc_and_start);
    free(done.rows);
    free(began.rows);
}

/* "... <cycle>: icache read address is 0x<hex>, size is 0x<hex>, ... status is MISS",
 * with the cycle in brackets, behind an @ or behind [info]. */
static bool miss_of(const char *line, size_t length, struct sim_miss *miss)
{
    struct sim_span all, address, size, status;
    char text[128]; /* longer lines are cut: what is looked for stands in front */
    const char *at = text;

    if (length >= sizeof(text) - 1)
        length = sizeof(text) - 1;
    memcpy(text, line, length);
    text[length] = '\0';
    all = (struct sim_span){text, (uint32_t)length};
    if (!find(all, "icache read address is 0x", &address) ||
        !find(all, "size is 0x", &size) || !find(all, "status is MISS", &status))
        return false;
    if (strncmp(at, "[info] ", 7) == 0)
        at += 7;
    at += *at == '@' || *at == '[';
    if (*at < '0' || *at > '9')
        return false;
    miss->cycle = strtoull(at, NULL, 10);
    miss->address = strtoull(address.at, NULL, 16);
    miss->bytes = (uint32_t)strtoul(size.at, NULL, 16);
    return true;
}

void simlog_read_misses(struct sim_core *core, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    size_t room = core->miss_count;

    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t length = (size_t)((feed ? feed : end) - bytes);
        struct sim_miss miss;

        if (length < 4096 && core->miss_count < LINES_MAX &&
            miss_of(bytes, length, &miss)) {
            if (core->miss_count == room) {
                room = room ? room * 2 : 256;
                core->misses =
                    xreallocarray(core->misses, room, sizeof(core->misses[0]));
            }
            core->misses[core->miss_count++] = miss;
        }
        bytes += length + (feed ? 1 : 0);
    }
}

void simlog_clear(struct sim_core *core)
{
    free(core->rows);
    free(core->marks);
    free(core->misses);
    memset(core, 0, sizeof(*core));
}
