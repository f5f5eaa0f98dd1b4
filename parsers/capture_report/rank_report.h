/* rank_report.h - analyses one rank, writes its files, and makes its part of the report
 * of the capture
 *
 * A process that analyses a rank passes its report packed to the process above. */
#ifndef PARSERS_CAPTURE_REPORT_RANK_REPORT_H
#define PARSERS_CAPTURE_REPORT_RANK_REPORT_H

#include "lib/base/err.h"
#include "lib/base/text.h"
#include "parsers/capture_report/report_options.h"
#include "parsers/cluster/rank_times.h"
#include "parsers/framework/rank_list.h"

struct rank_report {
    struct text out;          /* the printed part, in the chosen format */
    struct text page;         /* its part of the page */
    struct text reason;       /* of a rank that was not analysed */
    struct rank_times *times; /* of its steps */
    size_t time_count;
    bool is_failed;
};

/* The phases of the work for a rank. */
enum rank_phase { RANK_READING, RANK_ANALYSING, RANK_WRITING, RANK_PHASE_COUNT };
const char *rank_phase_name(enum rank_phase phase);
typedef void rank_phase_fn(void *arg, enum rank_phase phase);

/* Calls phase_fn, unless it is NULL, at the begin of each phase. Returns an error when
 * a file cannot be written. A rank that cannot be analysed is no error. */
int rank_report_create(struct rank_report *report,
                       const struct rank_folder *folder,
                       const struct capture_report_options *options,
                       rank_phase_fn *phase_fn,
                       void *phase_arg,
                       struct err *err);
/* Makes the report of a rank that was not analysed for the reason that is set. */
void rank_report_fail(struct rank_report *report,
                      int64_t rank,
                      enum capture_format format);
void rank_report_clear(struct rank_report *report);

void rank_report_pack(struct text *out, const struct rank_report *report);
void rank_report_unpack(struct rank_report *report, const char *bytes, size_t size);

#endif
