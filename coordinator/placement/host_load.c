#include "coordinator/placement/host_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "coordinator/ledger/ledger.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

struct host_load {
    struct map *ranks;     /* HOST: number of its ranks */
    struct map *exclusive; /* HOST: number of ranks that need it for themselves */
    struct map *of_job;    /* JOB@HOST: number of ranks of this job */
};

static bool limits_host_use(const struct ledger_job *job)
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

    while (job && !limits_host_use(job))
        job = job->next;
    if (!job)
        return NULL;
    struct host_load *load = xcalloc(1, sizeof(*load));
    load->ranks = map_create();
    load->exclusive = map_create();
    load->of_job = map_create();
    for (size_t cursor = 0; (attempt = ledger_next_attempt(ledger, &cursor));)
        for (uint32_t i = 0; i < attempt->rank_count; i++)
            if (attempt->ranks[i].host && rank_is_open(attempt->ranks[i].state))
                host_load_add(load, attempt->ranks[i].host, attempt->task->job);
    return load;
}

void host_load_destroy(struct host_load *load)
{
    if (!load)
        return;
    map_destroy(load->ranks);
    map_destroy(load->exclusive);
    map_destroy(load->of_job);
    free(load);
}

void host_load_add(struct host_load *load,
                   const char *host,
                   const struct ledger_job *job)
{
    if (!load)
        return;
    char *key = key_of(host, job);

    count(load->ranks, host);
    count(load->of_job, key);
    if (job_settings(job->job)->exclusive == JOB_EXCLUSIVE_HOST)
        count(load->exclusive, host);
    free(key);
}

bool host_load_is_idle(const struct host_load *load, const char *host)
{
    return !load || !map_get(load->ranks, host);
}

bool host_load_is_exclusive(const struct host_load *load, const char *host)
{
    return load && map_get(load->exclusive, host);
}

size_t host_load_count(const struct host_load *load,
                       const char *host,
                       const struct ledger_job *job)
{
    if (!load)
        return 0;
    char *key = key_of(host, job);
    size_t ranks = (uintptr_t)map_get(load->of_job, key);

    free(key);
    return ranks;
}
