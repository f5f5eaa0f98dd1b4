/* rank_folders.h - finds the ranks of a capture: one folder per rank
 *
 * A rank is a folder *_ascend_pt or *_ascend_ms with a folder ASCEND_PROFILER_OUTPUT, a
 * folder PROF_* with a folder mindstudio_profiler_output, or a folder that holds
 * kernel_details.csv or op_summary_*.csv itself. Its number comes from the first of
 * these sources: the name of profiler_info_<rank>.json, the name of its database,
 * rank_id in profiler_info, distributed_args in profiler_metadata.json, info.json of
 * msprof, rank<number> in the name of the folder. The device is never used as the rank.
 */
#ifndef PARSERS_FRAMEWORK_RANK_FOLDERS_H
#define PARSERS_FRAMEWORK_RANK_FOLDERS_H

#include <stddef.h>

#include "lib/base/err.h"
#include "parsers/framework/rank_list.h"

/* Searches all paths, with their sub-folders. Returns an error when a path does not
 * exist or no rank was found. */
int rank_folders_find(struct rank_folders *folders,
                      char *const *paths,
                      size_t count,
                      struct err *err);

#endif
