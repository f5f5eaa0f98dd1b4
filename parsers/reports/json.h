/* json.h - the report for machines: report.json and junit.xml */
#ifndef PARSERS_REPORTS_JSON_H
#define PARSERS_REPORTS_JSON_H

struct report;
struct text;

void report_to_json(const struct report *report, struct text *out);
/* A test case a task that has no result, and one for the job as a whole. */
void report_to_junit(const struct report *report, struct text *out);

#endif
