#include "parsers/simulator/simulation.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/core_list.h"
#include "lib/capture/soc_facts.h"
#include "parsers/code/code_map.h"
#include "parsers/simlog/simlog_overhead.h"

enum { CORES_MAX = 4096, PATH_BYTES = 4096, SPLITS_MAX = 1000 };
static const size_t log_limit = (size_t)1 << 30;
static const size_t elf_limit = (size_t)256 << 20;

uint64_t simulation_ns(const struct simulation *simulation, uint64_t ticks)
{
    return (uint64_t)((double)ticks * 1000 / simulation->clock_mhz + 0.5);
}

uint64_t simulation_ps(const struct simulation *simulation, uint64_t ticks)
{
    double ps = (double)ticks * 1e6 / simulation->clock_mhz + 0.5;

    return ps < (double)INT64_MAX ? (uint64_t)ps : INT64_MAX;
}

/* Parses "core<N>[.<part>][._]instr_log.dump". Stores the number and the part. */
static bool parse_log_name(const char *file, unsigned *number, char part[24])
{
    static const char ending[] = "instr_log.dump";
    size_t length = strlen(file), tail = strlen(ending);
    int at = 0;

    part[0] = '\0';
    if (length <= tail + 1 || strcmp(file + length - tail, ending) != 0 ||
        sscanf(file, "core%u%n", number, &at) != 1 || at == 0)
        return false;
    length -= tail + 1; /* the dot or the underscore before it */
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

bool simulation_has_logs(const char *folder)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    bool found = false;
    unsigned number;
    char part[24];

    while (entries && !found && (entry = readdir(entries)))
        found = parse_log_name(entry->d_name, &number, part);
    if (entries)
        closedir(entries);
    return found;
}

/* Appends a log and its older pieces. The simulator splits long logs; the oldest piece
 * has the highest number. `splits` selects the form of the names: "." for
 * STEM.N.dump, anything else for STEM.dump.N. */
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
            source_note(&simulation->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s",
                        err.text);
            continue;
        }
        text_add_bytes(out, bytes, size);
        free(bytes);
    }
}

/* Moves the bytes out of a text. The caller frees them. */
static char *take_bytes(struct text *text, size_t *size)
{
    char *bytes = text->bytes ? text->bytes : xcalloc(1, 1);

    *size = text->length;
    *text = (struct text){0};
    return bytes;
}

static void note_core(struct simulation *simulation, const struct simulation_core *core)
{
    if (core->log.unknown_lines)
        source_note(&simulation->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "%s: %zu log lines have an unknown format and were skipped",
                    core->name, core->log.unknown_lines);
    if (core->log.unpaired)
        source_note(&simulation->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "%s: %zu log lines have no matching line in the other log",
                    core->name, core->log.unpaired);
}

/* Names the core after the block that it ran, if the kernel read the block number;
 * otherwise after its log files. */
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

/* Reads the times before an instruction starts: its fetch, from the log of the
 * instruction cache, and its issue. */
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
                      const char *part,
                      const struct simulation_options *options)
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
    if (!ended.length || !popped.length) { /* both logs are needed */
        text_clear(&ended);
        text_clear(&popped);
        return;
    }
    simulation->cores = xreallocarray(simulation->cores, simulation->core_count + 1,
                                      sizeof(simulation->cores[0]));
    core = &simulation->cores[simulation->core_count++];
    memset(core, 0, sizeof(*core));
    core->ended = take_bytes(&ended, &ended_bytes);
    core->popped = take_bytes(&popped, &popped_bytes);
    simlog_read(&core->log, core->ended, ended_bytes, core->popped, popped_bytes,
                !options->without_flags);
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
    if (!options->without_overhead)
        read_overhead(simulation, folder, stem, &misses, &core->log);
    text_clear(&misses);
    name_core(core, number, part);
    note_core(simulation, core);
}

static void read_transfers(struct simulation *simulation,
                           const char *folder,
                           const struct core_list *wanted)
{
    /* no core has a number above this */
    unsigned end = (unsigned)simulation->core_count * 2 + 66;

    for (unsigned i = 0; i < (wanted->is_limited ? CORE_LIST_MAX : end); i++) {
        struct text log = {0};
        char stem[32];

        if (i >= CORES_MAX || !core_list_has(wanted, i))
            continue;
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

    return parse_log_name(entry->d_name, &number, part);
}

/* Fails when the logs have none of a core that the list names. */
static int check_cores(const struct core_list *wanted,
                       const struct core_list *found,
                       const char *folder,
                       struct err *err)
{
    for (unsigned core = 0; wanted->is_limited && core < CORE_LIST_MAX; core++)
        if (wanted->has[core] && !found->has[core])
            return err_set(err, ERR_NOT_FOUND,
                           "%s: core %u has no instruction logs; remove it from the "
                           "list of cores",
                           folder, core);
    return 0;
}

static int read_cores(struct simulation *simulation,
                      const char *folder,
                      const struct core_list *wanted,
                      const struct simulation_options *options,
                      struct err *err)
{
    struct core_list found = {.is_limited = true};
    struct dirent **files;
    int count = scandir(folder, &files, is_log, versionsort);

    if (count < 0)
        return err_errno(err, "reading folder %s", folder);
    for (int i = 0; i < count; i++) {
        unsigned number;
        char part[24];

        if (i < CORES_MAX && parse_log_name(files[i]->d_name, &number, part) &&
            core_list_has(wanted, number)) {
            read_core(simulation, folder, files[i]->d_name, number, part, options);
            if (number < CORE_LIST_MAX)
                found.has[number] = true;
        }
        free(files[i]);
    }
    free(files);
    if (check_cores(wanted, &found, folder, err) < 0)
        return -1;
    return simulation->core_count > 0
               ? 0
               : err_set(err, ERR_NOT_FOUND,
                         "%s: no core has both instruction logs (instr_log and "
                         "instr_popped_log)",
                         folder);
}

int simulation_open(struct simulation *simulation,
                    const char *folder,
                    const struct simulation_options *options,
                    struct err *err)
{
    const char *elf = options->elf;
    struct core_list cores;
    size_t size;

    *simulation = (struct simulation){.clock_mhz = soc_facts_of(options->soc).mhz};
    if (core_list_parse(&cores, options->cores, err) < 0 ||
        read_cores(simulation, folder, &cores, options, err) < 0)
        goto fail;
    qsort(simulation->cores, simulation->core_count, sizeof(simulation->cores[0]),
          by_sort);
    if (!options->without_requests)
        read_transfers(simulation, folder, &cores);
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
