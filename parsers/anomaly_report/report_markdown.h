/* report_markdown.h - the analysis of a rank as a report in Markdown */
#ifndef PARSERS_ANOMALY_REPORT_REPORT_MARKDOWN_H
#define PARSERS_ANOMALY_REPORT_REPORT_MARKDOWN_H

#include "lib/base/text.h"
#include "parsers/anomaly/analysis.h"

void report_markdown_write(struct text *out, const struct analysis *analysis);

#endif
