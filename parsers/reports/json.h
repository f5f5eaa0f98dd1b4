/* json.h - report.json and junit.xml */
#ifndef PARSERS_REPORTS_JSON_H
#define PARSERS_REPORTS_JSON_H

struct report;
struct text;

void report_to_json(const struct report *report, struct text *out);
/* Writes a failed test case for each task without a result, and one passed test case
 * for all tasks with a result. */
void report_to_junit(const struct report *report, struct text *out);

#endif
