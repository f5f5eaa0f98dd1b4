#include "parsers/simlog/simlog.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/simlog/simlog_internal.h"

enum { MARKS = 10 };

struct lines {
    struct sim_line *rows;
    size_t count, room;
    size_t unknown; /* lines that are no instruction */
};

static void add_line(struct lines *lines, struct sim_line *line)
{
    if (lines->count == lines->room) {
        lines->room = lines->room ? lines->room * 2 : 1024;
        lines->rows = xreallocarray(lines->rows, lines->room, sizeof(lines->rows[0]));
    }
    if (!line->has_id)
        line->id = lines->count;
    lines->rows[lines->count++] = *line;
}

static void read_lines(struct lines *lines, const char *bytes, size_t size)
{
    const char *end = bytes + size, *text;
    size_t length;

    while (simlog_next_line(&bytes, end, &text, &length)) {
        struct sim_line line;

        if (!simlog_parse_line(text, length, &line) || lines->count == SIMLOG_LINES_MAX)
            lines->unknown += length > 0;
        else if (!line.is_dropped)
            add_line(lines, &line);
    }
}

/* Reads the number before a special register: "...=0x<n>,SPR:<name>". */
static bool
find_special_register(struct sim_span detail, const char *name, uint64_t *value)
{
    struct sim_span rest;
    char digits[20];
    const char *at, *from;

    if (!sim_span_find(detail, name, &rest))
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

static void read_block_numbers(struct sim_core *core, const struct lines *ended)
{
    for (size_t i = 0; i < ended->count; i++) {
        const struct sim_line *line = &ended->rows[i];

        if (!sim_span_is(line->name, "MOV_XD_SPR"))
            continue;
        if (!core->has_block &&
            find_special_register(line->detail, "SPR:BLOCKID", &core->block))
            core->has_block = true;
        else if (find_special_register(line->detail, "SPR:SUBBLOCKID",
                                       &core->sub_block))
            return;
    }
}

/* Returns the digit d of "0x8000000d", which starts mark d, or of "0xc000000d", which
 * ends mark d. Returns -1 for other lines. */
static int parse_mark(const struct sim_line *line, bool *is_end)
{
    static const char *const prefixes[] = {"0x8000000", "0xc000000"};

    if (line->pipe != SIM_USERMARK)
        return -1;
    for (int i = 0; i < 2; i++) {
        struct sim_span rest;

        if (sim_span_find(line->detail, prefixes[i], &rest) && rest.length > 0 &&
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

struct mark_state {
    bool is_open, is_invalid;
    struct sim_mark mark;
};

static void begin_mark(struct mark_state *open, const struct lines *lines, size_t at)
{
    size_t nop = at + 1;

    if (open->is_open) {
        open->is_invalid = true;
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

static void end_mark(struct mark_state *open, const struct lines *lines, size_t at)
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
    struct mark_state open[MARKS] = {0};

    core->marks = xcalloc(lines->count + 1, sizeof(core->marks[0]));
    for (size_t i = 0; i < lines->count; i++) {
        bool is_end;
        int number = parse_mark(&lines->rows[i], &is_end);

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
    /* a mark that was started twice is ambiguous */
    size_t kept = 0;
    for (size_t i = 0; i < core->mark_count; i++)
        if (!open[core->marks[i].number].is_invalid)
            core->marks[kept++] = core->marks[i];
    core->mark_count = kept;
}

static int by_pc(const void *left, const void *right)
{
    const struct sim_line *const *a = left, *const *b = right;

    if ((*a)->pc != (*b)->pc)
        return (*a)->pc < (*b)->pc ? -1 : 1;
    return *a < *b ? -1 : *a > *b; /* in the order of the log */
}

static int by_id(const void *left, const void *right)
{
    const struct sim_line *const *a = left, *const *b = right;

    if ((*a)->id != (*b)->id)
        return (*a)->id < (*b)->id ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

static uint64_t pc_of(const struct sim_line *line)
{
    return line->pc;
}

static uint64_t id_of(const struct sim_line *line)
{
    return line->id;
}

/* the key that the start line and the end line of an instruction share */
struct pairing {
    int (*order)(const void *left, const void *right);
    uint64_t (*key)(const struct sim_line *line);
};

static const struct pairing pair_by_pc = {by_pc, pc_of};
static const struct pairing pair_by_id = {by_id, id_of};

/* the lines of one log, sorted by key; a run is the lines with the same key */
struct sorted_log {
    const struct pairing *pairing;
    const struct sim_line **rows;
    size_t at, count;
    uint64_t repeat_min, repeat_max; /* cycles between repeated lines, see below */
};

static void sort_log(struct sorted_log *log, const struct lines *lines)
{
    log->rows = xcalloc(lines->count + 1, sizeof(log->rows[0]));
    log->count = lines->count;
    for (size_t i = 0; i < lines->count; i++)
        log->rows[i] = &lines->rows[i];
    if (lines->count > 0)
        qsort(log->rows, log->count, sizeof(log->rows[0]), log->pairing->order);
}

static bool is_at_end(const struct sorted_log *log)
{
    return log->at == log->count;
}

static uint64_t current_key(const struct sorted_log *log)
{
    return log->pairing->key(log->rows[log->at]);
}

static size_t run_length(const struct sorted_log *log)
{
    uint64_t key = current_key(log);
    size_t to = log->at;

    while (to < log->count && log->pairing->key(log->rows[to]) == key)
        to++;
    return to - log->at;
}

/* Shortens the current run, of `count` lines, to at most `limit` lines. The simulator
 * prints an instruction for several units once per unit, a few cycles apart. Of such
 * repeated lines the last one is used. */
static size_t
drop_repeated_lines(const struct sorted_log *log, size_t count, size_t limit)
{
    const struct sim_line **rows = log->rows + log->at;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t distance = i + 1 < count && rows[i + 1]->cycle >= rows[i]->cycle
                                ? rows[i + 1]->cycle - rows[i]->cycle
                                : UINT64_MAX;

        if (distance < log->repeat_min || distance > log->repeat_max)
            rows[kept++] = rows[i];
    }
    return kept < limit ? kept : limit;
}

/* Returns n of "[warpId:<n>]" if the text also has "[schId:", otherwise -1. */
static int32_t parse_warp(struct sim_span detail)
{
    enum { WARPS_MAX = 65536 };
    struct sim_span rest, scheduler;
    int32_t warp = 0;
    uint32_t i;

    if (!sim_span_find(detail, "[warpId:", &rest) ||
        !sim_span_find(detail, "[schId:", &scheduler))
        return -1;
    for (i = 0; i < rest.length && rest.at[i] >= '0' && rest.at[i] <= '9'; i++)
        if ((warp = warp * 10 + (rest.at[i] - '0')) >= WARPS_MAX)
            return -1;
    return i > 0 ? warp : -1;
}

static void add_instruction(struct sim_core *core,
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
        .warp = parse_warp(ended->detail) >= 0 ? parse_warp(ended->detail)
                                               : parse_warp(popped->detail),
    };
}

/* Pairs the current runs of both logs, which have the same key, in order. */
static void pair_run(struct sim_core *core,
                     struct sorted_log *ended,
                     struct sorted_log *popped,
                     bool keep_flags)
{
    size_t ends = run_length(ended), starts = run_length(popped);
    size_t pairs = ends < starts ? ends : starts;

    if (ends > starts)
        pairs = drop_repeated_lines(ended, ends, pairs);
    else if (starts > ends)
        pairs = drop_repeated_lines(popped, starts, pairs);
    core->unpaired += (ends > starts ? ends : starts) - pairs;
    for (size_t i = 0; i < pairs; i++)
        add_instruction(core, popped->rows[popped->at + i], ended->rows[ended->at + i],
                        keep_flags);
    ended->at += ends;
    popped->at += starts;
}

static void skip_unpaired(struct sim_core *core, struct sorted_log *log)
{
    size_t length = run_length(log);

    core->unpaired += length;
    log->at += length;
}

static void join_all(struct sim_core *core,
                     const struct lines *ended_lines,
                     const struct lines *popped_lines,
                     bool keep_flags)
{
    const struct pairing *pairing = core->is_numbered ? &pair_by_id : &pair_by_pc;
    struct sorted_log ended = {.pairing = pairing, .repeat_max = 8};
    struct sorted_log popped = {.pairing = pairing, .repeat_min = 1, .repeat_max = 1};

    sort_log(&ended, ended_lines);
    sort_log(&popped, popped_lines);
    core->rows = xcalloc(ended.count + 1, sizeof(core->rows[0]));
    while (!is_at_end(&ended) && !is_at_end(&popped)) {
        uint64_t end_key = current_key(&ended), start_key = current_key(&popped);

        if (end_key == start_key)
            pair_run(core, &ended, &popped, keep_flags);
        else
            skip_unpaired(core, end_key < start_key ? &ended : &popped);
    }
    core->unpaired += ended.count - ended.at + popped.count - popped.at;
    free(ended.rows);
    free(popped.rows);
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
    struct lines ended_lines = {0}, popped_lines = {0};

    memset(core, 0, sizeof(*core));
    read_lines(&ended_lines, ended, ended_bytes);
    read_lines(&popped_lines, popped, popped_bytes);
    core->is_numbered = ended_lines.count > 0 && ended_lines.rows[0].has_id &&
                        popped_lines.count > 0 && popped_lines.rows[0].has_id;
    core->unknown_lines = ended_lines.unknown + popped_lines.unknown;
    read_block_numbers(core, &ended_lines);
    read_marks(core, &ended_lines);
    join_all(core, &ended_lines, &popped_lines, keep_flags);
    if (!core->is_numbered && core->count > 0)
        qsort(core->rows, core->count, sizeof(core->rows[0]), by_pc_and_start);
    free(ended_lines.rows);
    free(popped_lines.rows);
}

void simlog_clear(struct sim_core *core)
{
    free(core->rows);
    free(core->marks);
    free(core->misses);
    memset(core, 0, sizeof(*core));
}
