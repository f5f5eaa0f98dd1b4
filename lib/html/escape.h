/* escape.h - escapes text for HTML and XML */
#ifndef LIB_HTML_ESCAPE_H
#define LIB_HTML_ESCAPE_H

struct text;

/* Adds the text with & < > " ' replaced by entities. Invalid UTF-8 and control
 * characters, which XML does not allow, become U+FFFD. */
void html_escape(struct text *out, const char *text);

#endif
