/* html.h - report.html: one page that needs no network */
#ifndef PARSERS_REPORTS_HTML_H
#define PARSERS_REPORTS_HTML_H

struct report;
struct text;

/* Appends the page. */
void report_to_html(const struct report *report, struct text *page);

#endif
