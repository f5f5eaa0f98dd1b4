#include "parsers/anomaly/device_busy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

static bool is_same(const struct kernel *a, const struct kernel *b)
{
    return a->start == b->start && a->end == b->end && a->name == b->name &&
           a->stream == b->stream && a->task == b->task;
}

/* Equal rows are near each other in the sorted list. */
static size_t remove_duplicates(struct kernel_list *kernels)
{
    size_t kept = 0, removed;

    for (size_t i = 0; i < kernels->count; i++) {
        bool repeated = false;

        for (size_t j = kept;
             j > 0 && kernels->rows[j - 1].start == kernels->rows[i].start && !repeated;
             j--)
            repeated = is_same(&kernels->rows[j - 1], &kernels->rows[i]);
        if (!repeated)
            kernels->rows[kept++] = kernels->rows[i];
    }
    removed = kernels->count - kept;
    kernels->count = kept;
    return removed;
}

/* Returns true for the name or type of a kernel that a collective starts. */
static bool is_expansion(const char *name)
{
    return text_has_prefix(name, "AivKernel") || text_has_suffix(name, "AicpuKernel") ||
           (text_has_prefix(name, "hcom_") && strstr(name, "_AicpuKernel"));
}

static void mark_shadows(struct device_busy *busy, struct rank_input *input)
{
    struct kernel_list *kernels = &input->kernels;
    struct intervals comm = {0};

    for (size_t i = 0; i < kernels->count; i++) {
        const struct kernel *kernel = &kernels->rows[i];

        if (kernel->unit_class == UNIT_COMM &&
            !is_expansion(names_text(input->names, kernel->name)))
            intervals_add(&comm, kernel->start, kernel->end);
    }
    intervals_merge(&comm);
    for (size_t i = 0; i < kernels->count; i++) {
        struct kernel *kernel = &kernels->rows[i];
        int64_t covered;

        kernel->is_shadow = false;
        if (!is_expansion(names_text(input->names, kernel->name)) &&
            !is_expansion(names_text(input->names, kernel->type)))
            continue;
        covered = intervals_cover(&comm, kernel->start, kernel->end);
        if (covered > 0 && covered * 10 >= kernel_duration(kernel) * 9) {
            kernel->is_shadow = true;
            busy->shadows++;
        } else if (covered == 0) {
            kernel->unit_class = UNIT_COMM;
        }
    }
    intervals_clear(&comm);
}

static bool is_masking(const struct rank_input *input, const struct kernel *kernel)
{
    return kernel->unit_class == UNIT_CORE &&
           strcmp(names_text(input->names, kernel->unit), "DSA_SQE") != 0;
}

static void add_kernels(struct device_busy *busy, const struct rank_input *input)
{
    const struct kernel_list *kernels = &input->kernels;

    busy->start = kernels->rows[0].start;
    busy->end = kernels->rows[0].end;
    for (size_t i = 0; i < kernels->count; i++) {
        const struct kernel *kernel = &kernels->rows[i];

        intervals_add(&busy->all, kernel->start, kernel->end);
        if (kernel->end > busy->end)
            busy->end = kernel->end;
        if (kernel->is_shadow)
            continue;
        intervals_add(kernel->unit_class == UNIT_COMM ? &busy->comm : &busy->compute,
                      kernel->start, kernel->end);
        intervals_add(&busy->work, kernel->start, kernel->end);
        if (is_masking(input, kernel))
            intervals_add(&busy->core, kernel->start, kernel->end);
        if (kernel->unit_class != UNIT_AICPU)
            intervals_add(&busy->core_and_comm, kernel->start, kernel->end);
    }
}

/* Returns the length of hcom_allReduce in hcom_allReduce__586_0_1. */
static size_t base_length(const char *name)
{
    const char *end = strstr(name, "__");

    return end ? (size_t)(end - name) : strlen(name);
}

static bool has_row_near(const struct rank_input *input, const struct comm_op *op)
{
    const int64_t near_ns = 1000000;
    const char *name = names_text(input->names, op->name);
    size_t length = base_length(name);

    for (size_t i = 0; i < input->kernels.count; i++) {
        const struct kernel *kernel = &input->kernels.rows[i];
        const char *other = names_text(input->names, kernel->name);

        if (kernel->unit_class == UNIT_COMM &&
            llabs(kernel->start - op->start) <= near_ns &&
            base_length(other) == length && strncasecmp(name, other, length) == 0)
            return true;
    }
    return false;
}

/* Adds the collectives that communication.json lists and the list of kernels lacks. */
static void add_missing_collectives(struct device_busy *busy,
                                    const struct rank_input *input)
{
    const double limit_ms = 86400e3;
    bool *listed = xcalloc(names_count(input->names), sizeof(*listed));

    for (size_t i = 0; i < input->kernels.count; i++)
        listed[input->kernels.rows[i].name] = true;
    for (size_t i = 0; i < input->comm.count; i++) {
        const struct comm_op *op = &input->comm.rows[i];
        int64_t end;

        if (listed[op->name] || op->start < busy->start || op->start >= busy->end ||
            !(op->times.elapse_ms > 0 && op->times.elapse_ms < limit_ms) ||
            has_row_near(input, op))
            continue;
        end = op->start + llround(op->times.elapse_ms * 1e6);
        intervals_add(&busy->all, op->start, end);
        intervals_add(&busy->comm, op->start, end);
        intervals_add(&busy->work, op->start, end);
        intervals_add(&busy->core_and_comm, op->start, end);
        if (end > busy->end)
            busy->end = end;
        busy->from_comm_json++;
    }
    free(listed);
}

void device_busy_find(struct device_busy *busy, struct rank_input *input)
{
    *busy = (struct device_busy){.duplicates = remove_duplicates(&input->kernels)};
    mark_shadows(busy, input);
    add_kernels(busy, input);
    add_missing_collectives(busy, input);
    intervals_merge(&busy->all);
    intervals_merge(&busy->compute);
    intervals_merge(&busy->comm);
    intervals_merge(&busy->work);
    intervals_merge(&busy->core);
    intervals_merge(&busy->core_and_comm);
}

void device_busy_clear(struct device_busy *busy)
{
    intervals_clear(&busy->all);
    intervals_clear(&busy->compute);
    intervals_clear(&busy->comm);
    intervals_clear(&busy->work);
    intervals_clear(&busy->core);
    intervals_clear(&busy->core_and_comm);
}
