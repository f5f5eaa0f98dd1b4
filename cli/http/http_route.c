#include "cli/http/http_route.h"

#include <stdio.h>
#include <string.h>

static bool match_part(struct http_request *request, const char *text, size_t length)
{
    if (length == 0 || length >= HTTP_PART_MAX ||
        request->part_count == HTTP_PARTS_MAX || memchr(text, '\0', length))
        return false;
    if ((length == 1 && text[0] == '.') || (length == 2 && memcmp(text, "..", 2) == 0))
        return false;
    memcpy(request->parts[request->part_count], text, length);
    request->parts[request->part_count++][length] = '\0';
    return true;
}

static bool match(const char *pattern, struct http_request *request)
{
    const char *path = request->path;

    request->part_count = 0;
    while (*pattern && *path) {
        size_t pattern_part = strcspn(pattern + 1, "/") + 1;
        size_t path_part = strcspn(path + 1, "/") + 1;

        if (*path != '/')
            return false;
        if (pattern[1] == '{') {
            if (!match_part(request, path + 1, path_part - 1))
                return false;
        } else if (pattern_part != path_part ||
                   memcmp(pattern, path, pattern_part) != 0) {
            return false;
        }
        pattern += pattern_part;
        path += path_part;
    }
    return *pattern == '\0' && *path == '\0';
}

const struct http_route *http_route_find(const struct http_route *routes,
                                         struct http_request *request)
{
    for (const struct http_route *route = routes; route->path; route++)
        if (match(route->path, request))
            return route;
    return NULL;
}

int http_request_add_argument(struct http_request *request,
                              const char *text,
                              struct err *err)
{
    size_t name = strcspn(text, "=");
    const char *value = text[name] ? text + name + 1 : "";
    size_t n = request->argument_count;

    if (n == HTTP_ARGUMENTS_MAX)
        return err_set(err, ERR_LIMIT, "the address has more than %d arguments",
                       HTTP_ARGUMENTS_MAX);
    if (name == 0 || name >= sizeof(request->arguments[n].name))
        return err_set(err, ERR_INPUT,
                       "the address has an argument without a name of "
                       "1 to 31 bytes");
    if (strlen(value) >= sizeof(request->arguments[n].value))
        return err_set(err, ERR_LIMIT, "argument %.*s is longer than %zu bytes",
                       (int)name, text, sizeof(request->arguments[n].value) - 1);
    memcpy(request->arguments[n].name, text, name);
    request->arguments[n].name[name] = '\0';
    snprintf(request->arguments[n].value, sizeof(request->arguments[n].value), "%s",
             value);
    request->argument_count++;
    return 0;
}
