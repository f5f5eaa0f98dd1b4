#include "parsers/run/simulation_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"
#include "lib/capture/format/records.h"
#include "parsers/dumps/dump_files.h"
#include "parsers/run/result_lines.h"
#include "parsers/simulator/sim_folder.h"

enum { KERNEL_BYTES = 256, NAME_FILE_MAX = 64 * 1024 };

struct simulation_parse {
    bool has_logs;
    struct record_simulation record;
    char *logs;   /* folder of the restored files */
    char *folder; /* of the results, below the folder of the rank */
    char *elf;    /* path of the restored file of the kernel; NULL: none */
    uint32_t device;
    char kernel[KERNEL_BYTES];
    const struct simulation_report *report;
    unsigned metrics;
};

struct simulation_parse *simulation_parse_create(void)
{
    return xcalloc(1, sizeof(struct simulation_parse));
}

void simulation_parse_destroy(struct simulation_parse *parse)
{
    if (!parse)
        return;
    free(parse->logs);
    free(parse->folder);
    free(parse->elf);
    free(parse);
}

/* Reads the name of the kernel from object_dump.txt: a line with a folder, then the
 * name. */
static void read_kernel(struct simulation_parse *parse, const char *path)
{
    char *bytes, *name;
    size_t size;
    struct err ignored;

    if (file_read(&bytes, &size, path, NAME_FILE_MAX, &ignored) < 0)
        return;
    name = strchr(bytes, '\n');
    if (name) {
        name++;
        name[strcspn(name, "\r\n")] = '\0';
        text_to_ascii(parse->kernel, sizeof(parse->kernel), name);
    }
    free(bytes);
}

void simulation_parse_add(struct simulation_parse *parse, const struct dump_file *file)
{
    const char *name = strrchr(file->path, '/') + 1;

    if (!parse->has_logs) {
        parse->has_logs = true;
        parse->record = *file->simulation;
        parse->device = file->device;
        parse->logs = xstrndup(file->path, (size_t)(name - 1 - file->path));
        parse->folder = xstrndup(file->folder, strlen(file->folder) - strlen("/logs"));
    }
    if (strcmp(name, "object_dump.txt") == 0)
        read_kernel(parse, file->path);
    if (*parse->record.elf && !parse->elf && strcmp(file->name, parse->record.elf) == 0)
        parse->elf = xstrdup(file->path);
}

static void on_written(void *arg, const char *file)
{
    struct simulation_parse *parse = arg;
    char *path = xasprintf("%s/%s", parse->folder, file);

    result_output(parse->report->lines, path);
    free(path);
}

static void complain(struct simulation_parse *parse, const char *text)
{
    result_error(parse->report->lines, text);
    (*parse->report->bad)++;
}

/* Sums over all cores. */
struct sums {
    uint64_t instructions, misses, first, last;
    uint64_t cache_cycles, unit_cycles; /* before instructions */
    uint64_t read_bytes, written_bytes; /* from and to GM */
    bool has_overhead;
};

static struct sums add_up(const struct simulation *simulation)
{
    struct sums sums = {.first = UINT64_MAX};

    for (size_t i = 0; i < simulation->core_count; i++) {
        const struct sim_core *log = &simulation->cores[i].log;

        sums.instructions += log->count;
        sums.misses += log->miss_count;
        sums.has_overhead |= log->has_overhead;
        for (size_t k = 0; k < log->count; k++) {
            const struct sim_instruction *row = &log->rows[k];

            sums.first = row->start < sums.first ? row->start : sums.first;
            sums.last = row->end > sums.last ? row->end : sums.last;
            if (!row->has_overhead)
                continue;
            sums.cache_cycles += row->issued - row->fetched;
            sums.unit_cycles += row->start - row->issued;
        }
    }
    for (size_t i = 0; i < simulation->request_count; i++)
        for (size_t k = 0; k < simulation->requests[i].count; k++) {
            const struct sim_request *row = &simulation->requests[i].rows[k];

            if (row->path <= SIM_GM_TO_TOTAL)
                sums.read_bytes += row->bytes;
            else
                sums.written_bytes += row->bytes;
        }
    if (sums.first > sums.last)
        sums.first = sums.last;
    return sums;
}

enum figure {
    FIGURE_DURATION,
    FIGURE_CYCLES,
    FIGURE_CORES,
    FIGURE_INSTRUCTIONS,
    FIGURE_MISSES,
    FIGURE_READ,
    FIGURE_WRITTEN,
    FIGURE_CACHE,
    FIGURE_CCU,
    FIGURES
};

static const struct simulation_figure figures[FIGURES] = {
    [FIGURE_DURATION] = {"simulator.duration_us", "us",
                         "`simulator.cycles` at the clock of the chip"},
    [FIGURE_CYCLES] = {"simulator.cycles", "cycles",
                       "from the first start to the last end of an instruction"},
    [FIGURE_CORES] = {"simulator.cores", "count", "cores with instruction logs"},
    [FIGURE_INSTRUCTIONS] = {"simulator.instructions", "count",
                             "executed instructions of all cores; flags count with "
                             "`ResourceConflictRatio`"},
    [FIGURE_MISSES] = {"simulator.cache_misses", "count",
                       "misses of the instruction caches"},
    [FIGURE_READ] = {"simulator.read_bytes", "bytes",
                     "bytes that the cores read from GM (`PMSampling`)"},
    [FIGURE_WRITTEN] = {"simulator.written_bytes", "bytes",
                        "bytes that the cores wrote to GM (`PMSampling`)"},
    [FIGURE_CACHE] = {"simulator.cache_cycles", "cycles",
                      "sum of the times from fetch to issue (`OverHead`)"},
    [FIGURE_CCU] = {"simulator.ccu_cycles", "cycles",
                    "sum of the times from issue to start (`OverHead`)"},
};

