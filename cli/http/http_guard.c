#include "cli/http/http_guard.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/num.h"
#include "lib/base/text.h"

enum { HOST_MAX = 256 };

/* Splits HOST[:PORT]; an IPv6 address is in brackets. Returns false for another form.
 */
static bool split_host(const char *text, char host[HOST_MAX], unsigned *port)
{
    const char *end = text[0] == '[' ? strchr(text, ']') : text + strcspn(text, ":");
    uint64_t number = *port;

    if (!end)
        return false;
    size_t length = (size_t)(end - text) + (*end == ']');
    if (length == 0 || length >= HOST_MAX)
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    text += length;
    if (*text && (*text != ':' || !num_parse_u64(text + 1, &number) || number > 65535))
        return false;
    *port = (unsigned)number;
    return true;
}

static bool is_address(const char *host)
{
    struct in6_addr v6;
    struct in_addr v4;
    char inner[HOST_MAX];

    if (inet_pton(AF_INET, host, &v4) == 1)
        return true;
    if (host[0] != '[')
        return false;
    snprintf(inner, sizeof(inner), "%s", host + 1);
    inner[strcspn(inner, "]")] = '\0';
    return inet_pton(AF_INET6, inner, &v6) == 1;
}

static bool is_name(const struct http_guard *guard, const char *host)
{
    if (strcasecmp(host, "localhost") == 0)
        return true;
    for (const char *const *name = guard->names; name && *name; name++)
        if (strcasecmp(host, *name) == 0)
            return true;
    return false;
}

int http_guard_check_host(const struct http_guard *guard,
                          const struct http_headers *headers,
                          const char **reason)
{
    char host[HOST_MAX];
    unsigned port = guard->has_tls ? 443 : 80;
    const char *scheme = guard->has_tls ? "https://" : "http://";

    *reason = "the request has no valid Host header";
    if (!headers->host || !split_host(headers->host, host, &port))
        return 400;
    *reason = "the Host header does not name this server; add the name with --name";
    if (port != guard->port || (!is_address(host) && !is_name(guard, host)))
        return 421;
    *reason = "the Origin header names another site";
    if (headers->origin &&
        (!text_has_prefix(headers->origin, scheme) ||
         strcasecmp(headers->origin + strlen(scheme), headers->host)))
        return 403;
    *reason = NULL;
    return 0;
}

bool http_guard_is_token(const struct http_guard *guard, const char *text)
{
    size_t length = strlen(guard->token);

    return strlen(text) == length && CRYPTO_memcmp(text, guard->token, length) == 0;
}

void http_guard_cookie_name(const struct http_guard *guard, char *out, size_t size)
{
    snprintf(out, size, "muster_%u", guard->port);
}

/* Returns true when one of the cookies "a=1; b=2" is the token. */
static bool is_in_cookies(const struct http_guard *guard, const char *cookies)
{
    char name[32], value[HOST_MAX];

    http_guard_cookie_name(guard, name, sizeof(name));
    while (*cookies) {
        size_t length = strcspn(cookies, ";"), n = strlen(name);

        if (length > n + 1 && length - n - 1 < sizeof(value) && cookies[n] == '=' &&
            memcmp(cookies, name, n) == 0) {
            memcpy(value, cookies + n + 1, length - n - 1);
            value[length - n - 1] = '\0';
            if (http_guard_is_token(guard, value))
                return true;
        }
        cookies += length;
        cookies += strspn(cookies, "; ");
    }
    return false;
}

bool http_guard_has_token(const struct http_guard *guard,
                          const struct http_headers *headers)
{
    static const char bearer[] = "Bearer ";

    if (!guard->token)
        return true;
    if (headers->authorization && text_has_prefix(headers->authorization, bearer))
        return http_guard_is_token(guard, headers->authorization + strlen(bearer));
    return headers->cookie && is_in_cookies(guard, headers->cookie);
}
