#include "parsers/simulator/simulation.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/code/code_map.h"
#include "parsers/simlog/simlog_overhead.h"

enum { CORES_MAX = 4096, PATH_BYTES = 4096, SPLITS_MAX = 1000 };
static const size_t log_limit = (size_t)1 << 30;
static const size_t elf_limit = (size_t)256 << 20;

static const struct {
    const char *prefix;
    double mhz;
} clocks[] = {
    {"Ascend310B4", 500},      {"Ascend310B", 1224},      {"Ascend310P5", 800},
    {"Ascend310P7", 550},      {"Ascend310P", 1060},      {"Ascend910B1", 1850},
    {"Ascend910B2", 1800},     {"Ascend910B3", 1800},     {"Ascend910B4", 1650},
    {"Ascend950PR_959", 1800}, {"Ascend950DT_959", 1800}, {"Ascend950PR_95A", 1800},
    {"Ascend950DT_95A", 1800}, {"Ascend950", 1650},
};

double simulation_clock(const char *soc)
{
    for (size_t i = 0; i < COUNT(clocks); i++)
        if (strncmp(soc, clocks[i].prefix, strlen(clocks[i].prefix)) == 0)
            return clocks[i].mhz;
    return 1850;
}

uint64_t simulation_ns(const struct simulation *simulation, uint64_t ticks)
{
    return (uint64_t)((double)ticks * 1000 / simulation->clock_mhz + 0.5);
}

/* "core<N>[.<part>][._]instr_log.dump": the number, and the part or "". */
static bool core_of(const char *file, unsigned *number, char part[24])
{
    static const char ending[] = "instr_log.dump";
    size_t length = strlen(file), tail = strlen(ending);
    int at = 0;

    part[0] = '\0';
    if (length <= tail + 1 || strcmp(file + length - tail, ending) != 0 ||
        sscanf(file, "core%u%n", number, &at) != 1 || at == 0)
        return false;
    length -= tail + 1; /* the dot or the line in front of it */
    if (file[length] != '.' && file[length] != '_')
        return false;
    if ((size_t)at == length)
        return true;
    if (file[at] != '.' || length - (size_t)at - 1 >= 24 || length <= (size_t)at)
        return false;
    snprintf(part, 24, "%.*s", (int)(length - (size_t)at - 1), file + at + 1);
    return strncmp(part, "veccore", 7) == 0 || strncmp(part, "cubecore", 8) == 0 ||
           strncmp(part, "mixcore", 7) == 0;
}

bool simulation_is_there(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    bool found = false;
    unsigned number;
    char part[24];

    while (entries && !found && (entry = readdir(entries)))
        found = core_of(entry->d_name, &number, part);
    if (entries)
        closedir(entries);
    return found;
}

/* A log and what was split off it: the oldest has the highest number. */
static void read_log(struct simulation *simulation,
                     const char *folder,
                     const char *stem,
                     const char *splits,
                     struct text *out)
{
    int last = 0;

    for (; last < SPLITS_MAX; last++) {
        char path[PATH_BYTES];

        snprintf(path, sizeof(path), "%s/%s%s%d%s", folder, stem,
                 *splits == '.' ? "." : ".dump.", last + 1,
                 *splits == '.' ? ".dump" : "");
        if (!file_exists(path))
            break;
    }
    for (int i = last; i >= 0; i--) {
        char path[PATH_BYTES], *bytes;
        struct err err;
        size_t size;

        if (i == 0)
            snprintf(path, sizeof(path), "%s/%s.dump", folder, stem);
        else
            snprintf(path, sizeof(path), "%s/%s%s%d%s", folder, stem,
                     *splits == '.' ? "." : ".dump.", i, *splits == '.' ? ".dump" : "");
        if (!file_exists(path))
            continue;
        if (file_read(&bytes, &size, path, log_limit - out->length, &err) < 0) {
            source_note(&simulation->notes, true, SOURCE_NO_BLOCK, "%s", err.text);
            continue;
        }
        text_add_bytes(out, bytes, size);
        free(bytes);
    }
}

static char *give(struct text *text, size_t *size)
{
    char *bytes = text->bytes ? text->bytes : xcalloc(1, 1);

    *size = text->length;
    *text = (struct text){0};
    return bytes;
}

static void note_core(struct simulation *simulation, const struct simulation_core *core)
{
    if (core->log.odd_lines)
        source_note(&simulation->notes, false, SOURCE_NO_BLOCK,
                    "%s: %zu lines are none", core->name, core->log.odd_lines);
    if (core->log.unpaired)
        source_note(&simulation->notes, false, SOURCE_NO_BLOCK,
                    "%s: %zu lines have no partner in the other log", core->name,
                    core->log.unpaired);
}

