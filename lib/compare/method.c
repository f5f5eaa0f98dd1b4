#include "lib/compare/method.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

/* A word "name=value"; the lengths exclude the sign and the blank. */
struct word {
    const char *name, *value;
    size_t name_length, value_length;
};

/* Reads the first word. Returns the rest of the text, or NULL after the last word. */
static const char *next_word(const char *text, struct word *word)
{
    size_t length;

    text += strspn(text, " ");
    length = strcspn(text, " ");
    if (length == 0)
        return NULL;
    word->name = text;
    word->name_length = strcspn(text, "= ");
    word->value = text + word->name_length + (text[word->name_length] == '=');
    word->value_length = (size_t)(text + length - word->value);
    return text + length;
}

static bool find_word(const char *text, const struct word *name, struct word *found)
{
    while ((text = next_word(text, found)))
        if (found->name_length == name->name_length &&
            memcmp(found->name, name->name, name->name_length) == 0)
            return true;
    return false;
}

char *method_difference(const char *base, const char *fresh)
{
    struct text out = {0};
    struct word one, other;

    while ((base = next_word(base, &one)))
        if (find_word(fresh, &one, &other) &&
            (one.value_length != other.value_length ||
             memcmp(one.value, other.value, one.value_length) != 0))
            text_printf(&out, "%s%.*s %.*s became %.*s", out.length ? ", " : "",
                        (int)one.name_length, one.name, (int)one.value_length,
                        one.value, (int)other.value_length, other.value);
    return out.length ? text_take(&out) : NULL;
}

bool method_differs(const char *base, const char *fresh)
{
    char *difference = method_difference(base, fresh);
    bool differs = difference != NULL;

    free(difference);
    return differs;
}
