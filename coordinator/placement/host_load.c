#include "coordinator/placement/host_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "coordinator/ledger/ledger.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

struct host_load {
    struct map *ranks;  /* of a host: how many run there */
    struct map *owned;  /* hosts that one task has to itself */
    struct map *of_job; /* NUMBER@HOST: how many of this job run there */
};

static bool cares(const struct ledger_job *job)
{
    const struct job_settings *settings = job_settings(job->job);

    return settings->host_cap > 0 || settings->exclusive == JOB_EXCLUSIVE_HOST;
}

static void count(struct map *map, const char *key)
{
    map_put(map, key, (void *)((uintptr_t)map_get(map, key) + 1));
}

static char *key_of(const char *host, const struct ledger_job *job)
{
    return xasprintf("%" PRIu64 "@%s", job->job_id, host);
}

struct host_load *host_load_create(const struct ledger *ledger)
{
    struct ledger_job *job = ledger_first_job(ledger);
    struct attempt *attempt;

    while (job && !cares(job))
        job = job->next;
    if (!job)
        return NULL;
    struct host_load *hosts = xcalloc(1, sizeof(*hosts));
    hosts->ranks = map_create();
    hosts->owned = map_create();
    hosts->of_job = map_create();
    for (size_t cursor = 0; (attempt = ledger_next_attempt(ledger, &cursor));)
        for (uint32_t i = 0; i < attempt->rank_count; i++)
            if (attempt->ranks[i].host && rank_is_open(attempt->ranks[i].state))
                host_load_add(hosts, attempt->ranks[i].host, attempt->task->job);
    return hosts;
}

void host_load_destroy(struct host_load *hosts)
{
    if (!hosts)
        return;
    map_destroy(hosts->ranks);
    map_destroy(hosts->owned);
    map_destroy(hosts->of_job);
    free(hosts);
}

void host_load_add(struct host_load *hosts,
                   const char *host,
                   const struct ledger_job *job)
{
    if (!hosts)
        return;
    char *key = key_of(host, job);

    count(hosts->ranks, host);
    count(hosts->of_job, key);
    if (job_settings(job->job)->exclusive == JOB_EXCLUSIVE_HOST)
        count(hosts->owned, host);
    free(key);
}

bool host_load_is_idle(const struct host_load *hosts, const char *host)
{
    return !hosts || !map_get(hosts->ranks, host);
}

bool host_load_is_exclusive(const struct host_load *hosts, const char *host)
{
    return hosts && map_get(hosts->owned, host);
}

size_t host_load_count(const struct host_load *hosts,
                       const char *host,
                       const struct ledger_job *job)
{
    if (!hosts)
        return 0;
    char *key = key_of(host, job);
    size_t ranks = (uintptr_t)map_get(hosts->of_job, key);

    free(key);
    return ranks;
}
