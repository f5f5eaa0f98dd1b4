/* html.h - the report as one page that opens from disk, without any network */
#ifndef PARSERS_REPORTS_HTML_H
#define PARSERS_REPORTS_HTML_H

struct report;
struct text;

/* Adds the whole page to `page`. */
void report_to_html(const struct report *report, struct text *page);

#endif
