/* profile_parse.h - analyses the profile that the program of a rank wrote about itself
 *
 * The files are below FOLDER/<place>/profile; the reports go to
 * FOLDER/<place>/analysis. In the output `kernel` is a group of steps with the same
 * sequence of kernels, step_group_<N>; a program that profiled several ranks has
 * rank_<N>/step_group_<N>. */
#ifndef PARSERS_RUN_PROFILE_PARSE_H
#define PARSERS_RUN_PROFILE_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/json_write.h"

struct profile_parse_work {
    const char *folder;
    const char *place; /* <host>/device<N> */
    uint32_t device;
    struct json_write *lines;
    size_t bad; /* out: number of reported errors */
};

/* Returns -1 only when a file cannot be written. */
int profile_parse(struct profile_parse_work *work, struct err *err);

#endif
