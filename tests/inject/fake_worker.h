/* fake_worker.h - a worker for tests: runs programs with inject as the ranks of a gang
 *
 * Starts the programs, answers the questions of inject by a plan, and keeps the records
 * from the ring. A program that does not end in time is killed. */
#ifndef TESTS_INJECT_FAKE_WORKER_H
#define TESTS_INJECT_FAKE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"

enum {
    FAKE_WORKER_LAUNCHES = 16,
    FAKE_WORKER_PASSES = 128,
    FAKE_WORKER_CHANNELS = 64,
    FAKE_WORKER_GROUPS = 32,
    FAKE_WORKER_REPORTS = 64,
    FAKE_WORKER_STAMPS = 32,
    FAKE_WORKER_MEMORY = 32,
    FAKE_WORKER_BARRIERS = 512,
    FAKE_WORKER_RANKS = 8,
};

struct fake_worker_plan {
    uint32_t profile; /* number of launches to profile; later ones pass through */
    uint32_t passes, warmups;
    uint32_t plain; /* 1: a last execution without counters */
    bool l2_alone;
    uint32_t only_pass;     /* application replay: number of the pass */
    uint32_t flags;         /* enum control_flag */
    bool not_attached;      /* run the program without inject */
    const char *stubs;      /* folder of stub libraries for the search path; or NULL */
    bool cleared;           /* without MUSTER_INJECT_FD in the environment */
    int kill_after_passes;  /* SIGKILL after this many pass records; 0: never */
    const char *const *env; /* KEY=value, NULL-terminated; or NULL */
    const char *kernel;     /* the only kernel to profile; NULL: any */
    uint32_t world;         /* ranks, as threads or processes; 0: no barrier */
    uint32_t barrier_ms;    /* limit of a wait at the barrier */
    bool closes_channel;    /* the worker closes each channel after CONFIG */
    bool
        ends_unreported; /* the worker does not report ended processes to the barrier */
    bool continues;      /* a stopped process continues after the others' launch */
};

/* The bytes of one channel in one pass of one launch. */
struct fake_worker_channel {
    uint64_t launch;
    uint32_t channel, pass;
    uint64_t bytes;
    bool in_order; /* each piece began at the end of the one before */
    bool lost;
};

struct fake_worker_result {
    int status; /* as of waitpid() */
    char out[8192];
    size_t out_bytes;
    unsigned hellos, prepares, frames, clocks;
    struct record_launch launch[FAKE_WORKER_LAUNCHES];
    unsigned launches;
    struct record_range_launch inner[FAKE_WORKER_LAUNCHES];
    unsigned inners;
    struct record_launch_end end[FAKE_WORKER_LAUNCHES];
    unsigned ends;
    struct record_pass pass[FAKE_WORKER_PASSES];
    unsigned passes;
    struct record_pass last_pass;
    uint64_t between_ns; /* the ends of executions and the next ones' starts, */
    unsigned between;    /* of all those of one launch, but for the first */
    struct fake_worker_channel channel[FAKE_WORKER_CHANNELS];
    unsigned channels;
    struct record_comm_group group[FAKE_WORKER_GROUPS];
    unsigned groups;
    struct record_report report[FAKE_WORKER_REPORTS];
    unsigned reports;
    struct record_stamp stamp[FAKE_WORKER_STAMPS];
    unsigned stamps;
    struct record_mem_event memory[FAKE_WORKER_MEMORY];
    unsigned memories;
    char ranges[384]; /* that were open at the latest question */
    struct record_barrier barrier[FAKE_WORKER_BARRIERS];
    unsigned barriers;
    struct record_launch_group launch_group[FAKE_WORKER_LAUNCHES];
    unsigned launch_groups;
    struct record_run_clock clock;
    struct record_run_environment environment;
    struct record_run_health health[2]; /* the latest before, and after */
    unsigned kinds[RECORD_KIND_END];    /* how many records of each came */
    bool broken;
};

/* argv[0] is a path. `inject` and `home` are the library and the ASCEND_HOME_PATH. */
void fake_worker_run(struct fake_worker_result *result,
                     const char *const *argv,
                     const char *inject,
                     const char *home,
                     const struct fake_worker_plan *plan);

/* Runs one program for each rank; each has a result of its own. */
void fake_worker_run_ranks(struct fake_worker_result *results,
                           uint32_t ranks,
                           const char *const *const *argvs,
                           const char *inject,
                           const char *home,
                           const struct fake_worker_plan *plan);

const struct fake_worker_channel *
fake_worker_find_channel(const struct fake_worker_result *result,
                         uint64_t launch,
                         uint32_t channel,
                         uint32_t pass);

#endif
