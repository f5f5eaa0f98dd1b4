/* page.h - the frame of an HTML page that needs no network, and its plain elements
 *
 * A page holds its style, its data as JSON and one script that draws tables (table.h)
 * and plots (plot.h). It is readable in light and dark, from 800 pixels on, and on
 * paper. Verdicts and sentences are plain elements: a reader without scripts sees them.
 *
 *     html_page_begin(&page, "night-7: complete");
 *     html_element(&page, "h1", "", "%s", name);
 *     html_element(&page, "p", "verdict good", "nothing regressed");
 *     html_section_begin(&page, "cards", "Cards", true);
 *     ... tables and plots ...
 *     html_section_end(&page);
 *     html_page_end(&page);
 *
 * All texts are escaped here. Classes of elements: verdict, good, bad, warn (colours),
 * soft (less important), note (in a coloured box; for example about simulated figures).
 */
#ifndef LIB_HTML_PAGE_H
#define LIB_HTML_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/text.h"

void html_page_begin(struct text *page, const char *title);
void html_page_end(struct text *page);
/* Every page with simulated figures has this note. */
void html_simulated_note(struct text *page);

/* A part with a heading that the reader can fold. The id, of letters, digits and -, is
 * the target of links within the page. */
void html_section_begin(struct text *page,
                        const char *id,
                        const char *heading,
                        bool open);
void html_section_end(struct text *page);

/* Adds <tag class="...">text</tag>. */
void html_element(struct text *page,
                  const char *tag,
                  const char *class,
                  const char *fmt,
                  ...) __attribute__((format(printf, 4, 5)));

/* Figures in large digits, each with a description. */
void html_tiles_begin(struct text *page);
void html_tile(struct text *page, const char *value, const char *description);
void html_tiles_end(struct text *page);

/* A list of sentences. */
void html_list_begin(struct text *page);
void html_list_item(struct text *page, const char *class, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void html_list_end(struct text *page);

#endif