/* Of the block that it ran, where the program read that; else as its files are named.
 */
static void name_core(struct simulation_core *core, unsigned number, const char *part)
{
    const struct sim_core *log = &core->log;
    bool is_cube = strncmp(part, "cubecore", 8) == 0;
    unsigned sub =
        is_cube ? 0 : (unsigned)strtoul(part + strcspn(part, "0123456789"), NULL, 10);

    core->number = number;
    if (log->has_block && *part && log->block < CORES_MAX) {
        core->number = (unsigned)log->block;
        if (!is_cube)
            sub = (unsigned)(log->sub_block & 1);
    }
    if (!*part)
        snprintf(core->name, sizeof(core->name), "core%u", core->number);
    else
        snprintf(core->name, sizeof(core->name), "core%u.%s%u", core->number,
                 is_cube                   ? "cubecore"
                 : strncmp(part, "mix", 3) ? "veccore"
                                           : "mixcore",
                 sub);
    core->sort = core->number * 3 + (is_cube || !*part ? 1 : 2 + sub);
}

/* Fetches are in the log of the instruction cache, between its misses. */
static void read_overhead(struct simulation *simulation,
                          const char *folder,
                          const char *stem,
                          const struct text *cache,
                          struct sim_core *log)
{
    struct sim_overhead overhead = {0};
    struct text issues = {0};

    read_log(simulation, folder, stem, ".", &issues);
    if (issues.length && cache->length) {
        simlog_read_fetches(&overhead, cache->bytes, cache->length);
        simlog_read_issues(&overhead, issues.bytes, issues.length);
        simlog_find_overhead(log, &overhead);
    }
    simlog_clear_overhead(&overhead);
    text_clear(&issues);
}

static void read_core(struct simulation *simulation,
                      const char *folder,
                      const char *file,
                      unsigned number,
                      const char *part)
{
    struct simulation_core *core;
    struct text ended = {0}, popped = {0}, misses = {0};
    size_t stem_length = strlen(file) - strlen("instr_log.dump");
    size_t ended_bytes, popped_bytes;
    char stem[256];

    snprintf(stem, sizeof(stem), "%.*sinstr_log", (int)stem_length, file);
    read_log(simulation, folder, stem, ".", &ended);
    snprintf(stem, sizeof(stem), "%.*sinstr_popped_log", (int)stem_length, file);
    read_log(simulation, folder, stem, ".", &popped);
    if (!ended.length || !popped.length) { /* one of the two says nothing alone */
        text_clear(&ended);
        text_clear(&popped);
        return;
    }
    simulation->cores = xreallocarray(simulation->cores, simulation->core_count + 1,
                                      sizeof(simulation->cores[0]));
    core = &simulation->cores[simulation->core_count++];
    memset(core, 0, sizeof(*core));
    core->ended = give(&ended, &ended_bytes);
    core->popped = give(&popped, &popped_bytes);
    simlog_read(&core->log, core->ended, ended_bytes, core->popped, popped_bytes, true);
    simlog_count_registers(&core->log);
    snprintf(stem, sizeof(stem), "%.*sifu.icache_log", (int)stem_length, file);
    read_log(simulation, folder, stem, ".", &misses);
    if (!misses.length) {
        snprintf(stem, sizeof(stem), "%.*sicache_log", (int)stem_length, file);
        read_log(simulation, folder, stem, ".", &misses);
    }
    if (misses.length)
        simlog_read_misses(&core->log, misses.bytes, misses.length);
    snprintf(stem, sizeof(stem), "%.*sccu_log", (int)stem_length, file);
    read_overhead(simulation, folder, stem, &misses, &core->log);
    text_clear(&misses);
    name_core(core, number, part);
    note_core(simulation, core);
}

static void read_transfers(struct simulation *simulation, const char *folder)
{
    for (unsigned i = 0; i < CORES_MAX; i++) {
        struct text log = {0};
        char stem[32];

        snprintf(stem, sizeof(stem), "core%u.mte_log", i);
        read_log(simulation, folder, stem, "d", &log);
        if (log.length) {
            simulation->requests =
                xreallocarray(simulation->requests, simulation->request_count + 1,
                              sizeof(simulation->requests[0]));
            simlog_read_requests(&simulation->requests[simulation->request_count++],
                                 log.bytes, log.length);
        }
        text_clear(&log);
        if (i > simulation->core_count * 2 + 64)
            break; /* far behind the last core */
    }
}

