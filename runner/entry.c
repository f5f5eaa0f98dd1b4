#include "runner/entry.h"

#include <stdio.h>
#include <string.h>

const char *entry_name(const struct runner_messages_point *point, char out[256])
{
    const char *file = point->words[RUNNER_MESSAGES_FILE], *slash = strrchr(file, '/');

    if (*point->words[RUNNER_MESSAGES_ENTRY])
        return point->words[RUNNER_MESSAGES_ENTRY];
    file = slash ? slash + 1 : file;
    snprintf(out, 256, "%.*s", (int)strcspn(file, "."), file);
    return out;
}
