#include "parsers/rank.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "parsers/figures.h"
#include "parsers/inputs/pmu.h"
#include "parsers/inputs/task_log.h"
#include "parsers/parser.h"

struct run {
    const struct source *source;
    const char *folder;
    struct json_write *lines;
    size_t bad;
    struct text bytes; /* of the file in work; its memory is used again */
};

/* A launch with what was read out of it. */
struct work {
    struct run *run;
    const struct source_launch *launch;
    struct source_notes notes; /* what reading its bytes added */
    struct pmu *pmu;
    struct measure measure;
};

static void tell_note(struct run *run,
                      const struct source_launch *launch,
                      const struct source_note *note)
{
    char text[sizeof(note->text) + sizeof(launch->kernel) + 40];

    snprintf(text, sizeof(text), "%s", note->text);
    if (launch)
        snprintf(text, sizeof(text), "launch %" PRIu64 " of %s: %s", launch->launch,
                 launch->kernel, note->text);
    if (!note->is_error) {
        log_info("%s", text);
        return;
    }
    run->bad++;
    json_write_object(run->lines);
    json_write_key(run->lines, "error");
    json_write_text(run->lines, text);
    if (note->block != SOURCE_NO_BLOCK) {
        json_write_key(run->lines, "block");
        json_write_i64(run->lines, note->block);
    }
    json_write_object_end(run->lines);
    json_write_line(run->lines);
}

static void tell_notes(struct run *run,
                       const struct source_launch *launch,
                       const struct source_notes *notes)
{
    struct source_note more = {.is_error = true, .block = SOURCE_NO_BLOCK};

    for (size_t i = 0; i < notes->count; i++)
        tell_note(run, launch, &notes->notes[i]);
    if (!notes->left_out)
        return;
    snprintf(more.text, sizeof(more.text), "and %zu notes more", notes->left_out);
    tell_note(run, launch, &more);
}

/* Processes number their launches apart: the process stands above the number. */
static uint64_t launch_id(const struct source_launch *launch)
{
    return (uint64_t)(launch->shard & 0xFFFF) << 32 | launch->launch;
}

static void tell_figure(const char *metric, double value, const char *unit, void *arg)
{
    struct work *work = arg;
    struct json_write *lines = work->run->lines;

    json_write_object(lines);
    json_write_key(lines, "launch");
    json_write_u64(lines, launch_id(work->launch));
    json_write_key(lines, "kernel");
    json_write_text(lines, work->launch->info.name);
    json_write_key(lines, "device");
    json_write_u64(lines, work->launch->info.device);
    json_write_key(lines, "metric");
    json_write_text(lines, metric);
    json_write_key(lines, "value");
    json_write_double(lines, value);
    json_write_key(lines, "unit");
    json_write_text(lines, unit);
    json_write_object_end(lines);
    json_write_line(lines);
}

static void note_pass(struct work *work, uint32_t pass, const struct pmu_notes *notes)
{
    if (!notes->records)
        source_note(&work->notes, true, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": no counters", pass);
    if (notes->tail_bytes)
        source_note(&work->notes, true, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": %zu bytes behind the last whole counter record",
                    pass, notes->tail_bytes);
    if (notes->groups > 1)
        source_note(&work->notes, false, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": %zu launches in one file, the last is taken",
                    pass, notes->groups);
    if (notes->skipped)
        source_note(&work->notes, false, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": %zu records of other kinds", pass,
                    notes->skipped);
}

static void read_counters(struct work *work)
{
    const struct source_launch *launch = work->launch;

    for (size_t i = 0; i < launch->pass_count; i++) {
        const struct source_pass *pass = &launch->passes[i];
        struct pmu_notes notes;
        struct err err;

        if (!pass->has_events) {
            source_note(&work->notes, true, SOURCE_NO_BLOCK,
                        "pass %" PRIu32 ": its event list is missing", pass->number);
            continue;
        }
        if (!pass->counters.length && !launch->complete)
            continue; /* told already */
        if (pmu_add_pass(work->pmu, &pass->events,
                         (const uint8_t *)text_get(&pass->counters),
                         pass->counters.length, &notes, &err) < 0)
            source_note(&work->notes, true, SOURCE_NO_BLOCK, "%s", err.text);
        else
            note_pass(work, pass->number, &notes);
    }
    pmu_finish(work->pmu);
}

