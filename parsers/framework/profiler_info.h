/* profiler_info.h - reads profiler_info_<rank>.json and profiler_metadata.json */
#ifndef PARSERS_FRAMEWORK_PROFILER_INFO_H
#define PARSERS_FRAMEWORK_PROFILER_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct profiler_info {
    int with_stack, record_shapes; /* 1, 0, or -1: the file has no such setting */
    int64_t rank;                  /* -1: none; a number or a text in the file */
    char level[16];                /* "Level1", or "" */
};

int profiler_info_read(struct profiler_info *info, const char *path, struct err *err);

struct profiler_group {
    char *id, *name; /* "group_name_5", "dp_cp" */
    uint64_t hash;   /* by which the communication files name the group */
    unsigned *ranks; /* in the order of their rank in the group */
    size_t rank_count;
};

struct profiler_metadata {
    int64_t rank;   /* -1: none */
    uint64_t world; /* 0: none */
    uint64_t tensor, pipeline, data, context;
    struct profiler_group *groups;
    size_t group_count;
};

int profiler_metadata_read(struct profiler_metadata *metadata,
                           const char *path,
                           struct err *err);
/* The same from memory; `name` is for errors. */
int profiler_metadata_parse(struct profiler_metadata *metadata,
                            const char *name,
                            const char *json,
                            size_t size,
                            struct err *err);
void profiler_metadata_clear(struct profiler_metadata *metadata);

/* Returns the number by which communication files name the group. */
uint64_t profiler_group_hash(const char *id);

#endif
