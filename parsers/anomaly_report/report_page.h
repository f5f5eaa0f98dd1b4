/* report_page.h - the analysis of a rank as sections of an HTML page */
#ifndef PARSERS_ANOMALY_REPORT_REPORT_PAGE_H
#define PARSERS_ANOMALY_REPORT_REPORT_PAGE_H

#include "lib/base/text.h"
#include "parsers/anomaly/analysis.h"

/* Writes the sections of a rank: its figures, a strip per step, gaps, operators,
 * advice. */
void report_page_write_rank(struct text *page, const struct analysis *analysis);

#endif
