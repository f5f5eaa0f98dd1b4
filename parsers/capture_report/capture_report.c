#include "parsers/capture_report/capture_report.h"

#include <stdlib.h>

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "parsers/anomaly/analysis.h"
#include "parsers/anomaly_report/report_json.h"
#include "parsers/anomaly_report/report_markdown.h"
#include "parsers/anomaly_report/report_page.h"
#include "parsers/anomaly_report/report_text.h"
#include "parsers/cluster/cluster_report.h"

struct writing {
    const struct capture_report_options *options;
    struct text *out;
    struct json_write json; /* of CAPTURE_JSON */
    struct text page;       /* of all ranks */
};

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

static int write_rank_files(const struct writing *writing,
                            int64_t rank,
                            const struct analysis *analysis,
                            const char *reason,
                            struct err *err)
{
    char *folder = xasprintf("%s/rank_%lld", writing->options->to, (long long)rank);
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
    text_reset(&text);
    if (result == 0 && analysis) {
        report_markdown_write(&text, analysis);
        result = write_file(folder, "anomaly_report.md", &text, err);
    }
    text_clear(&text);
    free(folder);
    return result;
}

static void add_rank(struct writing *writing,
                     int64_t rank,
                     const struct analysis *analysis,
                     const char *reason)
{
    switch (writing->options->format) {
    case CAPTURE_TEXT:
        if (analysis)
            report_text_write(writing->out, analysis);
        break;
    case CAPTURE_JSON:
        write_json(&writing->json, rank, analysis, reason);
        break;
    case CAPTURE_MARKDOWN:
        if (analysis)
            report_markdown_write(writing->out, analysis);
        break;
    case CAPTURE_HTML:
        break;
    }
    if (analysis)
        report_page_write_rank(&writing->page, analysis);
    else
        html_element(&writing->page, "p", "note", "Rank %lld is not analysed: %s",
                     (long long)rank, reason);
}

static int
write_rank(struct writing *writing, const struct rank_folder *folder, struct err *err)
{
    struct analysis *analysis = NULL;
    struct rank_input input;
    struct err reason = {.text = ""};
    bool is_read = rank_input_read(&input, folder, &reason) == 0;
    int result = 0;

    if (is_read)
        analysis = analysis_create(&input);
    else
        writing->options->failed(writing->options->arg, folder->rank, reason.text);
    if (analysis && writing->options->analysed)
        writing->options->analysed(writing->options->arg, analysis);
    add_rank(writing, folder->rank, analysis, reason.text);
    if (writing->options->to)
        result = write_rank_files(writing, folder->rank, analysis, reason.text, err);
    analysis_destroy(analysis);
    if (is_read)
        rank_input_clear(&input);
    return result;
}

static int
write_cluster_file(const char *to, const struct cluster *cluster, struct err *err)
{
    struct text text = {0};
    struct json_write json;
    int result;

    json_write_to_text(&json, &text);
    json_write_pretty(&json);
    cluster_report_json(&json, cluster);
    result = json_write_finish(&json, err);
    text_add(&text, "\n");
    if (result == 0)
        result = write_file(to, "cluster.json", &text, err);
    text_clear(&text);
    return result;
}

/* Compares the ranks. The result is the first part of the page and of the text. */
static int write_cluster(struct writing *writing,
                         const struct rank_folders *folders,
                         struct err *err)
{
    struct cluster *cluster = cluster_create(folders);
    int result = 0;

    if (writing->options->format == CAPTURE_TEXT)
        cluster_report_text(writing->out, cluster);
    if (writing->options->format == CAPTURE_JSON) {
        json_write_key(&writing->json, "cluster");
        cluster_report_json(&writing->json, cluster);
    }
    cluster_report_page(&writing->page, cluster);
    if (writing->options->to)
        result = write_cluster_file(writing->options->to, cluster, err);
    cluster_destroy(cluster);
    return result;
}

static void begin(struct writing *writing, const struct rank_folders *folders)
{
    html_page_begin(&writing->page, "Analysis of a capture");
    html_element(&writing->page, "h1", "", "Analysis of %zu rank%s", folders->count,
                 folders->count == 1 ? "" : "s");
    text_add(&writing->page, "<p class=\"contents\"></p>\n");
    if (writing->options->format == CAPTURE_JSON) {
        json_write_to_text(&writing->json, writing->out);
        json_write_object(&writing->json);
    }
}

static void begin_ranks(struct writing *writing)
{
    if (writing->options->format == CAPTURE_JSON) {
        json_write_key(&writing->json, "ranks");
        json_write_array(&writing->json);
    }
}

static int finish(struct writing *writing, struct err *err)
{
    const struct capture_report_options *options = writing->options;

    html_page_end(&writing->page);
    if (options->format == CAPTURE_JSON) {
        json_write_array_end(&writing->json);
        json_write_object_end(&writing->json);
        if (json_write_finish(&writing->json, err) < 0)
            return -1;
        text_add(writing->out, "\n");
    }
    if (options->format == CAPTURE_HTML)
        text_add_bytes(writing->out, text_get(&writing->page), writing->page.length);
    return options->to ? write_file(options->to, "analysis.html", &writing->page, err)
                       : 0;
}

int capture_report_write(struct text *out,
                         const struct rank_folders *folders,
                         const struct capture_report_options *options,
                         struct err *err)
{
    struct writing writing = {.options = options, .out = out};
    int result = options->to ? folder_create(options->to, err) : 0;

    if (result < 0)
        return -1;
    begin(&writing, folders);
    if (folders->count > 1)
        result = write_cluster(&writing, folders, err);
    begin_ranks(&writing);
    for (size_t i = 0; i < folders->count && result == 0; i++)
        result = write_rank(&writing, &folders->rows[i], err);
    if (result == 0)
        result = finish(&writing, err);
    else if (options->format == CAPTURE_JSON)
        json_write_clear(&writing.json);
    text_clear(&writing.page);
    return result;
}
