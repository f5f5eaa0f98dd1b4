#include "lib/html/page.h"

#include <stdarg.h>

#include "lib/html/escape.h"
#include "lib/html/html_script.h"
#include "lib/html/html_style.h"

/* The policy forbids the browser every request, so that a page cannot need a network
 * even if a name in it should be executed. */
static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";

void html_page_begin(struct text *page, const char *title)
{
    text_add(page, head);
    html_escape(page, title);
    text_add(page, "</title>\n<style>\n");
    text_add(page, html_style);
    text_add(page,
             "</style>\n</head><body><main>\n<noscript><p class=\"note\">Tables and "
             "plots of this page need JavaScript.</p></noscript>\n");
}

void html_page_end(struct text *page)
{
    text_add(page, "</main>\n<script>\n");
    text_add(page, html_script);
    text_add(page, "</script>\n</body></html>\n");
}

void html_simulated_note(struct text *page)
{
    html_element(page, "p", "note",
                 "Simulated figures: they come from a timing model, not from a card.");
}

void html_section_begin(struct text *page,
                        const char *id,
                        const char *heading,
                        bool open)
{
    text_add(page, "<details class=\"section\" id=\"");
    html_escape(page, id);
    text_add(page, open ? "\" open>" : "\">");
    text_add(page, "<summary><h2>");
    html_escape(page, heading);
    text_add(page, "</h2></summary>\n");
}

void html_section_end(struct text *page)
{
    text_add(page, "</details>\n");
}

static void add_element(struct text *page,
                        const char *tag,
                        const char *class,
                        const char *fmt,
                        va_list args)
{
    struct text text = {0};

    text_vprintf(&text, fmt, args);
    text_printf(page, "<%s", tag);
    if (*class) {
        text_add(page, " class=\"");
        html_escape(page, class);
        text_add_char(page, '"');
    }
    text_add_char(page, '>');
    html_escape(page, text_get(&text));
    text_printf(page, "</%s>\n", tag);
    text_clear(&text);
}

void html_element(struct text *page,
                  const char *tag,
                  const char *class,
                  const char *fmt,
                  ...)
{
    va_list args;

    va_start(args, fmt);
    add_element(page, tag, class, fmt, args);
    va_end(args);
}

void html_tiles_begin(struct text *page)
{
    text_add(page, "<div class=\"tiles\">\n");
}

void html_tile(struct text *page, const char *value, const char *description)
{
    text_add(page, "<div class=\"tile\">");
    html_element(page, "b", "", "%s", value);
    html_element(page, "span", "", "%s", description);
    text_add(page, "</div>\n");
}

void html_tiles_end(struct text *page)
{
    text_add(page, "</div>\n");
}

void html_list_begin(struct text *page)
{
    text_add(page, "<ul>\n");
}

void html_list_item(struct text *page, const char *class, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_element(page, "li", class, fmt, args);
    va_end(args);
}

void html_list_end(struct text *page)
{
    text_add(page, "</ul>\n");
}
