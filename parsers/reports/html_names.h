/* html_names.h - names of works and cards in report.html */
#ifndef PARSERS_REPORTS_HTML_NAMES_H
#define PARSERS_REPORTS_HTML_NAMES_H

#include <stddef.h>

struct report;

/* Returns one name for each work, and one for each card. The caller frees the list with
 * report_names_free(). */
char **report_work_names(const struct report *report);
char **report_card_names(const struct report *report);
void report_names_free(char **names, size_t count);

#endif
