/* utf8.h - which bytes are a character */
#ifndef LIB_BASE_UTF8_H
#define LIB_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the well-formed character at `at` (< end) has, or 0: cut short, too
 * long a form, a surrogate, beyond U+10FFFF. */
size_t utf8_length(const char *at, const char *end);
/* Writes the character, which is not a surrogate; returns its bytes, 4 at most. */
size_t utf8_put(char *out, uint32_t code);

#endif
