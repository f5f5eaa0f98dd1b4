/* variable.h - variables of a sweep and their values */
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
    const struct value *values; /* one per value of its axis */
    size_t axis;
    size_t longest; /* bytes of the longest value */
    bool all_numbers;
};

struct variables { /* in the order of the file */
    const struct variable *items;
    size_t count;
    bool *used; /* per variable: variable_find() found it; NULL: not recorded */
};

struct value value_of(const char *text); /* borrows the text */
/* Finds the variable named by the first `length` bytes of `name`. Returns NULL when
 * none exists; then *nearest is a similar name, or NULL. */
const struct variable *variable_find(const struct variables *variables,
                                     const char *name,
                                     size_t length,
                                     const char **nearest);
/* Returns true for [A-Za-z_][A-Za-z0-9_]* of at most 64 bytes. */
bool variable_name_is_good(const char *name);

#endif
