/* ops.h - the operators of a step: kernels with the same name */
#ifndef PARSERS_ANOMALY_OPS_H
#define PARSERS_ANOMALY_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/anomaly/device_busy.h"

enum aicpu_class {
    AICPU_NONE, /* no AI CPU operator */
    AICPU_MASKED,
    AICPU_PARTLY_EXPOSED,
    AICPU_EXPOSED,
};

/* The meaning of the sum of short calls. */
enum op_judgement {
    OP_NOT_SMALL,
    OP_SMALL,
    OP_NOISE,             /* below 1 % of the service time */
    OP_SMALL_INEFFICIENT, /* 50 calls or more */
};

struct op {
    uint32_t name, unit, shapes; /* unit and shapes of the longest call */
    uint8_t unit_class;
    size_t calls;
    int64_t duration, wait; /* ns, sums of all calls */
    int64_t longest_wait;
    size_t anchor;    /* kernel with the longest wait */
    int64_t polluted; /* ns of the wait that lie in communication */
    /* From 1: by the cost of a call, by the duration and by the cost of all calls. */
    size_t cost_rank, duration_rank, total_rank;
    enum op_judgement judgement;
    bool is_anchor;   /* a short operator whose cost is only the gap before it */
    bool is_polluted; /* its wait is no evidence for a cause */
    enum aicpu_class aicpu;
    int64_t exposed;       /* ns of an AI CPU operator that no AI core hides */
    int64_t exposed_alone; /* ns of it in which no link worked either */
    bool exposed_in_gap;   /* half of it or more was alone */
};

struct ops {
    struct op *rows; /* by cost_rank */
    size_t count;
};

/* Collects the kernels [first, first + count) without shadows; `service` is the time of
 * the step in ns. */
void ops_collect(struct ops *ops,
                 const struct rank_input *input,
                 const struct device_busy *busy,
                 size_t first,
                 size_t count,
                 int64_t service);
void ops_clear(struct ops *ops);

double op_wait_ratio(const struct op *op);
/* Returns true when more than 95 % of the cost is wait, a call takes less than 10 us,
 * and the operator is one of the ten most expensive. */
bool op_is_false_hotspot(int64_t duration,
                         int64_t wait,
                         size_t calls,
                         size_t cost_rank);
/* Classifies an AI CPU operator by the share of its time that AI cores worked too. */
enum aicpu_class aicpu_class_of(double masked);
const char *op_judgement_name(enum op_judgement judgement); /* "" for none */
const char *aicpu_class_name(enum aicpu_class class);

#endif
