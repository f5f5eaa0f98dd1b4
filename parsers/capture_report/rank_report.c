#include "parsers/capture_report/rank_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "parsers/anomaly/analysis.h"
#include "parsers/anomaly_report/report_json.h"
#include "parsers/anomaly_report/report_markdown.h"
#include "parsers/anomaly_report/report_page.h"
#include "parsers/anomaly_report/report_text.h"
#include "parsers/architecture/arch_report.h"

/* Writes the JSON of a rank; analysis may be NULL, then with the reason. */
static void write_json(struct json_write *json,
                       int64_t rank,
                       const struct analysis *analysis,
                       const char *reason)
{
    if (analysis)
        report_json_write(json, analysis);
    else
        report_json_write_disabled(json, rank, reason);
}

static void add_json(struct text *out,
                     int64_t rank,
                     const struct analysis *analysis,
                     const char *reason)
{
    struct json_write json;
    struct err err;

    json_write_to_text(&json, out);
    write_json(&json, rank, analysis, reason);
    json_write_finish(&json, &err);
}

static int write_file(const char *folder,
                      const char *name,
                      const struct text *text,
                      struct err *err)
{
    char *path = xasprintf("%s/%s", folder, name);
    int result = file_write(path, text_get(text), text->length, err);

    free(path);
    return result;
}

static int
write_reports(const char *folder, const struct analysis *analysis, struct err *err)
{
    struct architecture *architecture = architecture_create(analysis);
    char *name = arch_report_file_name(analysis);
    struct text text = {0};
    int result;

    report_markdown_write(&text, analysis);
    result = write_file(folder, "anomaly_report.md", &text, err);
    text_reset(&text);
    arch_report_write(&text, architecture);
    if (result == 0)
        result = write_file(folder, name, &text, err);
    text_clear(&text);
    free(name);
    architecture_destroy(architecture);
    return result;
}

static int write_files(const char *to,
                       int64_t rank,
                       const struct analysis *analysis,
                       const char *reason,
                       struct err *err)
{
    char *folder = xasprintf("%s/rank_%lld", to, (long long)rank);
    struct text text = {0};
    struct json_write json;
    int result = folder_create(folder, err);

    if (result == 0) {
        json_write_to_text(&json, &text);
        json_write_pretty(&json);
        write_json(&json, rank, analysis, reason);
        result = json_write_finish(&json, err);
    }
    text_add(&text, "\n");
    if (result == 0)
        result = write_file(folder, "anomaly_discovery.json", &text, err);
    text_clear(&text);
    if (result == 0 && analysis)
        result = write_reports(folder, analysis, err);
    free(folder);
    return result;
}

static void add_rank(struct rank_report *report,
                     const struct analysis *analysis,
                     enum capture_format format)
{
    switch (format) {
    case CAPTURE_TEXT:
        report_text_write(&report->out, analysis);
        break;
    case CAPTURE_JSON:
        add_json(&report->out, analysis->input->rank, analysis, NULL);
        break;
    case CAPTURE_MARKDOWN:
        report_markdown_write(&report->out, analysis);
        break;
    case CAPTURE_HTML:
        break;
    }
    report_page_write_rank(&report->page, analysis);
}

static double us_of(int64_t ns)
{
    return (double)ns / 1000;
}

static void measure_steps(struct rank_report *report, const struct analysis *analysis)
{
    report->times = xcalloc(analysis->step_count + 1, sizeof(*report->times));
    report->time_count = analysis->step_count;
    for (size_t i = 0; i < analysis->step_count; i++) {
        const struct step *step = &analysis->steps[i];
        struct rank_times *row = &report->times[i];
        int64_t work = step->compute + step->comm - step->overlap;
        bool has_copies = step->copy >= 0;

        row->rank = analysis->input->rank;
        row->is_whole = analysis->windows.source == STEP_SOURCE_PSEUDO;
        snprintf(row->step, sizeof(row->step), "%s",
                 names_text(analysis->input->names, step->window.name));
        row->us[TIME_STEP] = us_of(step->bubbles.service);
        row->us[TIME_COMPUTING] = us_of(step->compute);
        row->us[TIME_COMM_ALONE] = us_of(step->comm - step->overlap);
        row->us[TIME_OVERLAPPED] = us_of(step->overlap);
        row->us[TIME_COMM] = us_of(step->comm);
        row->us[TIME_FREE] =
            us_of(step->bubbles.service - work - (has_copies ? step->copy_alone : 0));
        row->us[TIME_COPY] = has_copies ? us_of(step->copy) : NAN;
        row->us[TIME_COPY_ALONE] = has_copies ? us_of(step->copy_alone) : NAN;
    }
}

