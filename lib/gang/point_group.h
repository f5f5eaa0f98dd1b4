/* point_group.h - points of a job that differ only in some variables of the sweep */
#ifndef LIB_GANG_POINT_GROUP_H
#define LIB_GANG_POINT_GROUP_H

#include <stddef.h>
#include <stdint.h>

struct job;

/* The points that are equal but for the left out variables. */
struct point_group {
    char *name; /* the other variables: "m=1024 dtype=fp16"; "": there are none */
    uint64_t *points;
    size_t count;
};

/* Returns the groups in the order of their first points. `left_out` are names of
 * variables, ended by NULL. */
struct point_group *
point_groups_find(const struct job *job, const char *const *left_out, size_t *count);
void point_groups_destroy(struct point_group *groups, size_t count);

/* Returns the value of a variable at a point, which the caller frees, or NULL. */
char *point_value(const struct job *job, uint64_t point, const char *variable);

#endif
