#include "cli/pages/pages.h"

#include <string.h>

#include "cli/pages/pages_files.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/html/html_style.h"

static const struct {
    const char *suffix, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
};

static void send_file(const char *name, struct http_response *response)
{
    const struct embedded_file *file = pages_files;

    while (file->name && strcmp(file->name, name) != 0)
        file++;
    if (!file->name) {
        http_response_error(response, 404, "there is no file of this name");
        return;
    }
    for (size_t i = 0; i < COUNT(types); i++)
        if (text_has_suffix(name, types[i].suffix))
            response->type = types[i].type;
    text_add_bytes(&response->body, file->bytes, file->size);
}

static void send_asset(const struct http_request *request,
                       struct http_response *response,
                       void *arg)
{
    (void)arg;
    if (strcmp(request->parts[0], "report.css") == 0) { /* the style of the reports */
        response->type = "text/css; charset=utf-8";
        text_add(&response->body, html_style);
        return;
    }
    send_file(request->parts[0], response);
}

static void send_document(const struct http_request *request,
                          struct http_response *response,
                          void *arg)
{
    (void)request;
    (void)arg;
    send_file("index.html", response);
}

static const struct http_route routes_of_pages[] = {
    {"/", send_document, NULL, false},
    {"/jobs", send_document, NULL, false},
    {"/jobs/{job}", send_document, NULL, false},
    {"/jobs/{job}/points/{point}", send_document, NULL, false},
    {"/jobs/{job}/traces/{file}", send_document, NULL, false},
    {"/cards", send_document, NULL, false},
    {"/cards/{host}/{card}", send_document, NULL, false},
    {"/trend", send_document, NULL, false},
    {"/fleet", send_document, NULL, false},
    {"/events", send_document, NULL, false},
    {"/assets/{name}", send_asset, NULL, true},
};

size_t pages_routes(struct http_route *routes)
{
    memcpy(routes, routes_of_pages, sizeof(routes_of_pages));
    return COUNT(routes_of_pages);
}