void rank_report_fail(struct rank_report *report,
                      int64_t rank,
                      enum capture_format format)
{
    report->is_failed = true;
    if (format == CAPTURE_JSON)
        add_json(&report->out, rank, NULL, text_get(&report->reason));
    html_element(&report->page, "p", "note", "Rank %lld is not analysed: %s",
                 (long long)rank, text_get(&report->reason));
}

const char *rank_phase_name(enum rank_phase phase)
{
    static const char *const names[] = {
        [RANK_READING] = "reading",
        [RANK_ANALYSING] = "analysing",
        [RANK_WRITING] = "writing",
    };

    return phase < RANK_PHASE_COUNT ? names[phase] : "";
}

static void ignore_phase(void *arg, enum rank_phase phase)
{
    (void)arg, (void)phase;
}

int rank_report_create(struct rank_report *report,
                       const struct rank_folder *folder,
                       const struct capture_report_options *options,
                       rank_phase_fn *phase_fn,
                       void *phase_arg,
                       struct err *err)
{
    struct analysis *analysis = NULL;
    struct rank_input input;
    struct err reason = {.text = ""};
    bool is_read;
    int result = 0;

    phase_fn = phase_fn ? phase_fn : ignore_phase;
    phase_fn(phase_arg, RANK_READING);
    is_read = rank_input_read(&input, folder, &reason) == 0;
    phase_fn(phase_arg, RANK_ANALYSING);
    if (is_read) {
        analysis = analysis_create(&input);
        if (options->analysed)
            options->analysed(options->arg, analysis);
        add_rank(report, analysis, options->format);
        measure_steps(report, analysis);
    } else {
        text_add(&report->reason, reason.text);
        rank_report_fail(report, folder->rank, options->format);
    }
    phase_fn(phase_arg, RANK_WRITING);
    if (options->to)
        result = write_files(options->to, folder->rank, analysis, reason.text, err);
    analysis_destroy(analysis);
    if (is_read)
        rank_input_clear(&input);
    return result;
}

void rank_report_clear(struct rank_report *report)
{
    text_clear(&report->out);
    text_clear(&report->page);
    text_clear(&report->reason);
    free(report->times);
}

static void pack(struct text *out, const struct text *text)
{
    uint64_t length = text->length;

    text_add_bytes(out, &length, sizeof(length));
    text_add_bytes(out, text_get(text), text->length);
}

static void unpack(struct text *text, const char **bytes, size_t *size)
{
    uint64_t length;

    if (*size < sizeof(length))
        return;
    memcpy(&length, *bytes, sizeof(length));
    *bytes += sizeof(length);
    *size -= sizeof(length);
    if (length > *size)
        length = *size;
    text_add_bytes(text, *bytes, length);
    *bytes += length;
    *size -= length;
}

void rank_report_pack(struct text *out, const struct rank_report *report)
{
    text_add_char(out, report->is_failed ? 'f' : 'g');
    pack(out, &report->out);
    pack(out, &report->page);
    pack(out, &report->reason);
    text_add_bytes(out, report->times, report->time_count * sizeof(*report->times));
}

void rank_report_unpack(struct rank_report *report, const char *bytes, size_t size)
{
    if (size == 0)
        return;
    report->is_failed = bytes[0] == 'f';
    bytes++;
    size--;
    unpack(&report->out, &bytes, &size);
    unpack(&report->page, &bytes, &size);
    unpack(&report->reason, &bytes, &size);
    report->time_count = size / sizeof(*report->times);
    report->times = xcalloc(report->time_count + 1, sizeof(*report->times));
    memcpy(report->times, bytes, report->time_count * sizeof(*report->times));
}
