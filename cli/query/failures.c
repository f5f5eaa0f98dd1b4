#include "cli/query/failures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/query/row_source.h"
#include "lib/base/mem.h"

enum { CAUSES_MAX = 3 }; /* the report lists all */

/* Failed tasks with the same reason, and the first of them. */
struct cause {
    uint64_t point, repeat, tasks;
    char *point_text, *reason;
};

struct failures {
    struct cause causes[CAUSES_MAX];
    size_t count;
    uint64_t others; /* failed tasks with further reasons */
};

static void add_failure(const void *message, void *arg)
{
    const struct msg_task_row *row = message;
    const char *reason = *row->reason ? row->reason : row->status;
    struct failures *failures = arg;
    size_t at = 0;

    if (strcmp(row->state, "failed") != 0)
        return;
    while (at < failures->count && strcmp(failures->causes[at].reason, reason) != 0)
        at++;
    if (at == CAUSES_MAX) {
        failures->others++;
        return;
    }
    if (at == failures->count)
        failures->causes[failures->count++] =
            (struct cause){.point = row->point,
                           .repeat = row->repeat,
                           .point_text = xstrdup(row->point_text),
                           .reason = xstrdup(reason)};
    failures->causes[at].tasks++;
}

static void print_cause(const struct cause *cause)
{
    uint64_t more = cause->tasks - 1;

    fprintf(stderr, "point %" PRIu64 ", repeat %" PRIu64, cause->point, cause->repeat);
    if (*cause->point_text)
        fprintf(stderr, " (%s)", cause->point_text);
    if (more > 0)
        fprintf(stderr, " and %" PRIu64 " more task%s", more, more == 1 ? "" : "s");
    fprintf(stderr, ": %s\n", cause->reason);
}

static void print_all(struct failures *failures)
{
    for (size_t i = 0; i < failures->count; i++) {
        print_cause(&failures->causes[i]);
        free(failures->causes[i].point_text);
        free(failures->causes[i].reason);
    }
    if (failures->others > 0)
        fprintf(stderr,
                "and %" PRIu64 " more failed tasks with other reasons; the report "
                "lists them\n",
                failures->others);
}

void failures_print(struct client *client, uint64_t job_id)
{
    struct msg_list_tasks request = {.job_id = job_id};
    struct failures failures = {0};
    struct err ignored; /* the list is only additional output */

    client_each(client, MSG_LIST_TASKS, &request, MSG_TASK_ROW, add_failure, &failures,
                &ignored);
    print_all(&failures);
}

void failures_print_from_store(struct row_source *source, uint64_t job_id)
{
    struct failures failures = {0};
    struct err ignored;

    row_source_each(source, MSG_TASK_ROW, job_id, add_failure, &failures, &ignored);
    print_all(&failures);
}
