/* html_parts.h - the sections of report.html, one function each
 *
 * A section that has nothing to show is left out. */
#ifndef PARSERS_REPORTS_HTML_PARTS_H
#define PARSERS_REPORTS_HTML_PARTS_H

struct report;
struct text;

/* Sentences about what is unusual. */
void report_html_standouts(const struct report *report, struct text *page);
/* Each work on each card against the median of all cards; the cards. */
void report_html_cards(const struct report *report, struct text *page);
/* Distributions over cards and repeats; all durations; links to the data. */
void report_html_durations(const struct report *report, struct text *page);
/* Use of the pipes, memory and L2 cache, roofline. */
void report_html_usage(const struct report *report, struct text *page);
/* Advice on the kernels of each point, folded below the point. */
void report_html_advice(const struct report *report, struct text *page);
void report_html_notes(const struct report *report, struct text *page);
/* Compute, transfer and wait of each rank. */
void report_html_ranks(const struct report *report, struct text *page);
/* Steps of programs that profiled themselves, with their anomalies. */
void report_html_steps(const struct report *report, struct text *page);
/* Tasks without a result. */
void report_html_failures(const struct report *report, struct text *page);
/* Versions, hash of the job file. */
void report_html_pedigree(const struct report *report, struct text *page);

#endif
