/* json_escape.h - the escapes inside a text of JSON */
#ifndef LIB_BASE_JSON_ESCAPE_H
#define LIB_BASE_JSON_ESCAPE_H

#include <stddef.h>

/* Resolves all escapes between start and end, in place: the text never gets longer.
 * NULL, or where a wrong escape stands, and what is wrong with it. The byte at `end`
 * is not part of an escape. */
char *json_unescape(char *start, char *end, size_t *length, const char **what);

#endif
