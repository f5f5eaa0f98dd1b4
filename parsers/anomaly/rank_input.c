#include "parsers/anomaly/rank_input.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/busy_time/bubbles.h"
#include "parsers/framework/kernel_csv.h"
#include "parsers/framework_db/rank_db.h"
#include "parsers/framework_db/rank_files.h"

static int read_texts(struct kernel_list *kernels,
                      const struct rank_folder *folder,
                      struct err *err)
{
    if (kernel_csv_read(kernels, folder->files[RANK_KERNELS], err) < 0)
        return -1;
    for (size_t i = 0; i < folder->more_kernel_count; i++)
        if (kernel_csv_read(kernels, folder->more_kernels[i], err) < 0)
            return -1;
    return 0;
}

static int read_kernels(struct rank_input *input,
                        const struct rank_folder *folder,
                        struct err *err)
{
    if (folder->files[RANK_KERNELS])
        return read_texts(&input->kernels, folder, err);
    if (folder->files[RANK_DATABASE])
        return rank_db_read_kernels(&input->kernels, folder->files[RANK_DATABASE],
                                    folder->device, err);
    return err_set(err, ERR_NOT_FOUND,
                   "%s has no kernel_details.csv, no op_summary_*.csv and no database",
                   folder->output);
}

static int compare_devices(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

    return left < right ? -1 : left > right;
}

/* Returns the device with the most kernels and sets the number of different devices.
 * Collectives of a database have no device and belong to each. */
static int32_t main_device(const struct kernel_list *kernels, size_t *count)
{
    int32_t *devices = xcalloc(kernels->count + 1, sizeof(*devices)), best = -1;
    size_t longest = 0, used = 0;

    *count = 0;
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->rows[i].device >= 0)
            devices[used++] = kernels->rows[i].device;
    qsort(devices, used, sizeof(*devices), compare_devices);
    for (size_t i = 0, next; i < used; i = next) {
        for (next = i; next < used && devices[next] == devices[i];)
            next++;
        ++*count;
        if (next - i > longest) {
            longest = next - i;
            best = devices[i];
        }
    }
    free(devices);
    return best;
}

/* Two devices do not share their idle time, so one of them is analysed. */
static void keep_one_device(struct rank_input *input)
{
    struct kernel_list *kernels = &input->kernels;
    size_t devices, kept = 0, all = kernels->count;
    int32_t device = main_device(kernels, &devices);

    if (devices < 2)
        return;
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->rows[i].device == device || kernels->rows[i].device < 0)
            kernels->rows[kept++] = kernels->rows[i];
    kernels->count = kept;
    text_printf(
        &input->limitations,
        "the kernels are from %zu devices; only the %zu of %zu kernels of device "
        "%d are analysed\n",
        devices, kept, all, (int)device);
}

/* A damaged start can be a valid number; then the kernels span years. */
static int check_span(const struct rank_input *input, struct err *err)
{
    const int64_t day_ns = 86400LL * 1000000000;
    const struct kernel_list *kernels = &input->kernels;
    int64_t span;

    if (kernels->count == 0)
        return err_set(err, ERR_INPUT,
                       "no row of the list of kernels is valid (%llu read)",
                       (unsigned long long)kernels->rows_read);
    if (__builtin_sub_overflow(kernels->rows[kernels->count - 1].start,
                               kernels->rows[0].start, &span) ||
        span > 30 * day_ns)
        return err_set(
            err, ERR_INPUT,
            "the starts of the kernels are more than 30 days apart; the column "
            "of a row is damaged, or two captures were joined");
    return 0;
}

/* Only events in idle time are evidence: gaps between kernels from the shortest length
 * that is examined, and the time before and after all kernels. */
static void find_idle(struct intervals *idle, const struct kernel_list *kernels)
{
    const int64_t least_ns = bubbles_significant_ns(0);
    int64_t end = kernels->rows[0].start;

    intervals_add(idle, INT64_MIN, end);
    for (size_t i = 0; i < kernels->count; i++) {
        if (kernels->rows[i].start - end >= least_ns)
            intervals_add(idle, end, kernels->rows[i].start);
        if (kernels->rows[i].end > end)
            end = kernels->rows[i].end;
    }
    intervals_add(idle, end, INT64_MAX);
}

/* Extends the span from the first to the last event of the host, with the markers. */
static bool find_host_span(const struct trace_view *trace, int64_t *start, int64_t *end)
{
    bool any = trace->has_host;

    *start = trace->host_start;
    *end = trace->host_end;
    for (size_t i = 0; i < trace->marker_count; i++) {
        const struct trace_marker *marker = &trace->markers[i];

        if (!any || marker->start < *start)
            *start = marker->start;
        if (!any || marker->end > *end)
            *end = marker->end;
        any = true;
    }
    return any;
}

