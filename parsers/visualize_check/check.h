/* check.h - checks a visualize_data.bin against the rules of MindStudio Insight
 *
 * The rules describe the reader, not our writer: a file of ours that breaks a rule is
 * wrong. An error is data that the reader rejects or loses. A warning is data that the
 * reader accepts but that a careful writer avoids. */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_H
#define PARSERS_VISUALIZE_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check_problem {
    bool is_error;
    size_t block;    /* index from 0; 0 for a problem of the file as a whole */
    unsigned type;   /* 0 for a problem of the file as a whole */
    uint64_t offset; /* in the file */
    const char *rule;
    char text[200];
};

typedef void check_fn(const struct check_problem *problem, void *arg);

/* Calls fn for each problem. Returns the number of errors, without the warnings. */
size_t visualize_check(const uint8_t *bytes, size_t size, check_fn *fn, void *arg);

#endif
