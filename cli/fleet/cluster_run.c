#include "cli/fleet/cluster_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "cli/query/client.h"
#include "lib/base/clock.h"
#include "lib/base/num.h"

enum {
    IDLE_MS = 60000, /* should we be gone without a word */
    GIVE_BACK_MS = 30000,
    LOOK_MS = 100,
};

static const char queue[] = "run";

int cluster_run_plan(struct cluster_run *run, uint64_t *cards_per_node, struct err *err)
{
    const char *given = getenv("SLURM_JOB_NUM_NODES");

    if (run->nodes == 0 && (!given || !num_parse_u64(given, &run->nodes)))
        run->nodes = 1;
    if (run->nodes == 0 || run->cards % run->nodes)
        return err_set(err, ERR_INPUT,
                       "%" PRIu64 " cards on %" PRIu64 " nodes: --cards is to be a "
                       "multiple of --nodes",
                       run->cards, run->nodes);
    *cards_per_node = run->cards / run->nodes;
    return 0;
}

int cluster_run_begin(struct client *client,
                      const struct cluster_run *run,
                      uint64_t cards_per_node,
                      struct err *err)
{
    const struct msg_alloc wish = {
        .what = "add",
        .name = queue,
        .resource = "npu",
        .nodes = run->nodes,
        .cards_per_node = cards_per_node,
        .idle_ms = IDLE_MS,
        .backlog = 1,
        .most = 1,
        .model = run->model,
        .simulated = run->simulated,
        .here = getenv("SLURM_JOB_ID") != NULL,
    };
    const union any_message *answer;

    return client_ask(client, MSG_ALLOC, &wish, MSG_OK, &answer, err);
}

static void count_row(const void *row, void *arg)
{
    (void)row;
    ++*(uint64_t *)arg;
}

int cluster_run_end(struct client *client, struct err *err)
{
    const struct msg_alloc wish = {.what = "remove", .name = queue};
    uint64_t until_ms = clock_mono_ms() + GIVE_BACK_MS;
    const union any_message *answer;

    if (client_ask(client, MSG_ALLOC, &wish, MSG_OK, &answer, err) < 0)
        return -1;
    for (uint64_t queues = 1; queues > 0;) {
        if (clock_mono_ms() > until_ms)
            return err_set(
                err, ERR_TIMEOUT,
                "the cluster did not take its nodes back in time; see squeue");
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
        queues = 0;
        if (client_each(client, MSG_LIST_ALLOCS, &(struct msg_list_allocs){0},
                        MSG_ALLOC_ROW, count_row, &queues, err) < 0)
            return -1;
    }
    return 0;
}
