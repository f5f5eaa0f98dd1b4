/* junit.h - junit.xml: a test case for each task */
#ifndef PARSERS_REPORTS_JUNIT_H
#define PARSERS_REPORTS_JUNIT_H

struct report;
struct text;

/* A task that failed is a failure with its reason; another task without a result, for
 * example one that was cancelled, is an error. */
void report_to_junit(const struct report *report, struct text *out);

#endif
