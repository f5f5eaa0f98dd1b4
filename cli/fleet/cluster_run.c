#include "cli/fleet/cluster_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "cli/fleet/cluster_check.h"
#include "cli/query/client.h"
#include "lib/base/clock.h"
#include "lib/base/num.h"
#include "lib/cluster/allocation_queue.h"

enum {
    IDLE_MS = 60000, /* the workers exit after this time when this process crashed */
    RELEASE_MS = 30000,
    POLL_MS = 100,
};

static const char queue[] = "run", resource[] = "npu";

static bool is_in_allocation(void)
{
    return getenv("SLURM_JOB_ID") != NULL;
}

int cluster_run_plan(struct cluster_run *run, uint64_t *cards_per_node, struct err *err)
{
    const char *given = getenv("SLURM_JOB_NUM_NODES");

    if (run->nodes == 0 && (!given || !num_parse_u64(given, &run->nodes)))
        run->nodes = 1;
    if (run->nodes == 0 || run->cards % run->nodes)
        return err_set(err, ERR_INPUT,
                       "--cards %" PRIu64 " is not a multiple of --nodes %" PRIu64,
                       run->cards, run->nodes);
    *cards_per_node = run->cards / run->nodes;
    return 0;
}

static void count_row(const void *row, void *arg)
{
    (void)row;
    ++*(uint64_t *)arg;
}

int cluster_run_end(struct client *client, struct err *err)
{
    const struct msg_alloc request = {.what = "remove", .name = queue};
    uint64_t until_ms = clock_mono_ms() + RELEASE_MS;
    const union any_message *reply;

    if (client_request(client, MSG_ALLOC, &request, MSG_OK, &reply, err) < 0)
        return -1;
    for (uint64_t queues = 1; queues > 0;) {
        if (clock_mono_ms() > until_ms)
            return err_set(
                err, ERR_TIMEOUT,
                "the nodes of the cluster were not released within 30s; see 'squeue' "
                "and cancel them with 'scancel'");
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000}, NULL);
        queues = 0;
        if (client_each(client, MSG_LIST_ALLOCS, &(struct msg_list_allocs){0},
                        MSG_ALLOC_ROW, count_row, &queues, err) < 0)
            return -1;
    }
    return 0;
}

int cluster_run_check(const struct cluster_run *run,
                      uint64_t cards_per_node,
                      struct err *err)
{
    const struct allocation_request request = {
        .name = queue,
        .resource = resource,
        .nodes = run->nodes,
        .cards_per_node = cards_per_node,
        .idle_ms = IDLE_MS,
        .backlog = 1,
        .most = 1,
        .model = run->model,
        .simulated = run->simulated,
    };

    return is_in_allocation() ? 0 : cluster_check(&request, err);
}

int cluster_run_begin(struct client *client,
                      const struct cluster_run *run,
                      uint64_t cards_per_node,
                      struct err *err)
{
    const struct msg_alloc request = {
        .what = "add",
        .name = queue,
        .resource = resource,
        .nodes = run->nodes,
        .cards_per_node = cards_per_node,
        .idle_ms = IDLE_MS,
        .backlog = 1,
        .most = 1,
        .model = run->model,
        .simulated = run->simulated,
        .here = is_in_allocation(),
    };
    const union any_message *reply;

    int result = client_request(client, MSG_ALLOC, &request, MSG_OK, &reply, err);
    if (result == 0 || err->code != ERR_CONFLICT)
        return result;
    /* an earlier run with this store was killed and left its queue */
    if (cluster_run_end(client, err) < 0)
        return err_wrap(err, "removing the allocation queue of an earlier run");
    return client_request(client, MSG_ALLOC, &request, MSG_OK, &reply, err);
}
