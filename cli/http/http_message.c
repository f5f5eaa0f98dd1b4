#include "cli/http/http_message.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

void http_response_init(struct http_response *response)
{
    *response = (struct http_response){.status = 200, .fd = -1};
}

void http_response_clear(struct http_response *response)
{
    text_clear(&response->body);
    if (response->fd >= 0)
        close(response->fd);
    if (response->pieces)
        response->pieces->close(response->pieces_arg);
    free(response->file_name);
    free(response->location);
    free(response->cookie);
    free(response->next);
    free(response->tag);
    http_response_init(response);
}

uint64_t http_response_size(const struct http_response *response)
{
    return response->fd >= 0 || response->pieces ? response->size
                                                 : response->body.length;
}

static const struct {
    int status;
    const char *words;
} statuses[] = {
    {200, "OK"},
    {303, "See Other"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {413, "Content Too Large"},
    {421, "Misdirected Request"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
};

const char *http_status_words(int status)
{
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].words;
    return "Error";
}

void http_response_error(struct http_response *response, int status, const char *text)
{
    struct json_write json = {0};

    http_response_clear(response);
    response->status = status;
    response->type = "application/json";
    json_write_to_text(&json, &response->body);
    json_write_object(&json);
    json_write_key(&json, "schema");
    json_write_text(&json, "muster.error.v1");
    json_write_key(&json, "status");
    json_write_u64(&json, (uint64_t)status);
    json_write_key(&json, "error");
    json_write_text(&json, text);
    json_write_object_end(&json);
    json_write_line(&json);
    json_write_clear(&json);
}

char *http_body_tag(const struct text *body)
{
    uint64_t hash = 0xcbf29ce484222325, other = 0x9e3779b97f4a7c15;

    for (size_t i = 0; i < body->length; i++) {
        hash = (hash ^ (unsigned char)body->bytes[i]) * 0x100000001b3;
        other = (other + hash) * 0xff51afd7ed558ccd;
    }
    return xasprintf("\"%" PRIx64 "%016" PRIx64 "\"", hash, other ^ other >> 31);
}

static int status_of(enum err_code code)
{
    switch (code) {
    case ERR_NOT_FOUND:
        return 404;
    case ERR_INPUT:
    case ERR_LIMIT:
        return 400;
    case ERR_DENIED:
        return 403;
    case ERR_UNREACHABLE:
    case ERR_TIMEOUT:
    case ERR_STORE:
    case ERR_NO_RESOURCE:
        return 503;
    default:
        return 500;
    }
}

void http_response_failure(struct http_response *response, const struct err *err)
{
    http_response_error(response, status_of(err->code), err->text);
}

const char *http_argument(const struct http_request *request, const char *name)
{
    for (size_t i = 0; i < request->argument_count; i++)
        if (strcmp(request->arguments[i].name, name) == 0)
            return request->arguments[i].value;
    return NULL;
}

void http_escape(struct text *out, const char *value)
{
    for (const unsigned char *at = (const unsigned char *)value; *at; at++)
        if (isalnum(*at) || strchr("-_.~*", *at))
            text_add_char(out, (char)*at);
        else
            text_printf(out, "%%%02X", *at);
}

int http_argument_u64(const struct http_request *request,
                      const char *name,
                      uint64_t *value,
                      struct err *err)
{
    const char *text = http_argument(request, name);

    if (text && !num_parse_u64(text, value))
        return err_set(err, ERR_INPUT, "argument %s: '%.80s' is not a number", name,
                       text);
    return 0;
}

int http_part_u64(const struct http_request *request,
                  size_t index,
                  uint64_t *value,
                  struct err *err)
{
    if (index >= request->part_count || !num_parse_u64(request->parts[index], value))
        return err_set(err, ERR_INPUT, "'%.80s' in the address is not a number",
                       index < request->part_count ? request->parts[index] : "");
    return 0;
}

int http_arguments_check(const struct http_request *request,
                         const char *const *known,
                         struct err *err)
{
    for (size_t i = 0; i < request->argument_count; i++) {
        const char *const *name = known;

        while (*name && strcmp(*name, request->arguments[i].name) != 0)
            name++;
        if (!*name)
            return err_set(err, ERR_INPUT, "unknown argument '%s'",
                           request->arguments[i].name);
        for (size_t before = 0; before < i; before++)
            if (strcmp(request->arguments[before].name, *name) == 0)
                return err_set(err, ERR_INPUT, "argument %s is given twice", *name);
    }
    return 0;
}
