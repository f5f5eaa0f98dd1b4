#include "cli/compare/job_name.h"

#include <string.h>

#include "lib/base/mem.h"

bool job_has_name(const char *key, const char *name)
{
    const char *end = strrchr(key, '-');

    return strcmp(key, name) == 0 || (end && (size_t)(end - key) == strlen(name) &&
                                      memcmp(key, name, strlen(name)) == 0);
}

char *job_name_of(const char *key)
{
    const char *end = strrchr(key, '-');

    return xstrndup(key, end ? (size_t)(end - key) : strlen(key));
}
