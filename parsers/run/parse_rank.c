/* parse_rank.c - runs all parsers on the launches of a source, in child processes
 *
 * The parent records which step of which launch crashed a child. The next child skips
 * that step. */
#include "parsers/run/parse_rank.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "parsers/child_pool/child_pool.h"
#include "parsers/container/advice.h"
#include "parsers/findings/findings.h"
#include "parsers/findings/key_figures.h"
#include "parsers/findings/missing_metrics.h"
#include "parsers/findings/range_figures.h"
#include "parsers/findings/replay_times.h"
#include "parsers/metrics/formula_version.h"
#include "parsers/run/launch_folder.h"
#include "parsers/run/parser.h"
#include "parsers/run/quarantine.h"
#include "parsers/run/result_lines.h"
#include "parsers/timeline/timeline.h"

enum { LIMIT_MS = 120000, OUTPUTS_MAX = 32 };

/* The steps of a launch in their order. The parsers follow, one step each. */
enum step { STEP_READ, STEP_TIMELINE, STEP_FIGURES, STEP_PARSERS };

static const char *const step_names[] = {"reader", "timeline", "figures"};

struct rank_parse {
    struct source *source;
    const char *folder;
    struct json_write *lines;
    bool complete_only;
    bool has_kernels; /* not only communication calls */
    size_t bad;
    struct text bytes; /* of the current file; kept to reuse its memory */
    uint64_t *skip;    /* for each launch, a bit per step to skip */
    uint32_t *numbers; /* for each launch, the number that names its folder */
};

/* Precedes the lines of a launch in the pipe to the parent. */
struct line_header {
    size_t bad, size;
    bool complete;
};

struct launch_parse {
    struct rank_parse *rank;
    const struct source_launch *launch;
    uint32_t number; /* names its folder, and its figures */
    struct findings findings;
    struct text advice; /* a line for each */
};

static size_t index_of(const struct rank_parse *rank,
                       const struct source_launch *launch)
{
    size_t at = 0;

    while (rank->source->launches[at] != launch)
        at++;
    return at;
}

static void write_note(struct rank_parse *rank,
                       const struct source_launch *launch,
                       const struct source_note *note)
{
    char text[sizeof(note->text) + sizeof(launch->kernel) + 40];

    snprintf(text, sizeof(text), "%s", note->text);
    if (launch)
        snprintf(text, sizeof(text), "launch %" PRIu32 " of %s: %s",
                 rank->numbers[index_of(rank, launch)], launch->kernel, note->text);
    if (note->level != SOURCE_ERROR) {
        log_info("%s", text);
        return;
    }
    rank->bad++;
    json_write_object(rank->lines);
    json_write_key(rank->lines, "error");
    json_write_text(rank->lines, text);
    if (note->block != SOURCE_NO_BLOCK) {
        json_write_key(rank->lines, "block");
        json_write_i64(rank->lines, note->block);
    }
    json_write_object_end(rank->lines);
    json_write_line(rank->lines);
}

static void write_notes(struct rank_parse *rank,
                        const struct source_launch *launch,
                        const struct source_notes *notes)
{
    struct source_note more = {.level = SOURCE_ERROR, .block = SOURCE_NO_BLOCK};

    for (size_t i = 0; i < notes->count; i++)
        write_note(rank, launch, &notes->notes[i]);
    if (!notes->left_out)
        return;
    snprintf(more.text, sizeof(more.text), "%zu further notes are not listed",
             notes->left_out);
    write_note(rank, launch, &more);
}

