#include "cli/query/failures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/query/row_source.h"

enum { PRINTED_MAX = 3 }; /* the report lists all */

static void print_failure(const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    uint64_t *failed = arg;

    if (strcmp(row->state, "failed") != 0)
        return;
    if (++*failed > PRINTED_MAX)
        return;
    fprintf(stderr, "point %" PRIu64 ", repeat %" PRIu64, row->point, row->repeat);
    if (*row->point_text)
        fprintf(stderr, " (%s)", row->point_text);
    fprintf(stderr, ": %s\n", *row->reason ? row->reason : row->status);
}

static void print_rest(uint64_t failed)
{
    if (failed > PRINTED_MAX)
        fprintf(stderr, "and %" PRIu64 " more failed tasks; the report lists them\n",
                failed - PRINTED_MAX);
}

void failures_print(struct client *client, uint64_t job_id)
{
    struct msg_list_tasks request = {.job_id = job_id};
    uint64_t failed = 0;
    struct err ignored; /* the list is only additional output */

    client_each(client, MSG_LIST_TASKS, &request, MSG_TASK_ROW, print_failure, &failed,
                &ignored);
    print_rest(failed);
}

void failures_print_from_store(struct row_source *source, uint64_t job_id)
{
    uint64_t failed = 0;
    struct err ignored;

    row_source_each(source, MSG_TASK_ROW, job_id, print_failure, &failed, &ignored);
    print_rest(failed);
}
