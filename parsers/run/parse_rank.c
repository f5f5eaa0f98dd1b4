/* parse_rank.c - launches of a source through all parsers, in a crew of children
 *
 * The parent keeps the source and knows which step of which launch brought a child
 * down; the next child leaves that step out. */
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
#include "parsers/findings/findings.h"
#include "parsers/findings/key_figures.h"
#include "parsers/run/child_pool.h"
#include "parsers/run/parser.h"
#include "parsers/timeline/timeline.h"

#define QUARANTINE "quarantine.json"
enum { LIMIT_MS = 120000, OUTPUTS_MAX = 32 };

/* What a child does with a launch, in this order; then the parsers, one by one. */
enum step { STEP_READ, STEP_TIMELINE, STEP_FIGURES, STEP_PARSERS };

static const char *const step_names[] = {"reader", "timeline", "figures"};

struct run {
    struct source *source;
    const char *folder;
    struct json_write *lines;
    size_t bad;
    struct text bytes; /* of the file in work; its memory is used again */
    uint64_t *skip;    /* a bit a step, of each launch */
    uint32_t *numbers; /* of the launches; no two have one folder */
};

/* In front of lines about a launch, on their way to the parent. */
struct word {
    size_t bad, size;
    bool complete;
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

static bool share_folder(const struct source_launch *a, const struct source_launch *b)
{
    return a->info.device == b->info.device && strcmp(a->kernel, b->kernel) == 0;
}

static bool is_of_one_process(const struct source *source)
{
    for (size_t i = 1; i < source->count; i++)
        if (source->launches[i]->shard != source->launches[0]->shard)
            return false;
    return true;
}

/* The place of each among the launches of its kernel on its device. Two processes may
 * both have a first one: the later one of them stands behind all that came before. */
static uint32_t *number_launches(const struct source *source)
{
    uint32_t *numbers = xcalloc(source->count + 1, sizeof(*numbers));
    bool alone = is_of_one_process(source);

    for (size_t i = 0; i < source->count; i++) {
        uint32_t behind = 0;
        bool taken = false;

        numbers[i] = source->launches[i]->order;
        for (size_t before = 0; !alone && before < i; before++) {
            if (!share_folder(source->launches[before], source->launches[i]))
                continue;
            taken |= numbers[before] == numbers[i];
            behind = numbers[before] >= behind ? numbers[before] + 1 : behind;
        }
        if (taken)
            numbers[i] = behind;
    }
    return numbers;
}

static void launch_path(const struct run *run, size_t index, struct text *out)
{
    const struct source_launch *launch = run->source->launches[index];
    char host[80], kernel[201];

    text_to_path_part(host, sizeof(host), run->source->host);
    text_to_path_part(kernel, sizeof(kernel), launch->kernel);
    text_printf(out, "%s/device%" PRIu32 "/%s/%" PRIu32, host, launch->info.device,
                kernel, run->numbers[index]);
}

static void tell_output(struct run *run, const char *path)
{
    json_write_object(run->lines);
    json_write_key(run->lines, "output");
    json_write_text(run->lines, path);
    json_write_object_end(run->lines);
    json_write_line(run->lines);
}

/* The bytes of one file, in a draft that is not there yet. */
static int write_output(struct work *work,
                        const char *below,
                        const struct parser *parser,
                        struct file_new **file,
                        struct err *err)
{
    struct run *run = work->run;
    struct text path = {0};
    int result;

