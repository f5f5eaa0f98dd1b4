#include "cli/query/failures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/query/row_source.h"

enum { TOLD_MAX = 3 }; /* the report has them all */

static void tell(const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    uint64_t *failed = arg;

    if (strcmp(row->state, "failed") != 0)
        return;
    if (++*failed > TOLD_MAX)
        return;
    fprintf(stderr, "point %" PRIu64 ", repeat %" PRIu64, row->point, row->repeat);
    if (*row->point_text)
        fprintf(stderr, " (%s)", row->point_text);
    fprintf(stderr, ": %s\n", *row->reason ? row->reason : row->status);
}

static void tell_rest(uint64_t failed)
{
    if (failed > TOLD_MAX)
        fprintf(stderr, "and %" PRIu64 " more that failed; the report tells why\n",
                failed - TOLD_MAX);
}

void failures_tell(struct client *client, uint64_t job_id)
{
    struct msg_list_tasks question = {.job_id = job_id};
    uint64_t failed = 0;
    struct err ignored; /* the job has ended all the same */

    client_each(client, MSG_LIST_TASKS, &question, MSG_TASK_ROW, tell, &failed,
                &ignored);
    tell_rest(failed);
}

void failures_tell_from(struct row_source *source, uint64_t job_id)
{
    uint64_t failed = 0;
    struct err ignored;

    row_source_each(source, MSG_TASK_ROW, job_id, tell, &failed, &ignored);
    tell_rest(failed);
}
