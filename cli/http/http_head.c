#include <inttypes.h>

#include "cli/http/http_server_internal.h"

/* No script, style, image or request goes to another place than this server, and no
 * other page can show this one in a frame. */
static const char strictest[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static const char fixed[] = "X-Content-Type-Options: nosniff\r\n"
                            "Referrer-Policy: no-referrer\r\n"
                            "Cross-Origin-Opener-Policy: same-origin\r\n"
                            "Cross-Origin-Resource-Policy: same-origin\r\n";

static void add_header(struct text *out, const char *name, const char *value)
{
    if (value)
        text_printf(out, "%s: %s\r\n", name, value);
}

static void add_length(struct text *out, const struct http_response *response)
{
    uint64_t size = http_response_size(response);

    if (!response->is_stream && response->status != 304)
        text_printf(out, "Content-Length: %" PRIu64 "\r\n", size);
}

void http_head_write(struct text *out,
                     const struct http_response *response,
                     const char *etag,
                     bool has_tls)
{
    bool closes = response->close || response->is_stream;

    text_printf(out, "HTTP/1.1 %d %s\r\n", response->status,
                http_status_words(response->status));
    add_header(out, "Content-Type", response->type);
    add_length(out, response);
    add_header(out, "ETag", etag);
    add_header(out, "Cache-Control",
               response->is_stream ? "no-store" : "private, no-cache");
    add_header(out, "Location", response->location);
    add_header(out, "Set-Cookie", response->cookie);
    if (response->status == 401)
        add_header(out, "WWW-Authenticate", "Bearer");
    if (response->status == 405)
        add_header(out, "Allow", "GET, HEAD");
    if (response->file_name)
        text_printf(out, "Content-Disposition: attachment; filename=\"%s\"\r\n",
                    response->file_name);
    if (response->has_rows)
        text_printf(out, "Muster-Rows: %" PRIu64 "\r\n", response->rows);
    if (response->next)
        text_printf(out, "Link: <%s>; rel=\"next\"\r\n", response->next);
    add_header(out, "Content-Security-Policy",
               response->policy ? response->policy : strictest);
    text_add(out, fixed);
    if (has_tls)
        add_header(out, "Strict-Transport-Security", "max-age=31536000");
    add_header(out, "Connection", closes ? "close" : NULL);
    text_add(out, "\r\n");
}
