#include "lib/gang/point_group.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

static bool is_left_out(const char *name, const char *const *left_out)
{
    for (; *left_out; left_out++)
        if (strcmp(*left_out, name) == 0)
            return true;
    return false;
}

static void name_point(struct text *name,
                       const struct job *job,
                       const struct job_point *point,
                       const char *const *left_out)
{
    text_reset(name);
    for (size_t i = 0; i < job_variable_count(job); i++)
        if (!is_left_out(job_variable_name(job, i), left_out))
            text_printf(name, "%s%s=%s", name->length ? " " : "",
                        job_variable_name(job, i), point->values[i]);
}

/* The values of the map are positions + 1. */
static struct point_group *find_or_add(struct point_group **groups,
                                       size_t *count,
                                       struct map *names,
                                       const char *name)
{
    uintptr_t at = (uintptr_t)map_get(names, name);

    if (!at) {
        *groups = xreallocarray(*groups, *count + 1, sizeof(**groups));
        (*groups)[*count] = (struct point_group){.name = xstrdup(name)};
        at = ++*count;
        map_put(names, name, (void *)at);
    }
    return &(*groups)[at - 1];
}

struct point_group *
point_groups_find(const struct job *job, const char *const *left_out, size_t *count)
{
    struct job_points *points = job_points_create(job);
    struct point_group *groups = NULL;
    struct map *names = map_create();
    struct text name = {0};
    struct job_point point;

    *count = 0;
    while (job_points_next(points, &point)) {
        name_point(&name, job, &point, left_out);
        struct point_group *group = find_or_add(&groups, count, names, text_get(&name));
        group->points =
            xreallocarray(group->points, group->count + 1, sizeof(*group->points));
        group->points[group->count++] = point.index;
    }
    text_clear(&name);
    map_destroy(names);
    job_points_destroy(points);
    return groups;
}

void point_groups_destroy(struct point_group *groups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(groups[i].name);
        free(groups[i].points);
    }
    free(groups);
}

char *point_value(const struct job *job, uint64_t index, const char *variable)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;
    char *value = NULL;

    job_points_at(points, index, &point);
    for (size_t i = 0; i < job_variable_count(job) && !value; i++)
        if (strcmp(job_variable_name(job, i), variable) == 0)
            value = xstrdup(point.values[i]);
    job_points_destroy(points);
    return value;
}
