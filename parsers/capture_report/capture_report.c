#include "parsers/capture_report/capture_report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/html/page.h"
#include "parsers/capture_report/rank_report.h"
#include "parsers/child_pool/child_pool.h"
#include "parsers/cluster/cluster_report.h"
#include "parsers/cluster/time_summary.h"
#include "parsers/cluster_files/cluster_files.h"

enum { TICK_MS = 1000 };

struct writing {
    const struct capture_report_options *options;
    const struct rank_folders *folders;
    struct text *out;
    struct json_write json; /* of CAPTURE_JSON */
    struct text page;
    struct text ranks, ranks_page; /* the parts of the ranks in both */
    struct rank_times *times;      /* of the steps of all ranks */
    size_t time_count;
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

static void take_times(struct writing *writing, const struct rank_report *rank)
{
    if (rank->time_count == 0)
        return;
    writing->times =
        xreallocarray(writing->times, writing->time_count + rank->time_count,
                      sizeof(*writing->times));
    memcpy(writing->times + writing->time_count, rank->times,
           rank->time_count * sizeof(*rank->times));
    writing->time_count += rank->time_count;
}

/* Takes over what a rank adds to the report. */
static void take_rank(struct writing *writing, size_t index, struct rank_report *rank)
{
    const struct capture_report_options *options = writing->options;

    if (rank->is_failed)
        options->failed(options->arg, writing->folders->rows[index].rank,
                        text_get(&rank->reason));
    if (options->format == CAPTURE_JSON && writing->ranks.length > 0)
        text_add(&writing->ranks, ",");
    text_add_bytes(&writing->ranks, text_get(&rank->out), rank->out.length);
    text_add_bytes(&writing->ranks_page, text_get(&rank->page), rank->page.length);
    take_times(writing, rank);
    if (options->progress)
        options->progress(options->arg, index + 1, writing->folders->count);
}

static int write_here(struct writing *writing, struct err *err)
{
    int result = 0;

    for (size_t i = 0; i < writing->folders->count && result == 0; i++) {
        struct rank_report rank = {0};

        result = rank_report_create(&rank, &writing->folders->rows[i], writing->options,
                                    NULL, NULL, err);
        if (result == 0)
            take_rank(writing, i, &rank);
        rank_report_clear(&rank);
    }
    return result;
}

static void limit_memory(uint64_t bytes)
{
#if !defined(__SANITIZE_ADDRESS__) /* its shadow memory exceeds any limit */
    struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};

    if (bytes > 0)
        setrlimit(RLIMIT_AS, &limit);
#else
    (void)bytes;
#endif
}

static void note_phase(void *arg, enum rank_phase phase)
{
    child_pool_set_step(arg, phase);
}

static void on_tick(size_t index, uint32_t step, uint64_t spent_ms, void *arg)
{
    const struct writing *writing = arg;

    writing->options->working(writing->options->arg, writing->folders->rows[index].rank,
                              rank_phase_name((enum rank_phase)step), spent_ms);
}

/* Runs in a child. */
static int run_rank(size_t index,
                    struct child_pool_position *position,
                    struct text *output,
                    void *arg,
                    struct err *err)
{
    const struct writing *writing = arg;
    struct rank_report rank = {0};
    int result;

    limit_memory(writing->options->memory_bytes);
    result = rank_report_create(&rank, &writing->folders->rows[index], writing->options,
                                note_phase, position, err);
    if (result == 0)
        rank_report_pack(output, &rank);
    rank_report_clear(&rank);
    return result;
}

static void on_output(size_t index, const char *bytes, size_t size, void *arg)
{
    struct rank_report rank = {0};

    rank_report_unpack(&rank, bytes, size);
    take_rank(arg, index, &rank);
    rank_report_clear(&rank);
}

static bool
on_lost(size_t index, uint32_t step, const char *why, struct text *output, void *arg)
{
    const struct writing *writing = arg;
    const struct capture_report_options *options = writing->options;
    struct rank_report rank = {0};

    (void)step;
    text_printf(&rank.reason, "rank %lld: its process ended early (%s)",
                (long long)writing->folders->rows[index].rank, why);
    if (options->limit_ms > 0 || options->memory_bytes > 0)
        text_printf(&rank.reason,
                    "; it may take %llu s and %llu MiB of memory, which the options "
                    "--timeout and --memory change",
                    (unsigned long long)options->limit_ms / 1000,
                    (unsigned long long)options->memory_bytes >> 20);
    rank_report_fail(&rank, writing->folders->rows[index].rank, options->format);
    rank_report_pack(output, &rank);
    rank_report_clear(&rank);
    return false;
}

static int write_ranks(struct writing *writing, struct err *err)
{
    if (writing->options->parallel == 0)
        return write_here(writing, err);
    return child_pool_run(
        &(struct child_pool_work){.count = writing->folders->count,
                                  .parallel = writing->options->parallel,
                                  .limit_ms = writing->options->limit_ms,
                                  .memory_bytes = writing->options->memory_bytes,
                                  .arg = writing,
                                  .run = run_rank,
                                  .on_output = on_output,
                                  .on_lost = on_lost,
                                  .on_tick = writing->options->working ? on_tick : NULL,
                                  .tick_ms = TICK_MS},
        err);
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

    time_summary_set(cluster, writing->times, writing->time_count);
    if (writing->options->format == CAPTURE_TEXT)
        cluster_report_text(writing->out, cluster);
    if (writing->options->format == CAPTURE_JSON) {
        json_write_key(&writing->json, "cluster");
        cluster_report_json(&writing->json, cluster);
    }
    cluster_report_page(&writing->page, cluster);
    if (writing->options->to)
        result = write_cluster_file(writing->options->to, cluster, err);
    if (writing->options->to && result == 0)
        result = cluster_files_write(writing->options->to, cluster, err);
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

/* Adds the parts of the ranks behind that of all ranks together. */
static void add_ranks(struct writing *writing)
{
    if (writing->options->format == CAPTURE_JSON) {
        json_write_key(&writing->json, "ranks");
        json_write_array(&writing->json);
        if (writing->ranks.length > 0)
            json_write_raw(&writing->json, text_get(&writing->ranks),
                           writing->ranks.length);
        json_write_array_end(&writing->json);
    } else {
        text_add_bytes(writing->out, text_get(&writing->ranks), writing->ranks.length);
    }
    text_add_bytes(&writing->page, text_get(&writing->ranks_page),
                   writing->ranks_page.length);
}

static int finish(struct writing *writing, struct err *err)
{
    const struct capture_report_options *options = writing->options;

    html_page_end(&writing->page);
    if (options->format == CAPTURE_JSON) {
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
    struct writing writing = {.options = options, .folders = folders, .out = out};
    int result = options->to ? folder_create(options->to, err) : 0;

    if (result < 0)
        return -1;
    begin(&writing, folders);
    result = write_ranks(&writing, err);
    if (result == 0 && folders->count > 1)
        result = write_cluster(&writing, folders, err);
    if (result == 0) {
        add_ranks(&writing);
        result = finish(&writing, err);
    } else if (options->format == CAPTURE_JSON) {
        json_write_clear(&writing.json);
    }
    free(writing.times);
    text_clear(&writing.ranks);
    text_clear(&writing.ranks_page);
    text_clear(&writing.page);
    return result;
}
