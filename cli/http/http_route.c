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
        size_t want = strcspn(pattern + 1, "/") + 1, have = strcspn(path + 1, "/") + 1;

        if (*path != '/')
            return false;
        if (pattern[1] == '{') {
            if (!match_part(request, path + 1, have - 1))
                return false;
        } else if (want != have || memcmp(pattern, path, want) != 0) {
            return false;
        }
        pattern += want;
        path += have;
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
