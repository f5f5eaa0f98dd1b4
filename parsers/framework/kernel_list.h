/* kernel_list.h - the kernels of a rank in the order of their start */
#ifndef PARSERS_FRAMEWORK_KERNEL_LIST_H
#define PARSERS_FRAMEWORK_KERNEL_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/names.h"
#include "lib/base/text.h"

enum unit_class {
    UNIT_CORE,    /* AI_CORE, AI_VECTOR_CORE, MIX_AIC, MIX_AIV, FFTS_PLUS, DSA_SQE */
    UNIT_AICPU,   /* AI_CPU */
    UNIT_COMM,    /* HCCL, COMMUNICATION, or a name that begins with hcom_ */
    UNIT_OTHER,   /* DVPP and units that later versions add */
    UNIT_UNKNOWN, /* N/A and no communication: counts as UNIT_CORE */
    UNIT_CLASS_COUNT,
};

struct kernel {
    int64_t start, end, wait;          /* ns */
    uint32_t name, type, unit, shapes; /* numbers of names */
    uint32_t step;                     /* the text of Step Id; 0: none */
    int32_t stream, task;              /* -1: none */
    int32_t device;                    /* -1: none; it is not the rank */
    uint8_t unit_class;                /* enum unit_class */
    bool is_shadow; /* the expansion of a collective that another row describes */
};

struct kernel_list {
    struct names *names; /* borrowed */
    struct kernel *rows;
    size_t count, room;
    uint64_t rows_read, rows_skipped;
    struct text skipped; /* the first damaged rows, one per line */
    bool has_wait;       /* the file has waits; otherwise they are computed */
};

void kernel_list_init(struct kernel_list *list, struct names *names);
void kernel_list_clear(struct kernel_list *list);
/* Makes room for more kernels at once; at most 4 Mi of them, as `count` is a guess. */
void kernel_list_reserve(struct kernel_list *list, uint64_t count);
void kernel_list_add(struct kernel_list *list, const struct kernel *kernel);
/* Counts a damaged row; keeps the text of the first five. */
void kernel_list_skip(struct kernel_list *list, const char *reason);
/* Sorts by start and end, and computes missing waits. */
void kernel_list_sort(struct kernel_list *list);

/* Returns true for a collective: its name begins with hcom_ in any case, or Hcom. */
bool kernel_name_is_comm(const char *name);
enum unit_class unit_class_of(const char *unit, const char *name);
const char *unit_class_name(enum unit_class class);

static inline int64_t kernel_duration(const struct kernel *kernel)
{
    return kernel->end - kernel->start;
}

#endif
