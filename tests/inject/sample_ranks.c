#include "tests/inject/sample_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 14 };

const struct sample samples[SAMPLE_RANKS_COUNT] = {
    {"allreduce", "HcclAllReduce", LAUNCH_COLLECTIVE, NULL},
    {"matmul_all_reduce", "MatmulAllReduce_0", LAUNCH_MC2, NULL},
    {"all_gather_matmul", "AllGatherMatmul_0", LAUNCH_MC2, NULL},
    {"matmul_reduce_scatter", "MatmulReduceScatter_0", LAUNCH_MC2, NULL},
    {"matmul_all_reduce_inplace", "MatmulAllReduceAddRmsNorm_0", LAUNCH_MC2, NULL},
    {"distribute_barrier", "DistributeBarrier_0", LAUNCH_MTE, NULL},
    {"lccl_all_reduce", "lccl_all_reduce", LAUNCH_LCCL, NULL},
    {"collectives", "HcclAllGather", LAUNCH_COLLECTIVE, "all_gather"},
    {"collectives", "HcclAllGatherV", LAUNCH_COLLECTIVE, "all_gather_v"},
    {"collectives", "HcclAllReduce", LAUNCH_COLLECTIVE, "all_reduce"},
    {"collectives", "HcclAlltoAll", LAUNCH_COLLECTIVE, "all_to_all"},
    {"collectives", "HcclAlltoAllV", LAUNCH_COLLECTIVE, "all_to_all_v"},
    {"collectives", "HcclAlltoAllVC", LAUNCH_COLLECTIVE, "all_to_all_vc"},
    {"collectives", "HcclBarrier", LAUNCH_COLLECTIVE, "barrier"},
    {"collectives", "HcclBroadcast", LAUNCH_COLLECTIVE, "broadcast"},
    {"collectives", "HcclReduce", LAUNCH_COLLECTIVE, "reduce"},
    {"collectives", "HcclReduceScatter", LAUNCH_COLLECTIVE, "reduce_scatter"},
    {"collectives", "HcclReduceScatterV", LAUNCH_COLLECTIVE, "reduce_scatter_v"},
    {"collectives", "HcclScatter", LAUNCH_COLLECTIVE, "scatter"},
    {"collectives", "HcclBatchSendRecv", 0, "shift"},
};

int sample_ranks_init(struct sample_ranks *run, const char *inject, const char *home)
{
    *run = (struct sample_ranks){.inject = inject, .home = home, .launches = "2"};
    snprintf(run->folder, sizeof(run->folder), "/tmp/muster-samples-XXXXXX");
    setenv("NPU_SIM_CARDS", "8", 1);
    return mkdtemp(run->folder) ? 0 : -1;
}

static void root_file(const struct sample_ranks *run, char path[64])
{
    snprintf(path, 64, "%s/root", run->folder);
}

void sample_ranks_clear(struct sample_ranks *run)
{
    char file[64];

    root_file(run, file);
    unlink(file);
    rmdir(run->folder);
}

static void path_of(const struct sample_ranks *run, const char *program, char path[512])
{
    snprintf(path, 512, "%s/bin/%s", run->home, program);
}

void sample_ranks_run(const struct sample_ranks *run,
                      struct fake_worker_result *results,
                      uint32_t ranks,
                      const char *const *programs,
                      struct fake_worker_plan plan)
{
    char number[FAKE_WORKER_RANKS][16], path[FAKE_WORKER_RANKS][512], count[16],
        file[64];
    const char *argvs[FAKE_WORKER_RANKS][ARGUMENTS];
    const char *const *all[FAKE_WORKER_RANKS];

    snprintf(count, sizeof(count), "%u", ranks);
    root_file(run, file);
    unlink(file);
    for (uint32_t i = 0; i < ranks && i < FAKE_WORKER_RANKS; i++) {
        const char *argv[] = {path[i],      "--ranks",    count,         "--rank",
                              number[i],    "--launches", run->launches, "--rank-file",
                              file,         run->more[0], run->more[1],  run->more[2],
                              run->more[3], NULL};

        path_of(run, programs[i], path[i]);
        snprintf(number[i], sizeof(number[i]), "%u", i);
        memcpy(argvs[i], argv, sizeof(argv));
        all[i] = argvs[i];
    }
    plan.world = ranks;
    fake_worker_run_ranks(results, ranks, all, run->inject, run->home, &plan);
}

static struct sample_ranks with_op(const struct sample_ranks *run,
                                   const struct sample *sample)
{
    struct sample_ranks with = *run;

    if (sample->op) {
        with.more[0] = "--op";
        with.more[1] = sample->op;
    }
    return with;
}

void sample_run_processes(const struct sample_ranks *run,
                          struct fake_worker_result *results,
                          uint32_t ranks,
                          const struct sample *sample,
                          struct fake_worker_plan plan)
{
    const struct sample_ranks with = with_op(run, sample);
    const char *programs[FAKE_WORKER_RANKS];

    for (uint32_t i = 0; i < ranks && i < FAKE_WORKER_RANKS; i++)
        programs[i] = sample->program;
    plan.kernel = sample->kernel;
    sample_ranks_run(&with, results, ranks, programs, plan);
}

void sample_run_threads(const struct sample_ranks *run,
                        struct fake_worker_result *result,
                        uint32_t ranks,
                        const struct sample *sample,
                        struct fake_worker_plan plan)
{
    const struct sample_ranks with = with_op(run, sample);
    char count[16], path[512];
    const char *argv[] = {path,          "--threads",  count,        "--launches",
                          run->launches, with.more[0], with.more[1], with.more[2],
                          with.more[3],  NULL};

    path_of(run, sample->program, path);
    snprintf(count, sizeof(count), "%u", ranks);
    plan.world = ranks;
    plan.kernel = sample->kernel;
    fake_worker_run(result, argv, run->inject, run->home, &plan);
}
