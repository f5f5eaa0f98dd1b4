/* compare_page.h - a comparison as an HTML page, with all levels
 *
 * Other pages may take single parts: each part appends sections to a page (page.h) and
 * leaves out what has no rows. */
#ifndef CLI_COMPARE_COMPARE_PAGE_H
#define CLI_COMPARE_COMPARE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/compare/comparison.h"

struct text;

struct compare_page {
    const char *base, *fresh; /* names of the base and the new job */
    const char *counts;       /* "2 regressed, 5 same" */
    const char *notes;        /* lines about what makes the result uncertain, or "" */
    const struct comparison_settings *settings;
    const struct comparison *comparison; /* judged */
};

/* Writes compare.html to the folder, which it creates. */
int compare_page_write(const struct compare_page *page,
                       const char *folder,
                       struct err *err);

/* The change of each point on each card, where the jobs list cards.ids. */
void compare_page_add_heat(struct text *out,
                           const struct comparison_row *rows,
                           size_t count);
/* A section for each of point, card, host and fleet. */
void compare_page_add_groups(struct text *out, const struct comparison *comparison);
/* `fold`: the cells of a point are folded under one row. */
void compare_page_add_cells(struct text *out,
                            const struct comparison_row *rows,
                            size_t count,
                            bool fold);

#endif
