#include "sim/runtime/launch/cpu_description.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/runtime/launch/aicpu.h"

#define FILE_MAX (1u << 20)
#define NAME_MAX 256
#define KEY      "kernelSo"

bool cpu_description_is(const char *path)
{
    size_t length = strlen(path);

    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file ? calloc(1, FILE_MAX + 1) : NULL;

    if (text && (fread(text, 1, FILE_MAX + 1, file) > FILE_MAX || ferror(file))) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* Reads a string after its opening quote. Returns NULL when it has no end or does not
 * fit. Library names contain no escapes, so an escape is only skipped. */
static const char *take_string(const char *at, char *out, size_t size)
{
    size_t length = 0;

    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1])
            at++;
        if (length + 1 < size)
            out[length++] = *at;
    }
    out[length] = '\0';
    return *at ? at + 1 : NULL;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Returns the value of the first key of that name, at any depth. */
static bool find_name(const char *text, char *name, size_t size)
{
    char key[NAME_MAX];

    for (const char *at = strchr(text, '"'); at; at = strchr(at, '"')) {
        at = take_string(at + 1, key, sizeof(key));
        if (!at)
            return false;
        at = skip_space(at);
        if (*at != ':' || strcmp(key, KEY) != 0)
            continue;
        at = skip_space(at + 1);
        return *at == '"' && take_string(at + 1, name, size) && name[0];
    }
    return false;
}

static bool is_there(char *library, size_t size, const char *folder, const char *name)
{
    return snprintf(library, size, "%s/%s", folder, name) < (int)size &&
           access(library, R_OK) == 0;
}

bool cpu_description_library(const char *path, char *library, size_t size)
{
    char *text = read_all(path), *folder = strdup(path), *slash;
    char name[NAME_MAX], own[4096];
    bool found = text && folder && find_name(text, name, sizeof(name));

    if (found) {
        slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
        found = is_there(library, size, slash ? folder : ".", name) ||
                (aicpu_folder(own, sizeof(own)) && is_there(library, size, own, name));
    }
    free(text);
    free(folder);
    return found;
}
