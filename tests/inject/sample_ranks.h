/* sample_ranks.h - for tests: the simulator's sample operators, started as the ranks of
 * a run
 *
 * Processes hand the root info over in a file below a folder of their own. */
#ifndef TESTS_INJECT_SAMPLE_RANKS_H
#define TESTS_INJECT_SAMPLE_RANKS_H

#include "tests/inject/fake_worker.h"

struct sample {
    const char *program;   /* below bin/ of the simulator */
    const char *kernel;    /* as the guest sees it */
    enum launch_kind kind; /* 0: it is none that a whole group takes part in */
    const char *op;        /* which one, of a program that has several */
};

/* Every operator of the simulator that several cards make together. */
enum { SAMPLE_FUSED = 1, SAMPLE_IN_PLACE = 4, SAMPLE_RANKS_COUNT = 20 };
extern const struct sample samples[SAMPLE_RANKS_COUNT];

struct sample_ranks {
    const char *guest, *home; /* the library, the simulator's tree */
    const char *launches;     /* of each rank */
    const char *more[5];      /* of options, up to four words; then NULL */
    char folder[40];
};

/* 0 or -1. */
int sample_ranks_init(struct sample_ranks *samples,
                      const char *guest,
                      const char *home);
void sample_ranks_clear(struct sample_ranks *samples);

/* Rank i runs programs[i], of the same name below bin/. */
void sample_ranks_run(const struct sample_ranks *samples,
                      struct fake_worker_story *stories,
                      uint32_t ranks,
                      const char *const *programs,
                      struct fake_worker_plan plan);
/* All ranks run the sample; only its own kernel is profiled. */
void sample_run_processes(const struct sample_ranks *samples,
                          struct fake_worker_story *stories,
                          uint32_t ranks,
                          const struct sample *sample,
                          struct fake_worker_plan plan);
void sample_run_threads(const struct sample_ranks *samples,
                        struct fake_worker_story *story,
                        uint32_t ranks,
                        const struct sample *sample,
                        struct fake_worker_plan plan);

#endif
