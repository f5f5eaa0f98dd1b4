#include "parsers/anomaly/rank_input.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/framework/kernel_csv.h"

static int read_kernels(struct rank_input *input,
                        const struct rank_folder *folder,
                        struct err *err)
{
    struct kernel_list *kernels = &input->kernels;

    if (!folder->files[RANK_KERNELS])
        return err_set(err, ERR_NOT_FOUND,
                       "%s has no kernel_details.csv and no op_summary_*.csv%s",
                       folder->output,
                       folder->files[RANK_DATABASE]
                           ? "; databases are not read, so export the capture as text"
                           : "");
    if (kernel_csv_read(kernels, folder->files[RANK_KERNELS], err) < 0)
        return -1;
    for (size_t i = 0; i < folder->more_kernel_count; i++)
        if (kernel_csv_read(kernels, folder->more_kernels[i], err) < 0)
            return -1;
    return 0;
}

static int compare_devices(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

    return left < right ? -1 : left > right;
}

/* Returns the device with the most kernels and sets the number of different devices. */
static int32_t main_device(const struct kernel_list *kernels, size_t *count)
{
    int32_t *devices = xcalloc(kernels->count + 1, sizeof(*devices)), best = -1;
    size_t longest = 0;

    *count = 0;
    for (size_t i = 0; i < kernels->count; i++)
        devices[i] = kernels->rows[i].device;
    qsort(devices, kernels->count, sizeof(*devices), compare_devices);
    for (size_t i = 0, next; i < kernels->count; i = next) {
        for (next = i; next < kernels->count && devices[next] == devices[i];)
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
        if (kernels->rows[i].device == device)
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

typedef int read_fn(struct rank_input *input, const char *path, struct err *err);

static int read_trace(struct rank_input *input, const char *path, struct err *err)
{
    return trace_view_read(&input->trace, input->names, path, err);
}

static int read_step_trace(struct rank_input *input, const char *path, struct err *err)
{
    return step_trace_read(&input->step_trace, path, err);
}

static int read_comm(struct rank_input *input, const char *path, struct err *err)
{
    return comm_ops_read(&input->comm, input->names, path, err);
}

static int read_info(struct rank_input *input, const char *path, struct err *err)
{
    return profiler_info_read(&input->info, path, err);
}

/* Returns true when the file was read. */
static bool read_optional(struct rank_input *input,
                          const struct rank_folder *folder,
                          enum rank_file file,
                          read_fn *read)
{
    struct err err;

    if (!folder->files[file]) {
        text_printf(&input->limitations, "%s is missing; %s\n", rank_file_name(file),
                    rank_file_purpose(file));
        return false;
    }
    if (read(input, folder->files[file], &err) == 0)
        return true;
    text_printf(&input->limitations, "%s; %s\n", err.text, rank_file_purpose(file));
    return false;
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

int rank_input_read(struct rank_input *input,
                    const struct rank_folder *folder,
                    struct err *err)
{
    *input = (struct rank_input){.rank = folder->rank,
                                 .names = names_create(),
                                 .info = {.with_stack = -1, .record_shapes = -1}};
    kernel_list_init(&input->kernels, input->names);
    if (read_kernels(input, folder, err) < 0)
        goto fail;
    keep_one_device(input);
    kernel_list_sort(&input->kernels);
    if (check_span(input, err) < 0)
        goto fail;
    input->has_trace = read_optional(input, folder, RANK_TRACE, read_trace);
    input->has_step_trace =
        read_optional(input, folder, RANK_STEP_TRACE, read_step_trace);
    input->has_comm = read_optional(input, folder, RANK_COMM, read_comm);
    if (!read_optional(input, folder, RANK_INFO, read_info))
        input->info = (struct profiler_info){.with_stack = -1, .record_shapes = -1};
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
    names_destroy(input->names);
    text_clear(&input->limitations);
    *input = (struct rank_input){0};
}
