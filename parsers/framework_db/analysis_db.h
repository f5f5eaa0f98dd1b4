/* analysis_db.h - reads analysis.db: step times, collectives and links, as in the text
 * export
 *
 * Each function returns an error when the database has no such table. */
#ifndef PARSERS_FRAMEWORK_DB_ANALYSIS_DB_H
#define PARSERS_FRAMEWORK_DB_ANALYSIS_DB_H

#include "lib/base/err.h"
#include "parsers/framework/comm_matrix.h"
#include "parsers/framework/comm_ops.h"
#include "parsers/framework/profiler_info.h"
#include "parsers/framework/step_trace.h"

int analysis_db_read_steps(struct step_trace *trace, const char *path, struct err *err);
int analysis_db_read_comm(struct comm_ops *ops,
                          struct names *names,
                          const char *path,
                          struct err *err);
int analysis_db_read_matrix(struct comm_matrix *matrix,
                            struct names *names,
                            const char *path,
                            struct err *err);
/* Reads the parallel groups from META_DATA of the database of a rank. */
int analysis_db_read_metadata(struct profiler_metadata *metadata,
                              const char *path,
                              struct err *err);

#endif