const struct simulation_figure *simulation_figure_at(size_t index)
{
    return index < FIGURES ? &figures[index] : NULL;
}

static const char *remarks_of(const struct simulation *simulation, struct text *lines)
{
    for (size_t i = 0; i < simulation->notes.count; i++) {
        const struct source_note *note = &simulation->notes.notes[i];

        if (note->level == SOURCE_REMARK &&
            lines->length + strlen(note->text) < RESULT_NOTES_BYTES)
            text_printf(lines, "%s\n", note->text);
    }
    return text_get(lines);
}

/* Writes the figures, and an error for each metric without its logs. */
static void write_figures(struct simulation_parse *parse,
                          const struct simulation *simulation)
{
    const struct sums sums = add_up(simulation);
    struct text notes = {0};
    const struct result_launch launch = {parse->kernel, 0, parse->device,
                                         remarks_of(simulation, &notes)};
    const uint64_t cycles = sums.last - sums.first;
    const bool has_requests = simulation->request_count > 0;
    const double values[FIGURES] = {
        [FIGURE_DURATION] = (double)simulation_ns(simulation, cycles) / 1000,
        [FIGURE_CYCLES] = (double)cycles,
        [FIGURE_CORES] = (double)simulation->core_count,
        [FIGURE_INSTRUCTIONS] = (double)sums.instructions,
        [FIGURE_MISSES] = (double)sums.misses,
        [FIGURE_READ] = (double)sums.read_bytes,
        [FIGURE_WRITTEN] = (double)sums.written_bytes,
        [FIGURE_CACHE] = (double)sums.cache_cycles,
        [FIGURE_CCU] = (double)sums.unit_cycles,
    };

    result_launch(parse->report->lines, &launch);
    for (size_t i = 0; i < FIGURES; i++)
        if (i < FIGURE_READ || (i < FIGURE_CACHE ? has_requests : sums.has_overhead))
            result_figure(parse->report->lines, &launch, figures[i].metric, values[i],
                          figures[i].unit);
    if (parse->metrics & METRIC_PM_SAMPLING && !has_requests)
        complain(parse, "PMSampling: the simulator wrote no log of memory requests "
                        "(core<N>.mte_log.dump)");
    if (parse->metrics & METRIC_OVERHEAD && !sums.has_overhead)
        complain(parse, "OverHead: the simulator wrote no fetches (icache_log) or no "
                        "issues (ccu_log) of the instructions");
    text_clear(&notes);
}

/* Names the launch after the file of the kernel when the simulator did not. */
static void name_launch(struct simulation_parse *parse)
{
    const char *name = parse->elf ? strrchr(parse->elf, '/') + 1 : "simulation";

    if (!*parse->kernel)
        snprintf(parse->kernel, sizeof(parse->kernel), "%.*s", (int)strcspn(name, "."),
                 name);
}

static int parse_logs(struct simulation_parse *parse, struct err *err)
{
    const struct simulation_options options = {
        .soc = parse->record.chip,
        .elf = parse->elf,
        .cores = *parse->record.cores ? parse->record.cores : NULL,
        .without_flags = !(parse->metrics & METRIC_RESOURCE_CONFLICT),
        .without_requests = !(parse->metrics & METRIC_PM_SAMPLING),
        .without_overhead = !(parse->metrics & METRIC_OVERHEAD),
    };
    struct simulation simulation;
    struct err why;
    char *folder;
    int result;

    if (simulation_open(&simulation, parse->logs, &options, &why) < 0) {
        complain(parse, why.text);
        return 0;
    }
    folder = xasprintf("%s/%s", parse->report->folder, parse->folder);
    result = sim_folder_write(&simulation, folder, on_written, parse, err);
    if (result == 0)
        write_figures(parse, &simulation);
    for (size_t i = 0; result == 0 && i < simulation.notes.count; i++)
        if (simulation.notes.notes[i].level == SOURCE_ERROR)
            complain(parse, simulation.notes.notes[i].text);
        else
            log_info("%s", simulation.notes.notes[i].text);
    simulation_close(&simulation);
    free(folder);
    return result;
}

int simulation_parse_finish(struct simulation_parse *parse,
                            const struct simulation_report *report,
                            struct err *err)
{
    struct err why;

    if (!parse->has_logs)
        return 0;
    parse->report = report;
    if (metric_parse(parse->record.metrics, &parse->metrics, &why) < 0) {
        complain(parse, why.text);
        return 0;
    }
    name_launch(parse);
    if (*parse->record.elf && !parse->elf)
        complain(parse, "the file of profile.elf was not stored; there are no source "
                        "lines");
    return parse_logs(parse, err);
}
