#include "cli/query/job_filter.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

void job_filter_add(const void *message, void *arg)
{
    const struct msg_job_row *row = message;
    struct job_filter *filter = arg;

    if ((filter->user && strcmp(row->user, filter->user) != 0) ||
        (filter->state && strcmp(row->state, filter->state) != 0))
        return;
    if (filter->count == filter->room) {
        filter->room = filter->room ? filter->room * 2 : 64;
        filter->rows = xreallocarray(filter->rows, filter->room, sizeof(*filter->rows));
    }
    struct msg_job_row *copy = &filter->rows[filter->count++];
    *copy = *row;
    copy->job_key = xstrdup(row->job_key);
    copy->state = xstrdup(row->state);
    copy->user = xstrdup(row->user);
    copy->compare_against = xstrdup(row->compare_against ? row->compare_against : "");
    copy->compare_metric = xstrdup(row->compare_metric ? row->compare_metric : "");
}

size_t job_filter_first(const struct job_filter *filter)
{
    return filter->last && filter->last < filter->count ? filter->count - filter->last
                                                        : 0;
}

void job_filter_clear(struct job_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        struct msg_job_row *row = &filter->rows[i];

        free((char *)row->job_key);
        free((char *)row->state);
        free((char *)row->user);
        free((char *)row->compare_against);
        free((char *)row->compare_metric);
    }
    free(filter->rows);
    *filter = (struct job_filter){0};
}
