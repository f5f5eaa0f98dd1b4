/* capture_report.h - analyses the ranks of a capture
 *
 * Each rank is read and reported before another one of the same process, so that the
 * memory does not grow with the number of ranks. With several processes, a rank that
 * crashes or exceeds its limits is left out; the others are not affected. */
#ifndef PARSERS_CAPTURE_REPORT_CAPTURE_REPORT_H
#define PARSERS_CAPTURE_REPORT_CAPTURE_REPORT_H

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "parsers/capture_report/report_options.h"
#include "parsers/framework/rank_list.h"

/* Adds the report in the chosen format to `out`. With a folder it also writes
 * analysis.html, cluster.json for several ranks and, per rank,
 * rank_N/anomaly_discovery.json, rank_N/anomaly_report.md and
 * rank_N/model_architecture_report_FOLDER.md. A rank that cannot be
 * analysed is reported and left out. */
int capture_report_write(struct text *out,
                         const struct rank_folders *folders,
                         const struct capture_report_options *options,
                         struct err *err);

#endif