/* A host launches a kernel before it runs, and not minutes before. Leaves out a trace
 * whose clock or run is another one. */
static void check_trace(struct rank_input *input)
{
    const int64_t lag_ns = 60LL * 1000000000;
    const struct kernel_list *kernels = &input->kernels;
    int64_t first = kernels->rows[0].start, last = kernels->rows[0].end, start, end;

    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->rows[i].end > last)
            last = kernels->rows[i].end;
    if (!input->has_trace || !find_host_span(&input->trace, &start, &end) ||
        (start < last && (end >= first || first - end <= lag_ns)))
        return;
    text_printf(
        &input->limitations,
        "the trace is left out, because its events %s the kernels by %.3f s: it "
        "is of another run, or of another clock; %s\n",
        start >= last ? "begin after" : "end before",
        (double)(start >= last ? start - last : first - end) / 1e9,
        rank_file_purpose(RANK_TRACE));
    trace_view_clear(&input->trace);
    input->has_trace = false;
}

static void read_others(struct rank_input *input, const struct rank_folder *folder)
{
    struct text *limitations = &input->limitations;
    struct intervals idle = {0};

    find_idle(&idle, &input->kernels);
    input->has_trace =
        rank_files_read_trace(&input->trace, input->names, &idle, folder, limitations);
    intervals_clear(&idle);
    check_trace(input);
    input->has_step_trace =
        rank_files_read_steps(&input->step_trace, folder, limitations);
    input->has_comm =
        rank_files_read_comm(&input->comm, input->names, folder, limitations);
    if (!rank_files_read_info(&input->info, folder, limitations))
        input->info = (struct profiler_info){.with_stack = -1, .record_shapes = -1};
    rank_files_read_metadata(&input->metadata, folder, limitations);
}

/* The file is no more than additional evidence, so it may be missing. */
static void read_host_ops(struct rank_input *input, const struct rank_folder *folder)
{
    const char *path = folder->files[RANK_HOST_OPS];
    struct err err;

    if (path && host_ops_read(&input->host_ops, input->names, path, &err) < 0)
        text_printf(&input->limitations, "%s; %s\n", err.text,
                    rank_file_purpose(RANK_HOST_OPS));
    else if (input->host_ops.rows_skipped > 0)
        text_printf(&input->limitations,
                    "%llu of %llu rows of %s are damaged and left out\n",
                    (unsigned long long)input->host_ops.rows_skipped,
                    (unsigned long long)input->host_ops.rows_read,
                    rank_file_name(RANK_HOST_OPS));
}

static void report_damage(struct rank_input *input)
{
    const struct kernel_list *kernels = &input->kernels;

    if (kernels->rows_skipped > 0)
        text_printf(
            &input->limitations,
            "%llu of %llu rows of the list of kernels are damaged and left out; "
            "the first: %.*s\n",
            (unsigned long long)kernels->rows_skipped,
            (unsigned long long)kernels->rows_read,
            (int)strcspn(text_get(&kernels->skipped), "\n"),
            text_get(&kernels->skipped));
    if (input->has_trace && input->trace.events_skipped > 0)
        text_printf(
            &input->limitations,
            "%llu of %llu events of the trace have no valid time and are left out\n",
            (unsigned long long)input->trace.events_skipped,
            (unsigned long long)input->trace.events_read);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

int rank_input_read(struct rank_input *input,
                    const struct rank_folder *folder,
                    struct err *err)
{
    *input = (struct rank_input){.rank = folder->rank,
                                 .names = names_create(),
                                 .folder = xstrdup(last_part(folder->path)),
                                 .metadata = {.rank = -1},
                                 .info = {.with_stack = -1, .record_shapes = -1}};
    kernel_list_init(&input->kernels, input->names);
    if (read_kernels(input, folder, err) < 0)
        goto fail;
    keep_one_device(input);
    kernel_list_sort(&input->kernels);
    if (check_span(input, err) < 0)
        goto fail;
    read_others(input, folder);
    read_host_ops(input, folder);
    report_damage(input);
    return 0;

fail:
    rank_input_clear(input);
    return err_wrap(err, "rank %lld", (long long)folder->rank);
}

void rank_input_clear(struct rank_input *input)
{
    kernel_list_clear(&input->kernels);
    trace_view_clear(&input->trace);
    step_trace_clear(&input->step_trace);
    comm_ops_clear(&input->comm);
    host_ops_clear(&input->host_ops);
    names_destroy(input->names);
    text_clear(&input->limitations);
    profiler_metadata_clear(&input->metadata);
    free(input->folder);
    *input = (struct rank_input){0};
}