    text_printf(&path, "%s/%s/%s", run->folder, below, parser->makes);
    text_reset(&run->bytes);
    parser->run(parser, &work->findings, &run->bytes);
    result = file_new_create(file, text_get(&path), err);
    if (result == 0 && fd_write_all(file_new_fd(*file), text_get(&run->bytes),
                                    run->bytes.length) < 0) {
        result = err_errno(err, "writing %s", text_get(&path));
        file_new_abandon(file);
    }
    if (result == 0)
        tell_output(run, text_get(&path) + strlen(run->folder) + 1);
    text_clear(&path);
    return result;
}

static bool is_skipped(const struct run *run, size_t index, unsigned step)
{
    return run->skip[index] >> step & 1;
}

/* The child comes to a step. A test may break it there: MUSTER_TEST_PARSER_BREAK is the
 * name of the step, and behind a colon `hang` or `abort`. */
static void enter(struct child_pool_place *place, unsigned step, const char *name)
{
    child_pool_at(place, step);
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

static int write_outputs(struct work *work,
                         size_t index,
                         struct child_pool_place *place,
                         struct err *err)
{
    struct text below = {0}, folder = {0};
    struct file_new *files[OUTPUTS_MAX];
    unsigned step = STEP_PARSERS;
    size_t count = 0;
    int result, held = -1;

    launch_path(work->run, index, &below);
    text_printf(&folder, "%s/%s", work->run->folder, text_get(&below));
    result = folder_create(text_get(&folder), err);
    if (result == 0)
        result = folder_hold(&held, text_get(&folder), err);
    if (!work->run->skip[index]) { /* nothing has been lost this time */
        text_add(&folder, "/" QUARANTINE);
        unlink(text_get(&folder));
    }
    for (const struct parser *const *it = parsers; result == 0 && *it; it++, step++)
        if (!is_skipped(work->run, index, step) &&
            parser_applies(*it, &work->findings)) {
            assert(count < OUTPUTS_MAX);
            enter(place, step, (*it)->name);
            result = write_output(work, text_get(&below), *it, &files[count], err);
            count += result == 0;
        }
    if (result == 0)
        result = file_new_commit_all(files, count, err);
    for (size_t i = 0; result < 0 && i < count; i++)
        file_new_abandon(&files[i]);
    if (held >= 0)
        close(held);
    text_clear(&below);
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
        source_note(&findings->notes, true, SOURCE_NO_BLOCK,
                    "the timeline is too long: %" PRIu64
                    " slices below %.1f us are left out",
                    cut.left_out, (double)cut.shortest_ns / 1000);
}

static int parse_loaded(struct work *work,
                        size_t index,
                        struct child_pool_place *place,
                        struct err *err)
{
    struct run *run = work->run;
    int result;

    findings_read(&work->findings, work->launch);
    if (!is_skipped(run, index, STEP_TIMELINE)) {
        enter(place, STEP_TIMELINE, step_names[STEP_TIMELINE]);
        add_timeline(&work->findings);
    }
    tell_notes(run, work->launch, &work->findings.notes);
    result = write_outputs(work, index, place, err);
    if (result == 0 && work->launch->complete &&
        !is_skipped(run, index, STEP_FIGURES)) {
        enter(place, STEP_FIGURES, step_names[STEP_FIGURES]);
        key_figures_each(&work->findings, tell_figure, work);
    }
    findings_clear(&work->findings);
    return result;
}

static int parse_launch(struct run *run,
                        size_t index,
                        struct child_pool_place *place,
                        struct err *err)
{
    struct source_launch *launch = run->source->launches[index];
    struct work work = {.run = run, .launch = launch};
    bool is_lost = is_skipped(run, index, STEP_READ);
    int result = 0;

    if (!is_lost) {
        enter(place, STEP_READ, step_names[STEP_READ]);
        source_load(run->source, launch);
    }
    tell_notes(run, launch, &launch->notes);
    if (launch->has_chip && !is_lost)
        result = parse_loaded(&work, index, place, err);
    source_drop(run->source, launch);
    return result;
}

/* Lines begin: they go to a text, behind a word about them. */
static size_t begin_lines(struct run *run, struct json_write *lines, struct text *out)
{
    size_t at = out->length;
    struct word word = {0};

    text_add_bytes(out, &word, sizeof(word));
    json_write_to_text(lines, out);
    run->lines = lines;
    run->bad = 0;
    return at;
}

static void end_lines(struct run *run, struct text *out, size_t at, bool complete)
{
    struct word word = {run->bad, out->length - at - sizeof(word), complete};

    json_write_finish(run->lines, &(struct err){0}); /* a text takes all */
    memcpy(out->bytes + at, &word, sizeof(word));
}

static int run_piece(size_t index,
                     struct child_pool_place *place,
                     struct text *said,
                     void *arg,
                     struct err *err)
{
    struct run *run = arg;
    struct json_write lines;
    size_t at = begin_lines(run, &lines, said);
    int result = parse_launch(run, index, place, err);

    end_lines(run, said, at, run->source->launches[index]->complete);
    return result;
}

/* In the parent: the lines go on to whoever asked for them. */
static void hear_piece(size_t index, const char *bytes, size_t size, void *arg)
{
    struct run *run = arg;

    while (size >= sizeof(struct word)) {
        struct word word;

        memcpy(&word, bytes, sizeof(word));
        bytes += sizeof(word);
        size -= sizeof(word);
        run->bad += word.bad;
        run->source->launches[index]->complete = word.complete;
        if (word.size) {
            json_write_raw(run->lines, bytes, word.size - 1);
            json_write_line(run->lines);
        }
        bytes += word.size;
        size -= word.size;
    }
}

static const char *step_name(unsigned step)
{
    return step < STEP_PARSERS ? step_names[step] : parsers[step - STEP_PARSERS]->name;
}

/* What stands in the folder of a launch that brought a parser down: enough to find its
 * bytes again, and nothing of when. */
static void put_quarantine(const struct source_launch *launch,
                           const char *parser,
                           const char *why,
                           struct json_write *json)
{
    json_write_object(json);
    json_write_key(json, "parser");
    json_write_text(json, parser);
    json_write_key(json, "why");
    json_write_text(json, why);
    json_write_key(json, "kernel");
    json_write_text(json, launch->kernel);
    json_write_key(json, "launch");
    json_write_u64(json, launch->launch);
    json_write_key(json, "shard");
    json_write_u64(json, launch->shard);
    if (launch->folder) {
        json_write_key(json, "input");
        json_write_text(json, launch->folder);
    } else {
        json_write_key(json, "first_block");
        json_write_u64(json, launch->first_block);
        json_write_key(json, "last_block");
        json_write_u64(json, launch->last_block);
    }
    json_write_object_end(json);
    json_write_line(json);
}

static void
write_quarantine(struct run *run, size_t index, const char *parser, const char *why)
{
    struct text bytes = {0}, path = {0};
    struct json_write json;
    struct err err;

    json_write_to_text(&json, &bytes);
    put_quarantine(run->source->launches[index], parser, why, &json);
    json_write_finish(&json, &err);
    text_printf(&path, "%s/", run->folder);
    launch_path(run, index, &path);
    if (folder_create(text_get(&path), &err) == 0) {
        text_add(&path, "/" QUARANTINE);
        if (file_write(text_get(&path), text_get(&bytes), bytes.length, &err) < 0)
            log_line(LOG_WARNING, "quarantine: %s", err.text);
    }
    text_clear(&path);
    text_clear(&bytes);
}

static void tell_loss(struct run *run,
                      const struct source_launch *launch,
                      const char *parser,
                      const char *why,
                      const char *path)
{
    struct source_note note = {.is_error = true, .block = SOURCE_NO_BLOCK};
    char input[sizeof(note.text) / 2];

    if (launch->folder) {
        snprintf(input, sizeof(input), "%s", launch->folder);
    } else {
        snprintf(input, sizeof(input), "blocks %" PRIu64 " to %" PRIu64,
                 launch->first_block, launch->last_block);
        note.block = (int64_t)launch->first_block;
    }
    snprintf(note.text, sizeof(note.text),
             "parser '%s' ended: %s; reading %s; see %.40s", parser, why, input, path);
    tell_note(run, launch, &note);
}

/* In the parent: a child died at this step. The step is left out from now on; where it
 * was the first one, nothing can be made of the launch. */
static bool
lose_piece(size_t index, uint32_t step, const char *why, struct text *last, void *arg)
{
    struct run *run = arg, telling = *run;
    const struct source_launch *launch = run->source->launches[index];
    bool again = !is_skipped(run, index, step);
    struct json_write lines;
    size_t at = begin_lines(&telling, &lines, last);

    write_quarantine(run, index, step_name(step), why);
    tell_loss(&telling, launch, step_name(step), why, QUARANTINE);
    end_lines(&telling, last, at, false);
    run->skip[index] |= (uint64_t)1 << step;
    return again;
}

int parse_rank(struct source *source, struct parse_rank_work *work, struct err *err)
{
    struct run run = {
        .source = source,
        .folder = work->folder,
        .lines = work->lines,
        .skip = xcalloc(source->count + 1, sizeof(*run.skip)),
        .numbers = number_launches(source),
    };
    const struct child_pool_work crew = {
        .count = source->count,
        .parallel = work->parallel ? work->parallel : child_pool_processors(),
        .limit_ms = work->limit_ms ? work->limit_ms : LIMIT_MS,
        .arg = &run,
        .run = run_piece,
        .said = hear_piece,
        .lost = lose_piece,
    };
    int result;

    tell_notes(&run, NULL, &source->notes);
    result = child_pool_run(&crew, err);
    free(run.skip);
    free(run.numbers);
    text_clear(&run.bytes);
    work->bad = run.bad;
    return result;
}
