/* json.h - report.json */
#ifndef PARSERS_REPORTS_JSON_H
#define PARSERS_REPORTS_JSON_H

struct report;
struct text;

void report_to_json(const struct report *report, struct text *out);

#endif
