/* text.h - a text that grows, and small questions about texts
 *
 * A struct text stands inside yours; all zero is an empty one. The bytes always end
 * with a NUL that the length does not count. */
#ifndef LIB_BASE_TEXT_H
#define LIB_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* NULL while empty and never written: use text_get() */
    size_t length;
    size_t room;
};

void text_clear(struct text *text); /* frees */
void text_reset(struct text *text); /* empties, keeps the memory */
const char *text_get(const struct text *text);
char *text_take(struct text *text); /* now it is yours, to free() */

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const void *bytes, size_t length);
void text_add_char(struct text *text, char c);
/* A cell of CSV: quoted where it must be, as any reader takes it. */
void text_add_csv(struct text *text, const char *value);
void text_printf(struct text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes room for `more` bytes behind the end and tells where it is. */
char *text_reserve(struct text *text, size_t more);

bool text_has_prefix(const char *text, const char *prefix);
bool text_has_suffix(const char *text, const char *suffix);
/* Shell-like pattern: * ? [a-z]. */
bool text_matches(const char *text, const char *pattern);
/* How many letters must change to make one the other; for "did you mean". */
size_t text_distance(const char *a, const char *b);
/* The nearest of `known` (NULL-terminated list), or NULL when none is near. */
const char *text_nearest(const char *word, const char *const *known);
/* True when it can be a part of a path: [A-Za-z0-9_.=,+-], no leading dot, 1..200. */
bool text_is_path_part(const char *text);
/* Copies what can be a part of a path and puts _ for the rest. */
void text_to_path_part(char *out, size_t size, const char *text);
/* Copies as much as has room, ? for what a terminal would not show as one letter. */
void text_to_ascii(char *out, size_t size, const char *text);

#endif
