/* result_files.h - finds files in the folders of results that no row of `outputs` names
 *
 * A parser that was killed, or that found a full disk, leaves files of which nothing is
 * stored; so does an attempt whose task was repeated. */
#ifndef LIB_STORE_RESULT_FILES_H
#define LIB_STORE_RESULT_FILES_H

#include <stdint.h>

#include "lib/base/err.h"

struct store;

typedef int result_files_fn(const char *path, void *arg, struct err *err);

/* Calls fn for each file below `folder`, the folder of a point and repeat, that is not
 * an output of this attempt; run_id 0: for each file. A missing folder has none. */
int result_files_each_stray(struct store *store,
                            uint64_t run_id,
                            const char *folder,
                            result_files_fn *fn,
                            void *arg,
                            struct err *err);
/* Calls fn for each such file of a job, whose folder is `folder`. Tasks that have not
 * ended are left out, because their files are not stored yet. */
int result_files_each_stray_of_job(struct store *store,
                                   uint64_t job_id,
                                   const char *folder,
                                   result_files_fn *fn,
                                   void *arg,
                                   struct err *err);
/* Removes these files, and the folders that are empty then. */
int result_files_remove_strays(struct store *store,
                               uint64_t run_id,
                               const char *folder,
                               struct err *err);

#endif