static void write_figure(const char *metric, double value, const char *unit, void *arg)
{
    struct launch_parse *work = arg;
    struct json_write *lines = work->rank->lines;

    json_write_object(lines);
    json_write_key(lines, "launch");
    json_write_u64(lines, work->number);
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

/* NULL: unknown, and not written. */
static void write_text(struct json_write *lines, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    json_write_key(lines, key);
    json_write_text(lines, text);
}

/* Writes the remarks for users, each text once, as far as there is room. */
static void write_remarks(struct launch_parse *work)
{
    const struct source_notes *const all[] = {&work->launch->notes,
                                              &work->findings.notes};
    struct text lines = {0};

    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t k = 0; k < all[i]->count; k++) {
            const struct source_note *note = &all[i]->notes[k];

            if (note->level == SOURCE_REMARK &&
                lines.length + strlen(note->text) < RESULT_NOTES_BYTES)
                advice_add_line(&lines, "", note->text);
        }
    write_text(work->rank->lines, "notes", text_get(&lines));
    text_clear(&lines);
}

/* The figures of a launch follow. */
static void write_launch(struct launch_parse *work)
{
    struct json_write *lines = work->rank->lines;
    char hash[17] = "";

    if (work->launch->binary_hash)
        snprintf(hash, sizeof(hash), "%016" PRIx64, work->launch->binary_hash);
    json_write_object(lines);
    json_write_key(lines, "launch");
    json_write_u64(lines, work->number);
    json_write_key(lines, "kernel");
    json_write_text(lines, work->launch->info.name);
    json_write_key(lines, "device");
    json_write_u64(lines, work->launch->info.device);
    json_write_key(lines, "code_hash");
    json_write_text(lines, hash);
    write_text(lines, "group_found", work->launch->group_found);
    write_text(lines, "restored", work->launch->restored);
    write_text(lines, "advice", text_get(&work->advice));
    write_remarks(work);
    if (work->launch->info.ticks_khz) {
        json_write_key(lines, "tick_ns");
        json_write_double(lines, 1e6 / work->launch->info.ticks_khz);
    }
    json_write_object_end(lines);
    json_write_line(lines);
}

static void write_replay(const struct replay_time *time, void *arg)
{
    struct launch_parse *work = arg;
    struct json_write *lines = work->rank->lines;

    json_write_object(lines);
    json_write_key(lines, "launch");
    json_write_u64(lines, work->number);
    json_write_key(lines, "kernel");
    json_write_text(lines, work->launch->info.name);
    json_write_key(lines, "device");
    json_write_u64(lines, work->launch->info.device);
    json_write_key(lines, "replay");
    json_write_u64(lines, time->number);
    json_write_key(lines, "pass");
    json_write_u64(lines, time->pass);
    if (time->has_duration) {
        json_write_key(lines, "started_ns");
        json_write_i64(lines, time->started_ns);
        json_write_key(lines, "duration_ns");
        json_write_u64(lines, time->duration_ns);
    }
    if (time->has_barrier) {
        json_write_key(lines, "arrived_ns");
        json_write_i64(lines, time->arrived_ns);
        json_write_key(lines, "released_ns");
        json_write_i64(lines, time->released_ns);
    }
    if (time->has_uncertainty) {
        json_write_key(lines, "uncertainty_ns");
        json_write_u64(lines, time->uncertainty_ns);
    }
    json_write_object_end(lines);
    json_write_line(lines);
}

static void write_environment(const struct rank_parse *rank)
{
    const struct source_environment *is = &rank->source->environment;
    const char *const texts[][2] = {{"chip", is->chip},
                                    {"cann", is->cann},
                                    {"driver", is->driver},
                                    {"firmware", is->firmware},
                                    {"host_kernel", is->host_kernel}};
    char measurement[32];

    if (!is->is_known)
        return;
    snprintf(measurement, sizeof(measurement), "%" PRIu32 ".%d", is->replay_version,
             FORMULA_VERSION);
    json_write_object(rank->lines);
    json_write_key(rank->lines, "measurement");
    json_write_text(rank->lines, measurement);
    for (size_t i = 0; i < COUNT(texts); i++) {
        json_write_key(rank->lines, texts[i][0]);
        json_write_text(rank->lines, texts[i][1]);
    }
    json_write_key(rank->lines, "hbm_maker");
    json_write_u64(rank->lines, is->hbm_maker);
    json_write_object_end(rank->lines);
    json_write_line(rank->lines);
}

