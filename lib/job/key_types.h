/* key_types.h - what a key of a job file may hold, and how it is read
 *
 * Each of these reads the node of one row's key into the place that the row names, or
 * tells what is wrong and leaves it as it was. */
#ifndef LIB_JOB_KEY_TYPES_H
#define LIB_JOB_KEY_TYPES_H

#include "lib/job/job_reader.h"

struct row;
typedef void key_read_fn(struct job_reader *reader,
                         const struct row *row,
                         const struct yaml_node *node,
                         const char *key);

struct row {
    const char *section; /* "" is the file itself */
    const char *name;
    int need;
    key_read_fn *take;
    size_t offset; /* into struct job_settings, or struct job_reader for keep() */
    uint64_t least, most;
    const char *const *words; /* of choices; a NULL ends those of this version, a
                               * second one those of later versions */
};

key_read_fn key_read_version, key_read_name, key_read_u64, key_read_text,
    key_read_choice;
key_read_fn key_read_switch, key_read_metrics, key_read_time, key_read_retry_on,
    key_read_after, key_read_share;
/* Of files nothing is left when a job file was read from disk. */
key_read_fn key_read_include;
/* Remembers the node, for when all names of the sweep are known. */
key_read_fn key_read_later;

#endif
