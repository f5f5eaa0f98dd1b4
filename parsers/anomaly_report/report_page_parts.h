/* report_page_parts.h - tables of the page: groups of steps, causes, parts, clocks */
#ifndef PARSERS_ANOMALY_REPORT_REPORT_PAGE_PARTS_H
#define PARSERS_ANOMALY_REPORT_REPORT_PAGE_PARTS_H

#include "lib/base/text.h"
#include "parsers/anomaly/analysis.h"

/* `id` begins the ids of the tables. */
void report_page_causes(struct text *page,
                        const struct analysis *analysis,
                        const char *id);
void report_page_groups(struct text *page,
                        const struct analysis *analysis,
                        const char *id);
/* Of the first step of the group with the most time. */
void report_page_parts(struct text *page,
                       const struct analysis *analysis,
                       const char *id);

#endif
