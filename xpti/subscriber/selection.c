#include "xpti/subscriber/selection.h"

#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 2048, PATTERN_MAX = 256 };
#define DIVIDERS      ",|\n"
#define USUAL_STREAMS "sycl,sycl.pi,ur.call,sycl.experimental.mem_alloc"

static atomic_bool is_read;
static char streams[LIST_MAX], names[LIST_MAX];

static void copy(char out[LIST_MAX], const char *variable, const char *usual)
{
    const char *value = getenv(variable);

    if (!value || !*value)
        value = usual;
    snprintf(out, LIST_MAX, "%s", strlen(value) < LIST_MAX ? value : "");
}

void selection_read(void)
{
    if (atomic_exchange(&is_read, true))
        return;
    copy(streams, SELECTION_STREAMS_ENV, USUAL_STREAMS);
    copy(names, SELECTION_NAMES_ENV, "");
}

static bool list_matches(const char *list, const char *name)
{
    char pattern[PATTERN_MAX];

    while (*list) {
        size_t length = strcspn(list, DIVIDERS);

        snprintf(pattern, sizeof(pattern), "%.*s", (int)length, list);
        if (length < sizeof(pattern) && fnmatch(pattern, name, 0) == 0)
            return true;
        list += length + (list[length] != '\0');
    }
    return false;
}

bool selection_has_stream(const char *name)
{
    return list_matches(streams, name);
}

bool selection_has_name(const char *name)
{
    return !names[0] || list_matches(names, name);
}
