#include "cli/query/point_axes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

struct point_axes {
    struct job *job; /* NULL: its file cannot be read */
    struct job_points *points;
    struct job_point point; /* of the last call of point_axes_values() */
    bool has_point;
};

struct point_axes *point_axes_parse(const char *yaml)
{
    struct point_axes *axes = xcalloc(1, sizeof(*axes));
    struct problems problems = {0};

    if (job_parse(&axes->job, yaml, strlen(yaml), &problems) == 0)
        axes->points = job_points_create(axes->job);
    problems_clear(&problems);
    return axes;
}

int point_axes_read(struct point_axes **out,
                    struct row_source *source,
                    uint64_t job_id,
                    struct err *err)
{
    char *yaml = NULL;

    if (row_source_job_file(source, job_id, &yaml, err) < 0)
        return -1;
    *out = point_axes_parse(yaml ? yaml : "");
    free(yaml);
    return 0;
}

void point_axes_destroy(struct point_axes *axes)
{
    if (!axes)
        return;
    job_points_destroy(axes->points);
    job_destroy(axes->job);
    free(axes);
}

size_t point_axes_count(const struct point_axes *axes)
{
    return axes->points ? job_variable_count(axes->job) : 0;
}

const char *point_axes_name(const struct point_axes *axes, size_t axis)
{
    return job_variable_name(axes->job, axis);
}

int point_axes_find(const struct point_axes *axes,
                    const char *name,
                    size_t *axis,
                    struct err *err)
{
    struct text names = {0};

    for (*axis = 0; *axis < point_axes_count(axes); ++*axis) {
        if (strcmp(point_axes_name(axes, *axis), name) == 0) {
            text_clear(&names);
            return 0;
        }
        text_printf(&names, "%s%s", *axis ? ", " : "", point_axes_name(axes, *axis));
    }
    if (names.length)
        err_set(err, ERR_NOT_FOUND, "the job has no axis '%s'; its axes are %s", name,
                text_get(&names));
    else
        err_set(err, ERR_NOT_FOUND, "the job has no axis '%s': it has no sweep", name);
    text_clear(&names);
    return -1;
}

const char *const *point_axes_values(struct point_axes *axes, uint64_t point)
{
    if (!axes->points || point >= job_point_count(axes->job))
        return NULL;
    if (!axes->has_point || axes->point.index != point)
        job_points_at(axes->points, point, &axes->point);
    axes->has_point = true;
    return axes->point.values;
}
