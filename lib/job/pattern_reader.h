/* pattern_reader.h - reads texts that may contain ${name} */
#ifndef LIB_JOB_PATTERN_READER_H
#define LIB_JOB_PATTERN_READER_H

#include "lib/job/job_reader.h"

struct pattern_reader {
    struct job_reader *reader;
    size_t bytes; /* length of all patterns, each with its longest values */
};

/* Returns the pattern of `prefix` and the text of the node, or NULL after a reported
 * problem. `most` limits the bytes of the text. */
const struct pattern *pattern_reader_read(struct pattern_reader *patterns,
                                          const struct yaml_node *node,
                                          const char *key,
                                          size_t most,
                                          const char *prefix);
/* Reads a list of at most JOB_WORDS_MAX words. Returns false after a reported problem
 * of the list as a whole. */
bool pattern_reader_list(struct pattern_reader *patterns,
                         struct patterns *out,
                         const struct yaml_node *list,
                         const char *key);

/* env_read.c: appends the variables of a map, as NAME=value */
void env_read(struct pattern_reader *patterns,
              struct patterns *env,
              const struct yaml_node *map,
              const char *key);
/* places_read.c: reads cards.at */
void places_read(struct pattern_reader *patterns);
/* parts_read.c: reads the commands of operator.overlap */
void parts_read(struct pattern_reader *patterns);

#endif
