/* sample_ranks.h - starts the simulator's sample operators as ranks, for tests
 *
 * The processes pass the root info in a file in a temporary folder. */
#ifndef TESTS_INJECT_SAMPLE_RANKS_H
#define TESTS_INJECT_SAMPLE_RANKS_H

#include "tests/inject/fake_worker.h"

struct sample {
    const char *program;   /* below bin/ of the simulator */
    const char *kernel;    /* its name in records */
    enum launch_kind kind; /* 0: not all ranks of the communicator take part */
    const char *op;        /* name of the operator, when the program has several */
};

/* All operators of the simulator that use several cards. */
enum { SAMPLE_FUSED = 1, SAMPLE_IN_PLACE = 4, SAMPLE_RANKS_COUNT = 20 };
extern const struct sample samples[SAMPLE_RANKS_COUNT];

struct sample_ranks {
    const char *inject, *home; /* the library, the simulator's tree */
    const char *launches;      /* of each rank */
    const char *more[5];       /* up to four more arguments; then NULL */
    char folder[40];
};

/* 0 or -1. */
int sample_ranks_init(struct sample_ranks *samples,
                      const char *inject,
                      const char *home);
void sample_ranks_clear(struct sample_ranks *samples);

/* Rank i runs bin/programs[i]. */
void sample_ranks_run(const struct sample_ranks *samples,
                      struct fake_worker_result *results,
                      uint32_t ranks,
                      const char *const *programs,
                      struct fake_worker_plan plan);
/* All ranks run the sample; only its own kernel is profiled. */
void sample_run_processes(const struct sample_ranks *samples,
                          struct fake_worker_result *results,
                          uint32_t ranks,
                          const struct sample *sample,
                          struct fake_worker_plan plan);
void sample_run_threads(const struct sample_ranks *samples,
                        struct fake_worker_result *result,
                        uint32_t ranks,
                        const struct sample *sample,
                        struct fake_worker_plan plan);

#endif
