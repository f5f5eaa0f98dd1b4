/* gang_html.h - the analyses of a job on several cards, in report.html */
#ifndef PARSERS_GANG_REPORT_GANG_HTML_H
#define PARSERS_GANG_REPORT_GANG_HTML_H

struct gang_figures;
struct text;

/* Adds a section for each analysis that has rows: a table, and a plot of the scaling.
 */
void gang_html_write(const struct gang_figures *figures, struct text *page);

#endif
