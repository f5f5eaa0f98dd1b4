/* capture_report.h - analyses the ranks of a capture one after the other
 *
 * The reports of a rank are written before the next rank is read, so that the memory
 * does not grow with the number of ranks. */
#ifndef PARSERS_CAPTURE_REPORT_CAPTURE_REPORT_H
#define PARSERS_CAPTURE_REPORT_CAPTURE_REPORT_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "parsers/framework/rank_list.h"

enum capture_format {
    CAPTURE_TEXT,
    CAPTURE_JSON, /* {"cluster": {...}, "ranks": [...]}: cluster.json with several
                   * ranks, and the objects of anomaly_discovery.json */
    CAPTURE_MARKDOWN,
    CAPTURE_HTML,
};

/* Gets a rank that could not be analysed, with the reason. */
typedef void capture_failed_fn(void *arg, int64_t rank, const char *reason);

struct analysis;
/* Gets a rank that was analysed. */
typedef void capture_analysed_fn(void *arg, const struct analysis *analysis);

struct capture_report_options {
    enum capture_format format;
    const char *to; /* folder for the files of all formats, or NULL */
    capture_failed_fn *failed;
    capture_analysed_fn *analysed; /* or NULL */
    void *arg;
};

/* Adds the report in the chosen format to `out`. With a folder it also writes
 * analysis.html, cluster.json for several ranks and, per rank,
 * rank_N/anomaly_discovery.json and rank_N/anomaly_report.md. A rank that cannot be
 * analysed is reported and left out. */
int capture_report_write(struct text *out,
                         const struct rank_folders *folders,
                         const struct capture_report_options *options,
                         struct err *err);

#endif
