/* stored_gang.h - reads the figures of a job on several cards from a coordinator or
 * store
 */
#ifndef CLI_GANG_STORED_GANG_H
#define CLI_GANG_STORED_GANG_H

#include <stdint.h>

#include "lib/base/err.h"

struct gang_figures;
struct row_source;

/* Sets *figures to NULL when no task of the job has several cards. Figures of tasks
 * that failed are left out. */
int stored_gang_read(struct gang_figures **figures,
                     struct row_source *source,
                     uint64_t job_id,
                     struct err *err);

#endif
