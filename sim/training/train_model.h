/* train_model.h - the times of a training program on several cards
 *
 * The model computes the times of all ranks, so each rank gets the same figures without
 * talking to the others. A kernel takes the time that the cube cores or the memory of
 * an Ascend910B2 need for it; collectives follow the rules of
 * sim/hccl/times/schedule.h. The host launches kernels ahead of the device and waits
 * for it at the end of a step. All times are ns since the epoch. Faults are planted by
 * options. */
#ifndef SIM_TRAINING_TRAIN_MODEL_H
#define SIM_TRAINING_TRAIN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAIN_RANKS_MAX  64
#define TRAIN_STAGES     2 /* of an all-reduce */
#define TRAIN_FIRST_STEP 10
#define TRAIN_NO_RANK    UINT32_MAX

enum train_place { GAP_NONE, GAP_START, GAP_MIDDLE, GAP_END };
enum train_cause { CAUSE_UNTRACED, CAUSE_COPY, CAUSE_LAUNCH, CAUSE_COLLECTIVE };
enum train_aicpu { AICPU_NONE, AICPU_EXPOSED, AICPU_PARTLY, AICPU_MASKED };

struct train_options {
    uint32_t ranks, steps, layers, seed;
    uint32_t fault_rank; /* of the gap, the AI CPU kernel and the shapes */
    uint32_t gap;        /* enum train_place */
    uint32_t cause;      /* enum train_cause */
    uint32_t gap_us;
    uint32_t gap_step; /* from 1; 0: each step */
    uint32_t aicpu;    /* enum train_aicpu */
    uint32_t aicpu_us;
    uint32_t slow_rank, slow_percent; /* of the time of its kernels */
    uint32_t slow_link, link_percent; /* between this rank and the next */
    bool varies_shapes;
};

struct train_task {
    const char *name, *type, *unit;
    uint64_t start, end;
    uint64_t launched; /* by the host */
    uint32_t stream, step;
    uint32_t tokens;     /* rows of its input */
    uint32_t collective; /* place in the collectives of the rank, or UINT32_MAX */
};

struct train_host_event {
    const char *name;
    bool is_framework; /* otherwise of CANN */
    uint64_t start, end;
};

/* The part of a rank in an all-reduce. */
struct train_collective {
    uint32_t step;
    uint64_t start, end;
    /* Of the queue for the next rank: copies, waits, and waits before the first copy.
     */
    uint64_t transit, wait, sync;
    uint64_t bytes;                                  /* to each rank, of a stage */
    uint64_t sent_ns[TRAIN_RANKS_MAX][TRAIN_STAGES]; /* to each rank; 0: the own */
};

struct train_step {
    uint64_t start, end;
};

struct train_rank {
    struct train_task *tasks;
    size_t task_count, task_room;
    struct train_host_event *events;
    size_t event_count, event_room;
    struct train_collective *collectives;
    size_t collective_count, collective_room;
    struct train_step *steps;
    uint32_t step_count;
    uint64_t host, device; /* when they are free */
};

struct train_model {
    struct train_options options;
    struct train_rank ranks[TRAIN_RANKS_MAX];
};

void train_model_run(struct train_model *model);
void train_model_clear(struct train_model *model);

/* Returns the time that the tasks of a step cover: those of communication, or the
 * others, or both. */
enum train_share { SHARE_COMPUTE, SHARE_COMM, SHARE_ALL };
uint64_t train_rank_covered(const struct train_rank *rank,
                            uint32_t step,
                            enum train_share share);

#endif
