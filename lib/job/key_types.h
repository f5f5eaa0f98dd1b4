/* key_types.h - types of the values of job keys, and a reader for each
 *
 * Each reader stores the value of a key in the member that the row names. A reader
 * reports each problem; a job with problems is discarded. */
#ifndef LIB_JOB_KEY_TYPES_H
#define LIB_JOB_KEY_TYPES_H

#include "lib/job/job_reader.h"

struct row;
typedef void key_read_fn(struct job_reader *reader,
                         const struct row *row,
                         const struct yaml_node *node,
                         const char *key);

struct row {
    const char *section; /* "": the top level of the file */
    const char *name;
    int flags; /* REQUIRED, LATER, POINT of job_read.c */
    key_read_fn *read;
    /* of the member in struct job_settings; for key_read_later() in struct job_reader
     */
    size_t offset;
    uint64_t least, most;
    /* Allowed words. NULL ends the words of this version, a second NULL those of later
     * versions. */
    const char *const *words;
};

key_read_fn key_read_version, key_read_name, key_read_u64, key_read_text,
    key_read_choice;
/* Reads a whole number; one of row->words stands for 0. */
key_read_fn key_read_count;
/* Reads a list of patterns, or one pattern, into a text with one pattern per line. */
key_read_fn key_read_patterns;
key_read_fn key_read_switch, key_read_metrics, key_read_time, key_read_after;
/* Percentages: of any size, and from 0 to 1 (which may be written as 0.01 too). */
key_read_fn key_read_share, key_read_probability;
/* Reads a percentage into *out, which a problem leaves unchanged. */
void key_parse_share(struct job_reader *reader,
                     const struct yaml_node *node,
                     const char *key,
                     double *out);
/* A list of words, as bits in the order of row->words. */
key_read_fn key_read_bits;
/* Rejects the key `include`: job_files_read() has removed it from a file on disk. */
key_read_fn key_read_include;
/* The same for `operator.config`, whose file job_files_read() has read. */
key_read_fn key_read_config;
/* Reads JSON with names of marks. A name of a file is rejected: job_files_read() has
 * replaced it by the file's text. */
key_read_fn key_read_custom_input;
/* Stores the node. It is read after all variables of the sweep. */
key_read_fn key_read_later;

#endif
