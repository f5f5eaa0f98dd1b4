/* markdown.h - writes headings, tables and options as Markdown */
#ifndef CLI_REFERENCE_MARKDOWN_H
#define CLI_REFERENCE_MARKDOWN_H

#include "lib/base/options.h"
#include "lib/base/text.h"

/* The first lines of a generated page. */
void markdown_title(struct text *out, const char *title);
void markdown_section(struct text *out, const char *title);

/* Begins a table. The columns end with NULL. */
void markdown_table(struct text *out, const char *const *columns);
/* Appends a row. Each cell is escaped for a table; the cells end with NULL. */
void markdown_row(struct text *out, const char *const *cells);

/* Appends a table of all listed options with values and choices. */
void markdown_options(struct text *out, const struct option_row *rows);

#endif
