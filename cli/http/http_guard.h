/* http_guard.h - decides by its headers whether a request is answered
 *
 * The Host header must name this server, or a page of another site could reach it
 * through a name that the site controls (DNS rebinding). A Host that is an address
 * needs no such check, because a name is what the attack changes. The Origin header,
 * when there is one, must be this server. With a token, the request must carry it in
 * the cookie, as `Authorization: Bearer TOKEN`, or once in the address. */
#ifndef CLI_HTTP_GUARD_H
#define CLI_HTTP_GUARD_H

#include <stdbool.h>
#include <stddef.h>

struct http_guard {
    const char *const *names; /* host names of this server, ended by NULL; borrowed */
    const char *token;        /* NULL: none is needed; borrowed */
    unsigned port;
    bool has_tls;
};

struct http_headers {
    const char *host, *origin, *cookie, *authorization; /* NULL: not sent */
};

/* Returns the status that refuses the request and sets *reason, or 0. */
int http_guard_check_host(const struct http_guard *guard,
                          const struct http_headers *headers,
                          const char **reason);
bool http_guard_has_token(const struct http_guard *guard,
                          const struct http_headers *headers);
/* Compares in a time that does not depend on the content of the texts. */
bool http_guard_is_token(const struct http_guard *guard, const char *text);
/* Writes the name of the cookie, which differs for each port: browsers send cookies to
 * all ports of a host. */
void http_guard_cookie_name(const struct http_guard *guard, char *out, size_t size);

#endif
