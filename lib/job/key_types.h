/* key_types.h - what a key of a job file may hold, and how it is read
 *
 * Each of these reads the node of one row's key into the place that the row names, or
 * tells what is wrong and leaves it as it was. */
#ifndef LIB_JOB_KEY_TYPES_H
#define LIB_JOB_KEY_TYPES_H

#include "lib/job/job_reader.h"

struct row;
typedef void take_fn(struct reader *reader,
                     const struct row *row,
                     const struct yaml_node *node,
                     const char *key);

struct row {
    const char *section; /* "" is the file itself */
    const char *name;
    int need;
    take_fn *take;
    size_t offset; /* into struct job_settings, or struct reader for keep() */
    uint64_t least, most;
    const char *const *words; /* of choices; a NULL ends those of this version, a
                               * second one those of later versions */
};

take_fn take_version, take_name, take_u64, take_text, take_choice;
take_fn take_switch, take_metrics, take_time, take_retry_on, take_after, take_share;
/* Of files nothing is left when a job file was read from disk. */
take_fn take_include;
/* Remembers the node, for when all names of the sweep are known. */
take_fn take_later;

#endif
