/* rank_list.h - the folders of the ranks of a capture, and their files */
#ifndef PARSERS_FRAMEWORK_RANK_LIST_H
#define PARSERS_FRAMEWORK_RANK_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"

enum rank_file {
    RANK_KERNELS, /* kernel_details.csv, or op_summary_*.csv */
    RANK_TRACE,   /* trace_view.json, or msprof_*.json */
    RANK_STEP_TRACE,
    RANK_COMM,
    RANK_COMM_MATRIX,
    RANK_HOST_OPS, /* operator_details.csv */
    RANK_INFO,
    RANK_METADATA,
    RANK_DATABASE,    /* ascend_pytorch_profiler_<rank>.db and the like */
    RANK_ANALYSIS_DB, /* analysis.db */
    RANK_FILE_COUNT,
};

struct rank_folder {
    char *path;   /* *_ascend_pt, PROF_* or the folder with the files */
    char *output; /* the folder with the files */
    int64_t rank;
    int32_t device; /* of a database with several; -1: all */
    /* Names of the user's annotations of steps and of layers; borrowed, or NULL. */
    const char *marker, *layer;
    char *files[RANK_FILE_COUNT]; /* paths; NULL: the file is missing */
    char **more_kernels;          /* further slices of op_summary_slice_*.csv */
    size_t more_kernel_count;
};

struct rank_folders {
    struct rank_folder *rows; /* by rank */
    size_t count;
    struct text warnings; /* one per line: what was ambiguous or left out */
};

/* Frees the texts of a folder that is in no list. */
void rank_list_clear_folder(struct rank_folder *folder);
/* Takes over the folder's memory. */
void rank_list_add(struct rank_folders *folders, const struct rank_folder *folder);
void rank_list_remove(struct rank_folders *folders, size_t index);
void rank_list_clear(struct rank_folders *folders);

const char *rank_file_name(enum rank_file file);
/* Returns the pattern of the name that msprof gives the file, or NULL. */
const char *rank_file_msprof_pattern(enum rank_file file);
/* Returns a phrase about the analysis without the file. */
const char *rank_file_purpose(enum rank_file file);

#endif
