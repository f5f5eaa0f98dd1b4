/* escape.h - escapes text for HTML and XML */
#ifndef PARSERS_REPORTS_ESCAPE_H
#define PARSERS_REPORTS_ESCAPE_H

struct text;

/* Adds the text with & < > " ' replaced by entities. */
void escape_xml(struct text *out, const char *text);

#endif
