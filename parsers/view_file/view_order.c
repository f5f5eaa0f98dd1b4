/* view_order.c - finds out whether the numbers of a list ascend, without reading its
 * JSON
 *
 * A quote in a text has a backslash in front of it, so the bytes of a key with both
 * quotes are no part of a longer text. Numbers of keys further inside may make the
 * answer "no", never "yes". */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"

enum { WINDOW = 128 * 1024, VALUE_MAX = 64 }; /* bytes; of a key and its value */

struct order {
    const char *key;
    size_t key_length;
    int base;
    bool strictly, has_last;
    uint64_t last;
};

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Reads the number behind a key. Returns false when it does not ascend, or is none. */
static bool next_number(struct order *order, const char *at)
{
    uint64_t value;
    char *end;

    at = skip_blanks(at);
    if (*at++ != ':')
        return true; /* a text that is equal to the key */
    at = skip_blanks(at);
    at += *at == '"';
    if (*at < '0' || *at > '9')
        return false;
    value = strtoull(at, &end, order->base);
    if (order->has_last &&
        (value < order->last || (order->strictly && value == order->last)))
        return false;
    order->last = value;
    order->has_last = true;
    return end < at + VALUE_MAX / 2;
}

/* Looks at all keys of the window that begin before `limit`. */
static bool
window_ascends(struct order *order, const char *window, size_t size, size_t limit)
{
    const char *at = window;

    while ((
        at = memmem(at, size - (size_t)(at - window), order->key, order->key_length))) {
        if ((size_t)(at - window) >= limit)
            break;
        at += order->key_length;
        if (!next_number(order, at))
            return false;
    }
    return true;
}

int view_file_ascends(const struct view_file *file,
                      uint64_t at,
                      uint64_t end,
                      const char *key,
                      int base,
                      bool strictly,
                      bool *ascends,
                      struct err *err)
{
    struct order order = {key, strlen(key), base, strictly, false, 0};
    char *window = xmalloc(WINDOW + 1);
    int result = 0;

    *ascends = true;
    while (at < end && *ascends) {
        size_t size = end - at < WINDOW ? (size_t)(end - at) : WINDOW;
        size_t limit = end - at > size ? size - VALUE_MAX : size;

        result = view_file_read(file, at, window, size, err);
        if (result < 0)
            break;
        window[size] = '\0';
        *ascends = window_ascends(&order, window, size, limit);
        at += limit;
    }
    free(window);
    return result;
}