/* Of the last pass that has a task log; below 0 when it does not tell. */
static double read_duration(struct work *work)
{
    const struct source_launch *launch = work->launch;
    struct task_log log = {0};

    for (size_t i = launch->pass_count; i-- > 0 && !log.records;) {
        const struct text *bytes = &launch->passes[i].task_log;

        if (bytes->length)
            task_log_read(&log, launch->info.chip, (const uint8_t *)bytes->bytes,
                          bytes->length);
    }
    if (log.tail_bytes)
        source_note(&work->notes, true, SOURCE_NO_BLOCK,
                    "task log: %zu bytes behind the last whole record", log.tail_bytes);
    if (!log.has_duration) {
        source_note(&work->notes, launch->complete, SOURCE_NO_BLOCK,
                    "the task log has no start and end of the operator");
        return -1;
    }
    return task_log_us(&log, launch->info.ticks_khz);
}

static void read_launch(struct work *work)
{
    const struct text *l2 = &work->launch->l2;
    double duration_us;

    work->pmu = pmu_create(work->launch->info.chip);
    read_counters(work);
    duration_us = read_duration(work);
    measure_init(&work->measure, &work->launch->info, work->pmu, duration_us);
    if (l2->length &&
        !measure_set_l2(&work->measure, (const uint8_t *)l2->bytes, l2->length))
        source_note(&work->notes, true, SOURCE_NO_BLOCK,
                    "L2 counters of %zu bytes, not 72: left out", l2->length);
}

/* Its place among the launches of this kernel on this device; two processes may both
 * have a first one. */
static uint32_t launch_number(const struct source *source, size_t index)
{
    const struct source_launch *launch = source->launches[index];
    uint32_t number = launch->order;

    for (size_t i = 0; i < index; i++) {
        const struct source_launch *other = source->launches[i];

        if (other->shard != launch->shard &&
            other->info.device == launch->info.device &&
            strcmp(other->kernel, launch->kernel) == 0 && other->order >= launch->order)
            number++;
    }
    return number;
}

static void launch_path(const struct run *run, size_t index, struct text *out)
{
    const struct source_launch *launch = run->source->launches[index];
    char host[80], kernel[201];

    text_to_path_part(host, sizeof(host), run->source->host);
    text_to_path_part(kernel, sizeof(kernel), launch->kernel);
    text_printf(out, "%s/device%" PRIu32 "/%s/%" PRIu32, host, launch->info.device,
                kernel, launch_number(run->source, index));
}

static void tell_output(struct run *run, const char *path)
{
    json_write_object(run->lines);
    json_write_key(run->lines, "output");
    json_write_text(run->lines, path);
    json_write_object_end(run->lines);
    json_write_line(run->lines);
}

static int write_output(struct work *work,
                        const char *below,
                        const struct parser *parser,
                        struct err *err)
{
    struct run *run = work->run;
    struct text path = {0};
    size_t skip = strlen(run->folder) + 1;
    int result;

    text_printf(&path, "%s/%s/%s", run->folder, below, parser->makes);
    text_reset(&run->bytes);
    parser->run(parser, &work->measure, work->launch->metrics, &run->bytes);
    result = file_write(text_get(&path), text_get(&run->bytes), run->bytes.length, err);
    if (result == 0)
        tell_output(run, text_get(&path) + skip);
    text_clear(&path);
    return result;
}

static int write_outputs(struct work *work, size_t index, struct err *err)
{
    struct text below = {0}, folder = {0};
    int result;

    launch_path(work->run, index, &below);
    text_printf(&folder, "%s/%s", work->run->folder, text_get(&below));
    result = folder_create(text_get(&folder), err);
    folder_sweep(text_get(&folder)); /* of one that was killed here before */
    for (const struct parser *const *it = parsers; result == 0 && *it; it++)
        if (!(*it)->metrics || (work->launch->metrics & (*it)->metrics))
            result = write_output(work, text_get(&below), *it, err);
    text_clear(&below);
    text_clear(&folder);
    return result;
}

static int parse_launch(struct run *run, size_t index, struct err *err)
{
    struct work work = {.run = run, .launch = run->source->launches[index]};
    int result = 0;

    tell_notes(run, work.launch, &work.launch->notes);
    if (!work.launch->has_chip)
        return 0;
    read_launch(&work);
    tell_notes(run, work.launch, &work.notes);
    result = write_outputs(&work, index, err);
    if (result == 0 && work.launch->complete)
        figures_each(&work.measure, tell_figure, &work);
    pmu_destroy(work.pmu);
    free(work.notes.notes);
    return result;
}

int rank_parse(const struct source *source,
               const char *folder,
               struct json_write *lines,
               size_t *bad,
               struct err *err)
{
    struct run run = {.source = source, .folder = folder, .lines = lines};
    int result = 0;

    tell_notes(&run, NULL, &source->notes);
    for (size_t i = 0; i < source->count && result == 0; i++)
        result = parse_launch(&run, i, err);
    text_clear(&run.bytes);
    *bad = run.bad;
    return result;
}
