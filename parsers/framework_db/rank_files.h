/* rank_files.h - reads what a rank has, from the text export or else from a database
 *
 * A function returns true when a source was read. Otherwise it adds a line to
 * `limitations`: what is missing or damaged, and what this costs. */
#ifndef PARSERS_FRAMEWORK_DB_RANK_FILES_H
#define PARSERS_FRAMEWORK_DB_RANK_FILES_H

#include "lib/base/text.h"
#include "parsers/framework/comm_matrix.h"
#include "parsers/framework/comm_ops.h"
#include "parsers/framework/profiler_info.h"
#include "parsers/framework/rank_host.h"
#include "parsers/framework/rank_list.h"
#include "parsers/framework/step_trace.h"
#include "parsers/host_trace/trace_view.h"

bool rank_files_read_trace(struct trace_view *trace,
                           struct names *names,
                           const struct intervals *idle,
                           const struct rank_folder *folder,
                           struct text *limitations);
bool rank_files_read_steps(struct step_trace *steps,
                           const struct rank_folder *folder,
                           struct text *limitations);
bool rank_files_read_comm(struct comm_ops *ops,
                          struct names *names,
                          const struct rank_folder *folder,
                          struct text *limitations);
bool rank_files_read_matrix(struct comm_matrix *matrix,
                            struct names *names,
                            const struct rank_folder *folder,
                            struct text *limitations);
bool rank_files_read_info(struct profiler_info *info,
                          const struct rank_folder *folder,
                          struct text *limitations);
/* Leaves what is unknown empty; only a damaged database is a limitation. */
void rank_files_read_host(struct rank_host *host,
                          const struct rank_folder *folder,
                          struct text *limitations);
bool rank_files_read_metadata(struct profiler_metadata *metadata,
                              const struct rank_folder *folder,
                              struct text *limitations);

#endif
