/* ledger_captures.c - stores the capture groups of a job and counts them */
#include <stdlib.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/mem.h"
#include "lib/store/captures.h"
#include "lib/store/store.h"

static int get_captures(struct captures **out,
                        struct ledger *ledger,
                        struct ledger_job *job,
                        struct err *err)
{
    char path[4096];

    if (!job->captures) {
        captures_path(path, sizeof(path), ledger->store_folder, job->job_id);
        if (captures_open(&job->captures, path, STORE_WRITE, err) < 0)
            return -1;
    }
    *out = job->captures;
    return 0;
}

int ledger_group(struct ledger *ledger,
                 struct attempt *attempt,
                 const struct captures_group *group,
                 char **refused,
                 struct err *err)
{
    struct captures *captures;
    bool already;

    *refused = NULL;
    if (get_captures(&captures, ledger, attempt->task->job, err) < 0)
        return -1;
    if (captures_put(captures, group, &already, err) == 0) {
        ledger->totals.groups += !already;
        ledger->totals.group_bytes += already ? 0 : group->size;
        return 0;
    }
    if (err->code != ERR_INPUT && err->code != ERR_CONFLICT && err->code != ERR_LIMIT)
        return -1;
    *refused = xstrdup(err->text);
    return 0;
}

int ledger_count_captured(struct captures_rank_totals *totals,
                          struct ledger *ledger,
                          const struct attempt_rank *rank,
                          struct err *err)
{
    struct captures *captures;

    if (get_captures(&captures, ledger, rank->attempt->task->job, err) < 0)
        return -1;
    return captures_count_rank(captures, rank->attempt->run_id, rank->number, totals,
                               err);
}
