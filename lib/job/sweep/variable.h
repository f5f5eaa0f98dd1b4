/* variable.h - the names that a sweep gives values to */
#ifndef LIB_JOB_SWEEP_VARIABLE_H
#define LIB_JOB_SWEEP_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>

struct value {
    const char *text;
    double number;
    bool is_number;
};

struct variable {
    const char *name;
    const struct value *values; /* as many as its axis has */
    size_t axis;
    size_t longest; /* bytes of the longest value */
    bool all_numbers;
};

struct variables { /* in the order of the file */
    const struct variable *items;
    size_t count;
};

struct value value_of(const char *text); /* borrows the text */
/* NULL when there is none; then *nearest is a similar name, or NULL. `length` bytes of
 * `name` count. */
const struct variable *variable_find(const struct variables *variables,
                                     const char *name,
                                     size_t length,
                                     const char **nearest);
/* [A-Za-z_][A-Za-z0-9_]*, up to 64. */
bool variable_name_is_good(const char *name);

#endif
