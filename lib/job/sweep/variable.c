#include "lib/job/sweep/variable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

struct value value_of(const char *text)
{
    struct value value = {.text = text};

    value.is_number = num_parse_double(text, &value.number);
    return value;
}

static const char *find_nearest(const struct variables *variables, const char *name)
{
    const char **names = xcalloc(variables->count + 1, sizeof(*names));

    for (size_t i = 0; i < variables->count; i++)
        names[i] = variables->items[i].name;
    const char *nearest = text_nearest(name, names);
    free(names);
    return nearest;
}

const struct variable *variable_find(const struct variables *variables,
                                     const char *name,
                                     size_t length,
                                     const char **nearest)
{
    *nearest = NULL;
    for (size_t i = 0; i < variables->count; i++) {
        const struct variable *it = &variables->items[i];

        if (strlen(it->name) == length && memcmp(it->name, name, length) == 0) {
            if (variables->used)
                variables->used[i] = true;
            return it;
        }
    }
    char *word = xstrndup(name, length);
    *nearest = find_nearest(variables, word);
    free(word);
    return NULL;
}

bool variable_name_is_good(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_')
        return false;
    for (size_t i = 1; name[i]; i++)
        if ((!isalnum((unsigned char)name[i]) && name[i] != '_') || i == 64)
            return false;
    return true;
}
