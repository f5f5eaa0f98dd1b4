/* utf8.h - length and encoding of UTF-8 characters */
#ifndef LIB_BASE_UTF8_H
#define LIB_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of the well-formed character at `at` (< end), or 0 for a truncated
 * or overlong form, a surrogate, or a value beyond U+10FFFF. */
size_t utf8_length(const char *at, const char *end);
/* Writes a character that is no surrogate; returns its bytes, at most 4. */
size_t utf8_put(char *out, uint32_t code);

#endif