static int by_sort(const void *left, const void *right)
{
    const struct simulation_core *a = left, *b = right;

    if (a->sort != b->sort)
        return a->sort < b->sort ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int is_log(const struct dirent *entry)
{
    unsigned number;
    char part[24];

    return core_of(entry->d_name, &number, part);
}

int simulation_open(struct simulation *simulation,
                    const char *folder,
                    const char *soc,
                    const char *elf,
                    struct err *err)
{
    struct dirent **files;
    int count;
    size_t size;

    *simulation = (struct simulation){.clock_mhz = simulation_clock(soc)};
    count = scandir(folder, &files, is_log, versionsort);
    if (count < 0)
        return err_errno(err, "reading folder %s", folder);
    for (int i = 0; i < count; i++) {
        unsigned number;
        char part[24];

        if (i < CORES_MAX && core_of(files[i]->d_name, &number, part))
            read_core(simulation, folder, files[i]->d_name, number, part);
        free(files[i]);
    }
    free(files);
    if (simulation->core_count == 0) {
        err_set(err, ERR_NOT_FOUND, "%s: no core has both logs of instructions",
                folder);
        goto fail;
    }
    qsort(simulation->cores, simulation->core_count, sizeof(simulation->cores[0]),
          by_sort);
    read_transfers(simulation, folder);
    if (elf && (file_read(&simulation->elf, &size, elf, elf_limit, err) < 0 ||
                code_map_open(&simulation->code, simulation->elf, size, err) < 0))
        goto fail;
    return 0;

fail:
    simulation_close(simulation);
    return -1;
}

void simulation_close(struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->core_count; i++) {
        simlog_clear(&simulation->cores[i].log);
        free(simulation->cores[i].ended);
        free(simulation->cores[i].popped);
    }
    for (size_t i = 0; i < simulation->request_count; i++)
        simlog_clear_requests(&simulation->requests[i]);
    free(simulation->cores);
    free(simulation->requests);
    code_map_close(simulation->code);
    free(simulation->elf);
    free(simulation->notes.notes);
    memset(simulation, 0, sizeof(*simulation));
}

static int by_interval(const void *left, const void *right)
{
    const struct sim_interval *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

uint64_t simulation_union(struct sim_interval *intervals, size_t count)
{
    uint64_t busy = 0, until = 0;

    if (count > 0)
        qsort(intervals, count, sizeof(*intervals), by_interval);
    for (size_t i = 0; i < count; i++) {
        uint64_t from = intervals[i].start > until ? intervals[i].start : until;

        if (intervals[i].end > from) {
            busy += intervals[i].end - from;
            until = intervals[i].end;
        }
    }
    return busy;
}

static int by_pc(const void *left, const void *right)
{
    const struct sim_instruction *const *a = left, *const *b = right;

    if ((*a)->pc != (*b)->pc)
        return (*a)->pc < (*b)->pc ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

static void add_bytes(struct simulation_sum *sum, const struct sim_instruction *row)
{
    uint64_t bytes;

    if (!sim_moved_bytes(row, &bytes))
        return;
    sum->moves = true;
    sum->moved = bytes > UINT64_MAX - sum->moved ? UINT64_MAX : sum->moved + bytes;
}

struct simulation_sum *simulation_sums(const struct simulation_core *core,
                                       size_t *count)
{
    const struct sim_core *log = &core->log;
    const struct sim_instruction **rows = xcalloc(log->count + 1, sizeof(*rows));
    struct sim_interval *spans = xcalloc(log->count + 1, sizeof(*spans));
    struct simulation_sum *sums = xcalloc(log->count + 1, sizeof(*sums));

    *count = 0;
    for (size_t i = 0; i < log->count; i++)
        rows[i] = &log->rows[i];
    if (log->count > 0)
        qsort(rows, log->count, sizeof(*rows), by_pc);
    for (size_t i = 0; i < log->count;) {
        struct simulation_sum *sum = &sums[(*count)++];

        *sum = (struct simulation_sum){.pc = rows[i]->pc, .first = rows[i]};
        for (; i < log->count && rows[i]->pc == sum->pc; i++) {
            spans[sum->count++] = (struct sim_interval){rows[i]->start, rows[i]->end};
            sum->cycles += rows[i]->end - rows[i]->start;
            add_bytes(sum, rows[i]);
            if (rows[i]->has_overhead) {
                sum->cache_cycles += rows[i]->issued - rows[i]->fetched;
                sum->unit_cycles += rows[i]->start - rows[i]->issued;
            }
            if (rows[i]->registers > sum->registers)
                sum->registers = rows[i]->registers;
        }
        sum->busy = simulation_union(spans, sum->count);
    }
    free(rows);
    free(spans);
    return sums;
}