static void write_output_line(struct rank_parse *rank, const char *path)
{
    json_write_object(rank->lines);
    json_write_key(rank->lines, "output");
    json_write_text(rank->lines, path);
    json_write_object_end(rank->lines);
    json_write_line(rank->lines);
}

/* Writes one file under a temporary name; file_new_commit_all() makes it visible. */
static int write_output(struct launch_parse *work,
                        const char *subfolder,
                        const struct parser *parser,
                        struct file_new **file,
                        struct err *err)
{
    struct rank_parse *rank = work->rank;
    struct text path = {0};
    int result;

    text_printf(&path, "%s/%s/%s", rank->folder, subfolder, parser->makes);
    text_reset(&rank->bytes);
    parser_run(parser, &work->findings, &rank->bytes);
    if (parser->has_advice)
        advice_read(&work->advice, rank->bytes.bytes, rank->bytes.length);
    result = file_new_create(file, text_get(&path), err);
    if (result == 0 && fd_write_all(file_new_fd(*file), text_get(&rank->bytes),
                                    rank->bytes.length) < 0) {
        result = err_errno(err, "writing %s", text_get(&path));
        file_new_abandon(file);
    }
    if (result == 0)
        write_output_line(rank, text_get(&path) + strlen(rank->folder) + 1);
    text_clear(&path);
    return result;
}

static bool is_skipped(const struct rank_parse *rank, size_t index, unsigned step)
{
    return rank->skip[index] >> step & 1;
}

/* Records that the child starts a step. A test can break the step with
 * MUSTER_TEST_PARSER_BREAK=STEP:abort or STEP:hang. */
static void
enter_step(struct child_pool_position *position, unsigned step, const char *name)
{
    child_pool_set_step(position, step);
#ifdef MUSTER_TEST_SWITCHES
    const char *broken = getenv("MUSTER_TEST_PARSER_BREAK");
    size_t length = strlen(name);

    if (!broken || strncmp(broken, name, length) != 0 || broken[length] != ':')
        return;
    if (strcmp(broken + length, ":hang") == 0)
        pause();
    abort();
#else
    (void)name;
#endif
}

static int write_outputs(struct launch_parse *work,
                         size_t index,
                         struct child_pool_position *position,
                         struct err *err)
{
    struct text subfolder = {0}, folder = {0};
    struct file_new *files[OUTPUTS_MAX];
    unsigned step = STEP_PARSERS;
    size_t count = 0;
    int result, folder_fd = -1;

    launch_folder_path(work->rank->source, work->launch, work->rank->numbers[index],
                       &subfolder);
    text_printf(&folder, "%s/%s", work->rank->folder, text_get(&subfolder));
    result = folder_create(text_get(&folder), err);
    if (result == 0)
        result = folder_hold(&folder_fd, text_get(&folder), err);
    if (!work->rank->skip[index]) { /* no step has failed: remove an old file */
        text_add(&folder, "/" QUARANTINE_FILE);
        unlink(text_get(&folder));
    }
    for (const struct parser *it = parsers; result == 0 && it->name; it++, step++)
        if (!is_skipped(work->rank, index, step) &&
            parser_applies(it, &work->findings)) {
            assert(count < OUTPUTS_MAX);
            enter_step(position, step, it->name);
            result = write_output(work, text_get(&subfolder), it, &files[count], err);
            count += result == 0;
        }
    if (result == 0)
        result = file_new_commit_all(files, count, err);
    for (size_t i = 0; result < 0 && i < count; i++)
        file_new_abandon(&files[i]);
    if (folder_fd >= 0)
        close(folder_fd);
    text_clear(&subfolder);
    text_clear(&folder);
    return result;
}

static void add_timeline(struct findings *findings)
{
    struct timeline_cut cut;

    if (!timeline_has_data(findings))
        return;
    timeline_write(findings, TIMELINE_BYTES_MAX, &findings->trace, &cut);
    if (cut.left_out)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "timeline too large: %" PRIu64
                    " slices shorter than %.1f us were left out",
                    cut.left_out, (double)cut.shortest_ns / 1000);
}

