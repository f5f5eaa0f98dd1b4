/* check_problem.h - a broken rule, as the checks report it */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_PROBLEM_H
#define PARSERS_VISUALIZE_CHECK_CHECK_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An error is data that the reader rejects or loses. A warning is data that the reader
 * accepts but that a careful writer avoids. */
struct check_problem {
    bool is_error;
    size_t block;    /* index from 0; 0 for a problem of the file as a whole */
    unsigned type;   /* 0 for a problem of the file as a whole */
    uint64_t offset; /* in the file */
    const char *rule;
    char text[200];
};

typedef void check_fn(const struct check_problem *problem, void *arg);

#endif
