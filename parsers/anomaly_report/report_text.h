/* report_text.h - the analysis of a rank in a few lines for a terminal */
#ifndef PARSERS_ANOMALY_REPORT_REPORT_TEXT_H
#define PARSERS_ANOMALY_REPORT_REPORT_TEXT_H

#include "lib/base/text.h"
#include "parsers/anomaly/analysis.h"

void report_text_write(struct text *out, const struct analysis *analysis);

#endif