/* Reads the launches of a range. Their notes are written when they are parsed
 * themselves. */
static void read_inner_launches(struct launch_parse *work,
                                struct range_figures *figures)
{
    struct rank_parse *rank = work->rank;

    for (size_t i = 0; i < work->launch->inner_count; i++) {
        struct source_launch *inner = work->launch->inner[i];
        struct findings findings;

        source_load(rank->source, inner);
        findings_read(&findings, inner);
        range_figures_add(figures, &findings, rank->numbers[index_of(rank, inner)]);
        findings_clear(&findings);
        source_drop(rank->source, inner);
    }
    work->findings.range = figures;
}

/* Without counters and times only fixed figures remain, such as the clock rate. */
static bool has_captured(const struct findings *findings)
{
    return findings->launch->is_range || findings->measure.has_duration ||
           pmu_row_count(findings->measure.pmu) > 0;
}

static bool has_kernels(const struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        if (!source->launches[i]->is_collective)
            return true;
    return false;
}

static int parse_loaded_launch(struct launch_parse *work,
                               size_t index,
                               struct child_pool_position *position,
                               struct err *err)
{
    struct rank_parse *rank = work->rank;
    struct range_figures range = {0};
    int result;

    findings_read(&work->findings, work->launch);
    missing_metrics_note(&work->findings, rank->has_kernels);
    if (work->launch->is_range)
        read_inner_launches(work, &range);
    if (!is_skipped(rank, index, STEP_TIMELINE)) {
        enter_step(position, STEP_TIMELINE, step_names[STEP_TIMELINE]);
        add_timeline(&work->findings);
    }
    write_notes(rank, work->launch, &work->findings.notes);
    result = write_outputs(work, index, position, err);
    if (result == 0 && work->launch->complete && has_captured(&work->findings) &&
        !is_skipped(rank, index, STEP_FIGURES)) {
        enter_step(position, STEP_FIGURES, step_names[STEP_FIGURES]);
        write_launch(work);
        replay_times_each(work->launch, write_replay, work);
        key_figures_each(&work->findings, write_figure, work);
        if (work->launch->is_range)
            range_figures_each(&range, &work->findings, write_figure, work);
    }
    range_figures_clear(&range);
    findings_clear(&work->findings);
    text_clear(&work->advice);
    return result;
}

static int parse_launch(struct rank_parse *rank,
                        size_t index,
                        struct child_pool_position *position,
                        struct err *err)
{
    struct source_launch *launch = rank->source->launches[index];
    struct launch_parse work = {
        .rank = rank, .launch = launch, .number = rank->numbers[index]};
    bool reader_failed = is_skipped(rank, index, STEP_READ);
    int result = 0;

    if (!reader_failed) {
        enter_step(position, STEP_READ, step_names[STEP_READ]);
        source_load(rank->source, launch);
    }
    bool is_skipped_whole = rank->complete_only && !launch->complete && !reader_failed;

    if (is_skipped_whole)
        log_info("launch %" PRIu64 " of %s is incomplete and not parsed",
                 launch->launch, launch->kernel);
    else
        write_notes(rank, launch, &launch->notes);
    if (launch->has_chip && !reader_failed && !is_skipped_whole)
        result = parse_loaded_launch(&work, index, position, err);
    source_drop(rank->source, launch);
    return result;
}

/* Starts lines in `out`, after room for their header. Returns the header's position. */
static size_t
begin_lines(struct rank_parse *rank, struct json_write *lines, struct text *out)
{
    size_t at = out->length;
    struct line_header header = {0};

    text_add_bytes(out, &header, sizeof(header));
    json_write_to_text(lines, out);
    rank->lines = lines;
    rank->bad = 0;
    return at;
}

static void
end_lines(struct rank_parse *rank, struct text *out, size_t at, bool complete)
{
    struct line_header header = {rank->bad, out->length - at - sizeof(header),
                                 complete};

    /* writing to memory cannot fail */
    json_write_finish(rank->lines, &(struct err){0});
    memcpy(out->bytes + at, &header, sizeof(header));
}

