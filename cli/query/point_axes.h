/* point_axes.h - the axes of a job, and their values at each point
 *
 * The values are computed from the job file that the store keeps. The text of a point
 * cannot be divided into them, because a value may contain spaces. */
#ifndef CLI_QUERY_POINT_AXES_H
#define CLI_QUERY_POINT_AXES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct point_axes;
struct row_source;

/* A job whose file this version cannot read has no axes. */
int point_axes_read(struct point_axes **out,
                    struct row_source *source,
                    uint64_t job_id,
                    struct err *err);
/* The same from the text of a job file. */
struct point_axes *point_axes_parse(const char *yaml);
void point_axes_destroy(struct point_axes *axes); /* NULL is allowed */

/* The axis `card`, which cards.ids adds, is the last one. */
size_t point_axes_count(const struct point_axes *axes);
const char *point_axes_name(const struct point_axes *axes, size_t axis);
/* Returns ERR_NOT_FOUND with the names of all axes when there is no such axis. */
int point_axes_find(const struct point_axes *axes,
                    const char *name,
                    size_t *axis,
                    struct err *err);
/* Returns the value of each axis, until the next call; NULL: there is no such point. */
const char *const *point_axes_values(struct point_axes *axes, uint64_t point);

#endif
