#include "lib/compare/point_key.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

static const char card_prefix[] = "card="; /* the axis that cards.ids adds */

static int order_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

char *point_key(const char *point, bool *pinned)
{
    size_t most = 1, count = 0;
    char *copy = xstrdup(point), *rest = copy, *piece;
    struct text key = {0};
    char **pieces;

    for (const char *c = point; *c; c++)
        most += *c == ' ';
    pieces = xcalloc(most, sizeof(*pieces));
    *pinned = false;
    while ((piece = strsep(&rest, " ")))
        if (text_has_prefix(piece, card_prefix))
            *pinned = true;
        else if (*piece)
            pieces[count++] = piece;
    qsort(pieces, count, sizeof(*pieces), order_texts);
    text_add(&key, "");
    for (size_t i = 0; i < count; i++)
        text_printf(&key, "%s%s", i ? " " : "", pieces[i]);
    free(pieces);
    free(copy);
    return text_take(&key);
}

/* Returns the next word that is no placement, and its length. */
static const char *next_value(const char *key, size_t *length)
{
    static const char shift_prefix[] = "shift=";

    for (;; key += *length) {
        key += strspn(key, " ");
        *length = strcspn(key, " ");
        if (!text_has_prefix(key, shift_prefix))
            return key;
    }
}

bool point_key_differs_in_placement(const char *left, const char *right)
{
    size_t a, b;

    do {
        left = next_value(left, &a);
        right = next_value(right, &b);
        if (a != b || memcmp(left, right, a) != 0)
            return false;
        left += a;
        right += b;
    } while (a > 0);
    return true;
}