static int run_item(size_t index,
                    struct child_pool_position *position,
                    struct text *output,
                    void *arg,
                    struct err *err)
{
    struct rank_parse *rank = arg;
    struct json_write lines;
    size_t at = begin_lines(rank, &lines, output);
    int result = parse_launch(rank, index, position, err);

    end_lines(rank, output, at, rank->source->launches[index]->complete);
    return result;
}

/* Runs in the parent: copies the lines of an item to the report. */
static void copy_lines(size_t index, const char *bytes, size_t size, void *arg)
{
    struct rank_parse *rank = arg;

    while (size >= sizeof(struct line_header)) {
        struct line_header header;

        memcpy(&header, bytes, sizeof(header));
        bytes += sizeof(header);
        size -= sizeof(header);
        rank->bad += header.bad;
        rank->source->launches[index]->complete = header.complete && header.bad == 0;
        if (header.size) {
            json_write_raw(rank->lines, bytes, header.size - 1);
            json_write_line(rank->lines);
        }
        bytes += header.size;
        size -= header.size;
    }
}

static const char *step_name(unsigned step)
{
    return step < STEP_PARSERS ? step_names[step] : parsers[step - STEP_PARSERS].name;
}

static void write_loss(struct rank_parse *rank,
                       const struct source_launch *launch,
                       const char *parser,
                       const char *why,
                       const char *path)
{
    struct source_note note = {.level = SOURCE_ERROR, .block = SOURCE_NO_BLOCK};
    char input[sizeof(note.text) / 2];

    if (launch->folder) {
        snprintf(input, sizeof(input), "%s", launch->folder);
    } else {
        snprintf(input, sizeof(input), "blocks %" PRIu64 " to %" PRIu64,
                 launch->first_block, launch->last_block);
        note.block = (int64_t)launch->first_block;
    }
    snprintf(note.text, sizeof(note.text),
             "parser '%s' failed (%s) while reading %s; see %.40s", parser, why, input,
             path);
    write_note(rank, launch, &note);
}

/* Runs in the parent when a child died at this step. The step is skipped from now on.
 * If it was the reader, the launch gets no files. */
static bool
skip_step(size_t index, uint32_t step, const char *why, struct text *output, void *arg)
{
    struct rank_parse *rank = arg, report = *rank;
    const struct source_launch *launch = rank->source->launches[index];
    bool repeat = !is_skipped(rank, index, step);
    struct text folder = {0};
    struct json_write lines;
    size_t at = begin_lines(&report, &lines, output);

    text_printf(&folder, "%s/", rank->folder);
    launch_folder_path(rank->source, launch, rank->numbers[index], &folder);
    quarantine_write(text_get(&folder), launch, step_name(step), why);
    text_clear(&folder);
    write_loss(&report, launch, step_name(step), why, QUARANTINE_FILE);
    end_lines(&report, output, at, false);
    rank->skip[index] |= (uint64_t)1 << step;
    return repeat;
}

int parse_rank(struct source *source, struct parse_rank_work *work, struct err *err)
{
    struct rank_parse rank = {
        .source = source,
        .folder = work->folder,
        .lines = work->lines,
        .complete_only = work->complete_only,
        .has_kernels = has_kernels(source),
        .skip = xcalloc(source->count + 1, sizeof(*rank.skip)),
        .numbers = launch_folder_numbers(source),
    };
    const struct child_pool_work pool_work = {
        .count = source->count,
        .parallel = work->parallel ? work->parallel : child_pool_processors(),
        .limit_ms = work->limit_ms ? work->limit_ms : LIMIT_MS,
        .stops_when_killed = work->stops_when_killed,
        .arg = &rank,
        .run = run_item,
        .on_output = copy_lines,
        .on_lost = skip_step,
    };
    int result;

    write_environment(&rank);
    write_notes(&rank, NULL, &source->notes);
    result = child_pool_run(&pool_work, err);
    free(rank.skip);
    free(rank.numbers);
    text_clear(&rank.bytes);
    work->bad = rank.bad;
    return result;
}
