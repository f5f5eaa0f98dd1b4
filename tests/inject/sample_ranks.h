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
enum { SAMPLE_FUSED = 1, SAMPLE_IN_PLACE = 4, SAMPLES_COUNT = 20 };
extern const struct sample samples[SAMPLES_COUNT];

struct samples {
    const char *guest, *home; /* the library, the simulator's tree */
    const char *launches;     /* of each rank */
    const char *more[5];      /* of options, up to four words; then NULL */
    char folder[40];
};

/* 0 or -1. */
int samples_init(struct samples *samples, const char *guest, const char *home);
void samples_clear(struct samples *samples);

/* Rank i runs programs[i], of the same name below bin/. */
void samples_run(const struct samples *samples,
                 struct host_story *stories,
                 uint32_t ranks,
                 const char *const *programs,
                 struct host_plan plan);
/* All ranks run the sample; only its own kernel is profiled. */
void sample_run_processes(const struct samples *samples,
                          struct host_story *stories,
                          uint32_t ranks,
                          const struct sample *sample,
                          struct host_plan plan);
void sample_run_threads(const struct samples *samples,
                        struct host_story *story,
                        uint32_t ranks,
                        const struct sample *sample,
                        struct host_plan plan);

#endif
