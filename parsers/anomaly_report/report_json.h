/* report_json.h - writes the analysis of a rank as JSON
 *
 * Times: ms with 6 decimals, us with 3, and us since 1970 as numbers. */
#ifndef PARSERS_ANOMALY_REPORT_REPORT_JSON_H
#define PARSERS_ANOMALY_REPORT_REPORT_JSON_H

#include "lib/base/json_write.h"
#include "parsers/anomaly/analysis.h"

void report_json_write(struct json_write *json, const struct analysis *analysis);
/* Writes the object of a rank that cannot be analysed, with the reason. */
void report_json_write_disabled(struct json_write *json,
                                int64_t rank,
                                const char *reason);

#endif
