#include "parsers/anomaly/ops.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { ANCHOR_RANK = 10, ANCHOR_NS = 10000, POLLUTED_NS = 100000 };

double op_wait_ratio(const struct op *op)
{
    int64_t cost = op->duration + op->wait;

    return cost > 0 ? (double)op->wait / (double)cost : 0;
}

bool op_is_false_hotspot(int64_t duration, int64_t wait, size_t calls, size_t cost_rank)
{
    return wait * 20 > (duration + wait) * 19 &&
           duration < ANCHOR_NS * (int64_t)calls && cost_rank <= ANCHOR_RANK;
}

enum aicpu_class aicpu_class_of(double masked)
{
    if (masked >= 0.9)
        return AICPU_MASKED;
    return masked >= 0.2 ? AICPU_PARTLY_EXPOSED : AICPU_EXPOSED;
}

const char *aicpu_class_name(enum aicpu_class class)
{
    static const char *const names[] = {
        [AICPU_NONE] = "",
        [AICPU_MASKED] = "AICPU_MASKED_BUT_UNDESIRABLE",
        [AICPU_PARTLY_EXPOSED] = "AICPU_PARTIALLY_EXPOSED",
        [AICPU_EXPOSED] = "AICPU_EXPOSED_NOT_ALLOWED",
    };

    return names[class];
}

static int compare_values(double left,
                          double right,
                          const struct op *a,
                          const struct op *b,
                          const struct names *names)
{
    if (left != right)
        return left > right ? -1 : 1;
    return strcmp(names_text(names, a->name), names_text(names, b->name));
}

static int compare_durations(const void *a, const void *b, void *names)
{
    const struct op *left = a, *right = b;

    return compare_values((double)left->duration, (double)right->duration, left, right,
                          names);
}

/* By the average cost of a call. */
static int compare_costs(const void *a, const void *b, void *names)
{
    const struct op *left = a, *right = b;

    return compare_values((double)(left->duration + left->wait) / (double)left->calls,
                          (double)(right->duration + right->wait) /
                              (double)right->calls,
                          left, right, names);
}

static int compare_totals(const void *a, const void *b, void *names)
{
    const struct op *left = a, *right = b;

    return compare_values((double)(left->duration + left->wait),
                          (double)(right->duration + right->wait), left, right, names);
}

static void rank_ops(struct ops *ops, struct names *names)
{
    qsort_r(ops->rows, ops->count, sizeof(*ops->rows), compare_durations, names);
    for (size_t i = 0; i < ops->count; i++)
        ops->rows[i].duration_rank = i + 1;
    qsort_r(ops->rows, ops->count, sizeof(*ops->rows), compare_totals, names);
    for (size_t i = 0; i < ops->count; i++)
        ops->rows[i].total_rank = i + 1;
    qsort_r(ops->rows, ops->count, sizeof(*ops->rows), compare_costs, names);
    for (size_t i = 0; i < ops->count; i++)
        ops->rows[i].cost_rank = i + 1;
}

static void
add_aicpu(struct op *op, const struct kernel *kernel, const struct device_busy *busy)
{
    int64_t duration = kernel_duration(kernel);
    int64_t hidden = intervals_cover(&busy->core, kernel->start, kernel->end);
    int64_t alone =
        duration - intervals_cover(&busy->core_and_comm, kernel->start, kernel->end);

    op->exposed += duration - hidden;
    op->exposed_alone += alone;
}

static void add_call(struct op *op,
                     const struct rank_input *input,
                     const struct device_busy *busy,
                     size_t index,
                     int64_t *longest)
{
    const struct kernel *kernel = &input->kernels.rows[index];
    int64_t duration = kernel_duration(kernel);

    if (op->calls == 0 || duration > *longest) {
        *longest = duration;
        op->unit = kernel->unit;
        op->shapes = kernel->shapes;
        op->unit_class = kernel->unit_class;
    }
    if (op->calls == 0 || kernel->wait > op->longest_wait) {
        op->longest_wait = kernel->wait;
        op->anchor = index;
    }
    op->calls++;
    op->duration += duration;
    op->wait += kernel->wait;
    if (kernel->unit_class == UNIT_AICPU)
        add_aicpu(op, kernel, busy);
    else if (kernel->unit_class != UNIT_COMM)
        op->polluted +=
            intervals_cover(&busy->comm, kernel->start - kernel->wait, kernel->start);
}

/* Judges an operator whose calls take less than 10 us on average. */
static enum op_judgement judge_small(const struct op *op, int64_t service)
{
    enum { SMALL_NS = 10000, MANY_CALLS = 50 };

    if (op->duration >= SMALL_NS * (int64_t)op->calls)
        return OP_NOT_SMALL;
    if (op->duration * 100 < service)
        return OP_NOISE;
    return op->calls >= MANY_CALLS ? OP_SMALL_INEFFICIENT : OP_SMALL;
}

const char *op_judgement_name(enum op_judgement judgement)
{
    static const char *const names[] = {
        [OP_NOT_SMALL] = "",
        [OP_SMALL] = "small_op",
        [OP_NOISE] = "noise",
        [OP_SMALL_INEFFICIENT] = "small_op_inefficiency",
    };

    return names[judgement];
}

static void judge(struct op *op, int64_t service)
{
    op->judgement = judge_small(op, service);
    op->is_anchor =
        op_is_false_hotspot(op->duration, op->wait, op->calls, op->cost_rank);
    if (op->unit_class == UNIT_AICPU) {
        double masked =
            op->duration > 0 ? 1 - (double)op->exposed / (double)op->duration : 0;

        op->aicpu = aicpu_class_of(masked);
        op->exposed_in_gap = op->exposed > 0 && op->exposed_alone * 2 >= op->exposed;
    } else {
        op->is_polluted = op->wait >= POLLUTED_NS && op->polluted * 5 >= op->wait;
    }
}

void ops_collect(struct ops *ops,
                 const struct rank_input *input,
                 const struct device_busy *busy,
                 size_t first,
                 size_t count,
                 int64_t service)
{
    uint32_t *places = xcalloc(names_count(input->names), sizeof(*places));
    int64_t *longest = xcalloc(count + 1, sizeof(*longest));

    ops->rows = xcalloc(count + 1, sizeof(*ops->rows));
    ops->count = 0;
    for (size_t i = first; i < first + count; i++) {
        const struct kernel *kernel = &input->kernels.rows[i];

        if (kernel->is_shadow)
            continue;
        if (!places[kernel->name]) {
            ops->rows[ops->count].name = kernel->name;
            places[kernel->name] = (uint32_t)++ops->count;
        }
        uint32_t place = places[kernel->name] - 1;

        add_call(&ops->rows[place], input, busy, i, &longest[place]);
    }
    free(places);
    free(longest);
    rank_ops(ops, input->names);
    for (size_t i = 0; i < ops->count; i++)
        judge(&ops->rows[i], service);
}

void ops_clear(struct ops *ops)
{
    free(ops->rows);
    *ops = (struct ops){0};
}
