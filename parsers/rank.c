#include "parsers/rank.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "parsers/figures.h"
#include "parsers/findings.h"
#include "parsers/parser.h"
#include "parsers/timeline/timeline.h"

struct run {
    const struct source *source;
    const char *folder;
    struct json_write *lines;
    size_t bad;
    struct text bytes; /* of the file in work; its memory is used again */
};

struct work {
    struct run *run;
    const struct source_launch *launch;
    struct findings findings;
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
    parser->run(parser, &work->findings, &run->bytes);
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
        if (parser_applies(*it, &work->findings))
            result = write_output(work, text_get(&below), *it, err);
    text_clear(&below);
    text_clear(&folder);
    return result;
}

static void add_timeline(struct findings *findings)
{
    struct timeline_cut cut;

    if (!timeline_is_there(findings))
        return;
    timeline_write(findings, TIMELINE_BYTES_MAX, &findings->trace, &cut);
    if (cut.left_out)
        source_note(&findings->notes, true, SOURCE_NO_BLOCK,
                    "the timeline is too long: %" PRIu64
                    " slices below %.1f us are left out",
                    cut.left_out, (double)cut.shortest_ns / 1000);
}

static int parse_launch(struct run *run, size_t index, struct err *err)
{
    struct work work = {.run = run, .launch = run->source->launches[index]};
    int result = 0;

    tell_notes(run, work.launch, &work.launch->notes);
    if (!work.launch->has_chip)
        return 0;
    findings_read(&work.findings, work.launch);
    add_timeline(&work.findings);
    tell_notes(run, work.launch, &work.findings.notes);
    result = write_outputs(&work, index, err);
    if (result == 0 && work.launch->complete)
        figures_each(&work.findings, tell_figure, &work);
    findings_clear(&work.findings);
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
