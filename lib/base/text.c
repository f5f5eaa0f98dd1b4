#include "lib/base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

void text_clear(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

void text_reset(struct text *text)
{
    text->length = 0;
    if (text->bytes)
        text->bytes[0] = '\0';
}

const char *text_get(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

char *text_take(struct text *text)
{
    char *bytes = text->bytes ? text->bytes : xstrdup("");

    *text = (struct text){0};
    return bytes;
}

char *text_reserve(struct text *text, size_t more)
{
    size_t need;

    if (__builtin_add_overflow(text->length, more, &need) || need == SIZE_MAX)
        abort();
    need++;
    if (need > text->room) {
        size_t room = text->room < 64 ? 64 : text->room;

        while (room < need)
            room = room > SIZE_MAX / 2 ? need : room * 2;
        text->bytes = xrealloc(text->bytes, room);
        text->bytes[text->length] = '\0'; /* also when the caller writes nothing */
        text->room = room;
    }
    return text->bytes + text->length;
}

void text_add_bytes(struct text *text, const void *bytes, size_t length)
{
    bool has_room = text->room > text->length && length < text->room - text->length;
    char *end = has_room ? text->bytes + text->length : text_reserve(text, length);

    if (length)
        memcpy(end, bytes, length);
    end[length] = '\0';
    text->length += length;
}

void text_add(struct text *text, const char *more)
{
    text_add_bytes(text, more, strlen(more));
}

void text_add_csv(struct text *text, const char *value)
{
    if (!strpbrk(value, ",\"\r\n")) {
        text_add(text, value);
        return;
    }
    text_add_char(text, '"');
    for (; *value; value++) {
        if (*value == '"')
            text_add_char(text, '"');
        text_add_char(text, *value);
    }
    text_add_char(text, '"');
}

void text_vprintf(struct text *text, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    vsnprintf(text_reserve(text, (size_t)length), (size_t)length + 1, fmt, args);
    text->length += (size_t)length;
}

void text_printf(struct text *text, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_vprintf(text, fmt, args);
    va_end(args);
}

bool text_has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool text_has_suffix(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);

    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Compares the numbers that begin at both texts, and skips them. */
static int compare_numbers(const char **a, const char **b)
{
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t length_a = strspn(*a, "0123456789"), length_b = strspn(*b, "0123456789");
    int order = length_a != length_b ? (length_a < length_b ? -1 : 1)
                                     : strncmp(*a, *b, length_a);

    *a += length_a;
    *b += length_b;
    return order;
}

int text_compare_names(const char *a, const char *b)
{
    const char *at = a, *of = b;

    while (*at && *of) {
        if (is_digit(*at) && is_digit(*of)) {
            int order = compare_numbers(&at, &of);

            if (order)
                return order;
        } else if (*at != *of) {
            break;
        } else {
            at++;
            of++;
        }
    }
    /* numbers that differ only in leading zeros have the order of their texts */
    return *at || *of ? (unsigned char)*at - (unsigned char)*of : strcmp(a, b);
}

bool text_matches(const char *text, const char *pattern)
{
    return fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

bool text_matches_any(const char *text, const char *patterns)
{
    char pattern[256];

    for (const char *at = patterns;; at++) {
        size_t length = strcspn(at, "|");

        if (length < sizeof(pattern)) {
            memcpy(pattern, at, length);
            pattern[length] = '\0';
            if (text_matches(text, pattern))
                return true;
        }
        at += length;
        if (!*at)
            return false;
    }
}

enum { WORD_MAX = 64 };

size_t text_distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1];
    size_t length_a = strnlen(a, WORD_MAX), length_b = strnlen(b, WORD_MAX);

    for (size_t j = 0; j <= length_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[length_b];
}

const char *text_nearest(const char *word, const char *const *known)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    size_t best = length / 3 + 2; /* a larger distance means another word */

    if (best > length) /* as does a distance that changes every letter */
        best = length;
    for (; *known; known++) {
        size_t distance = text_distance(word, *known);

        if (distance < best) {
            best = distance;
            nearest = *known;
        }
    }
    return nearest;
}

static bool fits_in_path(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           strchr("_.=,+-", c);
}

bool text_is_path_part(const char *text)
{
    size_t length = strnlen(text, 201);

    if (length == 0 || length > 200 || !isalnum((unsigned char)text[0]))
        return false;
    for (; *text; text++)
        if (!fits_in_path(*text))
            return false;
    return true;
}

void text_to_path_part(char *out, size_t size, const char *text)
{
    size_t used = 0;

    for (; *text && used + 1 < size; text++, used++)
        out[used] = fits_in_path(*text) && (used || *text != '.') ? *text : '_';
    if (used == 0 && size > 1)
        out[used++] = '_';
    out[used] = '\0';
}

void text_to_ascii(char *out, size_t size, const char *text)
{
    size_t i = 0;

    for (; text[i] && i + 1 < size; i++)
        out[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
    out[i] = '\0';
}
