/* json_escape.h - resolves the escapes of a JSON string */
#ifndef LIB_BASE_JSON_ESCAPE_H
#define LIB_BASE_JSON_ESCAPE_H

#include <stddef.h>

/* Resolves all escapes between start and end, in place, since the text never grows.
 * Returns NULL, or the position of a wrong escape and sets *what to the reason. The
 * byte at `end` is not part of an escape. */
char *json_unescape(char *start, char *end, size_t *length, const char **what);

#endif
