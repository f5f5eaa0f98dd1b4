/* model_internal.h - the report while it is filled; for model*.c */
#ifndef PARSERS_REPORTS_MODEL_INTERNAL_H
#define PARSERS_REPORTS_MODEL_INTERNAL_H

#include <string.h>

#include "lib/base/mem.h"
#include "parsers/reports/model.h"

/* A growing array of items of one size. All zero but `size` is an empty list. The owner
 * frees `items`. */
struct report_list {
    void *items;
    size_t count, room, size;
};

/* Adds an item of zeros. */
static inline void *report_list_add(struct report_list *list)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->items = xreallocarray(list->items, list->room, list->size);
    }
    return memset((char *)list->items + list->count++ * list->size, 0, list->size);
}

/* A duration of a launch. */
struct sample {
    uint32_t work, card, rank, device;
    uint64_t point, repeat, run_id, launch;
    double value_us;
    bool simulated;
};

/* A figure of a launch. The rank is 0 unless the metric is part of a rank's duration.
 */
struct figure {
    uint32_t work, rank, card;
    uint32_t measure;
    double value;
};

struct report {
    struct arena *arena;
    struct report_job job;
    struct map *work_ids; /* "kernel\npoint" -> position + 1, until the end */
    struct map *card_ids; /* "host card" -> position + 1, until the end */
    /* "RUN RANK deviceN LAUNCH" and "RUN" -> position of the series + 1 */
    struct map *file_owners;
    struct report_list tasks;        /* struct report_task */
    struct report_list rank_times;   /* struct report_rank_time */
    struct report_list samples;      /* struct sample */
    struct report_list figures;      /* struct figure */
    struct report_list works;        /* struct report_work */
    struct report_list series;       /* struct report_series */
    struct report_list cards;        /* struct report_card */
    struct report_list ranks;        /* struct report_rank */
    struct report_list environments; /* struct report_environment */
    struct report_list steps;        /* struct report_steps */
    struct report_list kernels;      /* struct report_kernel */
    struct report_list advice;       /* struct report_advice */
    struct report_list notes;        /* struct report_advice */
    struct report_list suspects;     /* const char * */
    struct gang_figures *gang;       /* NULL: a task has one card */
    struct map *bad_tasks;           /* "POINT REPEAT" of those without a result */
    const char *gate;                /* NULL: no gate has judged the job */
    size_t good_count;               /* of the tasks */
    bool simulated, measured;
    struct sample launch; /* the launch of the next figures */
    uint64_t last_wall_ms;
    char verdict[96];
};

/* Keeps a figure of the current launch when it is one of steps. */
void report_add_step_figure(struct report *report, const char *metric, double value);
/* Adds the page with the analysis of a rank. */
void report_add_analysis(struct report *report,
                         uint64_t run_id,
                         uint32_t rank,
                         const char *path);
/* Sorts the works and cards, and makes series, medians and ranks. */
void report_sort(struct report *report);
/* Sorts the tasks, those without a result first, and computes their times. */
void report_sort_tasks(struct report *report);

#endif
