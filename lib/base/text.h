/* text.h - a growing text, and small functions on texts
 *
 * A struct text is a member of the caller's struct; all zero is an empty text. The
 * bytes always end with a NUL that the length does not count. */
#ifndef LIB_BASE_TEXT_H
#define LIB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* NULL until the first write: use text_get() */
    size_t length;
    size_t room;
};

void text_clear(struct text *text); /* frees the memory */
void text_reset(struct text *text); /* keeps the memory */
const char *text_get(const struct text *text);
char *text_take(struct text *text); /* the caller frees it */

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const void *bytes, size_t length);
static inline void text_add_char(struct text *text, char c)
{
    if (text->room - text->length < 2) { /* also of an empty text */
        text_add_bytes(text, &c, 1);
        return;
    }
    text->bytes[text->length++] = c;
    text->bytes[text->length] = '\0';
}
/* Adds a CSV cell, in quotes where the value needs them. */
void text_add_csv(struct text *text, const char *value);
void text_printf(struct text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
/* Reserves `more` bytes after the end and returns their address. */
char *text_reserve(struct text *text, size_t more);

bool text_has_prefix(const char *text, const char *prefix);
bool text_has_suffix(const char *text, const char *suffix);
/* Matches a pattern as in a shell: * ? [a-z]. */
bool text_matches(const char *text, const char *pattern);
/* The same for any of several patterns, divided by |. */
bool text_matches_any(const char *text, const char *patterns);
/* Compares names as strcmp(), but digits in a row as one number: "m=9" is before
 * "m=10". Returns 0 only for equal texts. */
int text_compare_names(const char *a, const char *b);
/* Returns the edit distance of two words; for "did you mean". */
size_t text_distance(const char *a, const char *b);
/* Returns the nearest word of the NULL-terminated list, or NULL when none is near. */
const char *text_nearest(const char *word, const char *const *known);
/* Returns true when the text can be a part of a path: 1 to 200 of [A-Za-z0-9_.=,+-],
 * that begins with a letter or digit, so that no program reads it as an option. */
bool text_is_path_part(const char *text);
/* Copies the text and replaces what cannot be in a part of a path by _. */
void text_to_path_part(char *out, size_t size, const char *text);
/* Copies as much as fits and replaces what a terminal may not print by ?. */
void text_to_ascii(char *out, size_t size, const char *text);

#endif
