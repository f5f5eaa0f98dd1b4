#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/http/http_server_internal.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

enum {
    HEADER_MAX = 4096,
    PIECE = 64 * 1024,
    SHORT_BODY = 16 * 1024,  /* bytes */
    PIECES_MAX = 4,          /* of one turn, before other connections get theirs */
    STALLED_S = 30,          /* a peer that reads nothing for so long is closed */
    EVENTS_MAX = 256 * 1024, /* bytes that wait for a peer with a stream */
};

static const char *copy_header(struct http_connection *connection,
                               char out[HEADER_MAX],
                               enum lws_token_indexes token)
{
    int size = lws_hdr_total_length(connection->wsi, token);

    if (size <= 0 || size >= HEADER_MAX ||
        lws_hdr_copy(connection->wsi, out, HEADER_MAX, token) < 0)
        return NULL;
    return out;
}

/* Splits the address into its path and arguments, which the library has decoded. */
static int read_address(struct http_connection *connection,
                        struct http_request *request,
                        char *path,
                        int length,
                        struct err *err)
{
    char argument[512];

    if (length <= 0 || length >= HEADER_MAX || memchr(path, '\0', (size_t)length))
        return err_set(err, ERR_INPUT, "the address is not valid");
    path[length] = '\0';
    request->path = path;
    for (int i = 0;; i++) {
        int size = lws_hdr_fragment_length(connection->wsi, WSI_TOKEN_HTTP_URI_ARGS, i);

        if (size == 0)
            return 0;
        if (size >= (int)sizeof(argument) ||
            lws_hdr_copy_fragment(connection->wsi, argument, sizeof(argument),
                                  WSI_TOKEN_HTTP_URI_ARGS, i) < 0)
            return err_set(err, ERR_LIMIT, "an argument of the address is too long");
        if (http_request_add_argument(request, argument, err) < 0)
            return -1;
    }
}

/* Moves the token from the address into a cookie. */
static void take_token(const struct http_connection *connection,
                       const struct http_request *request,
                       struct http_response *response)
{
    const struct http_guard *guard = &connection->server->guard;
    struct text to = {0};
    char name[32], mark = '?';

    text_add(&to, request->path);
    for (size_t i = 0; i < request->argument_count; i++)
        if (strcmp(request->arguments[i].name, "token") != 0) {
            text_add_char(&to, mark);
            http_escape(&to, request->arguments[i].name);
            text_add_char(&to, '=');
            http_escape(&to, request->arguments[i].value);
            mark = '&';
        }
    http_guard_cookie_name(guard, name, sizeof(name));
    response->status = 303;
    response->location = text_take(&to);
    response->cookie = xasprintf("%s=%s; Path=/; HttpOnly; SameSite=Lax%s", name,
                                 guard->token, guard->has_tls ? "; Secure" : "");
}

int http_exchange_check_upgrade(struct http_connection *connection)
{
    const struct http_server *server = connection->server;
    char host[HEADER_MAX], origin[HEADER_MAX], cookie[HEADER_MAX], bearer[HEADER_MAX];
    char path[HEADER_MAX];
    const struct http_headers headers = {
        .host = copy_header(connection, host, WSI_TOKEN_HOST),
        .origin = copy_header(connection, origin, WSI_TOKEN_ORIGIN),
        .cookie = copy_header(connection, cookie, WSI_TOKEN_HTTP_COOKIE),
        .authorization = copy_header(connection, bearer, WSI_TOKEN_HTTP_AUTHORIZATION),
    };
    const char *at = copy_header(connection, path, WSI_TOKEN_GET_URI), *reason;

    return server->options.sockets && at && strcmp(at, "/") == 0 &&
                   !http_guard_check_host(&server->guard, &headers, &reason) &&
                   http_guard_has_token(&server->guard, &headers)
               ? 0
               : -1;
}

/* Fills the response. */
static void answer(struct http_connection *connection,
                   char *path,
                   int length,
                   int method,
                   const char *tags)
{
    struct http_server *server = connection->server;
    struct http_response *response = &connection->response;
    struct http_request request = {.tags = tags};
    char host[HEADER_MAX], origin[HEADER_MAX], cookie[HEADER_MAX], bearer[HEADER_MAX];
    const struct http_headers headers = {
        .host = copy_header(connection, host, WSI_TOKEN_HOST),
        .origin = copy_header(connection, origin, WSI_TOKEN_ORIGIN),
        .cookie = copy_header(connection, cookie, WSI_TOKEN_HTTP_COOKIE),
        .authorization = copy_header(connection, bearer, WSI_TOKEN_HTTP_AUTHORIZATION),
    };
    const struct http_route *route;
    const char *reason, *token;
    struct err err = {0};
    int status;

    if (method != LWSHUMETH_GET && method != LWSHUMETH_HEAD) {
        http_response_error(response, 405, "this server only answers GET and HEAD");
        return;
    }
    status = http_guard_check_host(&server->guard, &headers, &reason);
    if (status) {
        http_response_error(response, status, reason);
        return;
    }
    if (read_address(connection, &request, path, length, &err) < 0) {
        http_response_failure(response, &err);
        return;
    }
    token = http_argument(&request, "token");
    if (server->guard.token && token && http_guard_is_token(&server->guard, token)) {
        take_token(connection, &request, response);
        return;
    }
    route = http_route_find(server->options.routes, &request);
    if (!(route && route->is_open) && !http_guard_has_token(&server->guard, &headers))
        http_response_error(response, 401,
                            "this server needs a token: open the address that 'muster "
                            "serve' printed at its start, which ends in ?token=");
    else if (!route)
        http_response_error(response, 404, "there is nothing at this address");
    else {
        request.data = route->data;
        route->fn(&request, response, server->options.arg);
    }
}

/* Returns a tag that changes with the body. The caller frees it; NULL: none. */
static char *tag_of(const struct http_response *response)
{
    struct stat status;

    if (response->status != 200 || response->is_stream)
        return NULL;
    if (response->fd >= 0)
        return fstat(response->fd, &status) < 0
                   ? NULL
                   : xasprintf("\"%" PRIx64 "-%" PRIx64 "-%" PRIx64 "\"",
                               (uint64_t)status.st_ino, (uint64_t)status.st_size,
                               (uint64_t)status.st_mtim.tv_sec * 1000000000 +
                                   (uint64_t)status.st_mtim.tv_nsec);
    return response->tag ? xstrdup(response->tag) : http_body_tag(&response->body);
}

/* Writes the head and, when it is short, the body: one call of send() is enough. */
static int write_head(struct http_connection *connection, const char *etag)
{
    const struct http_response *response = &connection->response;
    struct text head = {0};
    int result;

    text_reserve(&head, LWS_PRE);
    head.length = LWS_PRE; /* the library writes in front of the text */
    http_head_write(&head, response, etag, connection->server->guard.has_tls);
    if (!connection->is_head && response->fd < 0 && !response->pieces &&
        response->body.length <= SHORT_BODY) {
        text_add_bytes(&head, text_get(&response->body), response->body.length);
        connection->sent = response->body.length;
    }
    result = lws_write(connection->wsi, (unsigned char *)head.bytes + LWS_PRE,
                       head.length - LWS_PRE, LWS_WRITE_HTTP_HEADERS);
    text_clear(&head);
    return result < 0 ? -1 : 0;
}

static int end_exchange(struct http_connection *connection)
{
    bool closes = connection->response.close;

    http_response_clear(&connection->response);
    connection->is_busy = false;
    return closes || lws_http_transaction_completed(connection->wsi) ? -1 : 0;
}

int http_exchange_begin(struct http_connection *connection)
{
    struct http_response *response = &connection->response;
    char buffer[HEADER_MAX], asked[HEADER_MAX], *path = NULL, *tag;
    int length = 0,
        method = lws_http_get_uri_and_method(connection->wsi, &path, &length);

    http_connection_touch(connection);
    connection->is_busy = true;
    connection->sent = 0;
    if (length >= 0 && length < HEADER_MAX && path)
        memcpy(buffer, path, (size_t)length);
    connection->is_head = method == LWSHUMETH_HEAD;
    const char *tags = copy_header(connection, asked, WSI_TOKEN_HTTP_IF_NONE_MATCH);
    answer(connection, buffer, length, method, tags);
    /* a body of the request would be read as the next request */
    if (method != LWSHUMETH_GET ||
        lws_hdr_total_length(connection->wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0)
        response->close = true;
    tag = tag_of(response);
    if (tag && tags && strstr(tags, tag)) {
        response->status = 304;
        connection->is_head = true;
    }
    int result = write_head(connection, tag);
    free(tag);
    if (response->is_stream)
        connection->server->streams++;
    if (result < 0)
        return -1;
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_HTTP_CONTENT, STALLED_S);
    lws_callback_on_writable(connection->wsi);
    return 0;
}

/* Sends the next piece of the body. Returns its size, 0 at the end, -1 for an error. */
static ssize_t send_piece(struct http_connection *connection)
{
    const struct http_response *response = &connection->response;
    unsigned char bytes[LWS_PRE + PIECE];
    uint64_t size = http_response_size(response);
    size_t left =
        size - connection->sent < PIECE ? (size_t)(size - connection->sent) : PIECE;

    if (left == 0 || connection->is_head)
        return 0;
    if (response->fd < 0 && !response->pieces) {
        memcpy(bytes + LWS_PRE, response->body.bytes + connection->sent, left);
    } else {
        ssize_t got =
            response->pieces
                ? response->pieces->read(response->pieces_arg, bytes + LWS_PRE, left,
                                         connection->sent)
                : pread(response->fd, bytes + LWS_PRE, left, (off_t)connection->sent);

        if (got <= 0) /* the file became shorter */
            return -1;
        left = (size_t)got;
    }
    if (lws_write(connection->wsi, bytes + LWS_PRE, left, LWS_WRITE_HTTP) < 0)
        return -1;
    connection->sent += left;
    return (ssize_t)left;
}

static int continue_stream(struct http_connection *connection)
{
    struct text *body = &connection->response.body;

    if (connection->is_head)
        return -1;
    for (int i = 0; i < PIECES_MAX && !lws_send_pipe_choked(connection->wsi); i++) {
        ssize_t size = send_piece(connection);

        if (size < 0)
            return -1;
        if (size == 0)
            break;
    }
    if (connection->sent == body->length) {
        text_reset(body);
        connection->sent = 0;
        lws_set_timeout(connection->wsi, NO_PENDING_TIMEOUT, 0);
        return 0;
    }
    lws_callback_on_writable(connection->wsi);
    return body->length > EVENTS_MAX ? -1 : 0;
}

int http_exchange_continue(struct http_connection *connection)
{
    if (!connection->is_busy)
        return 0;
    if (connection->response.is_stream)
        return continue_stream(connection);
    for (int i = 0; i < PIECES_MAX && !lws_send_pipe_choked(connection->wsi); i++) {
        ssize_t size = send_piece(connection);

        if (size < 0)
            return -1;
        if (size == 0)
            return end_exchange(connection);
    }
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_HTTP_CONTENT, STALLED_S);
    lws_callback_on_writable(connection->wsi);
    return 0;
}

void http_server_publish(struct http_server *server, const char *name, const char *data)
{
    for (struct http_connection *at = server->first; at; at = at->after) {
        if (!at->is_busy || !at->response.is_stream)
            continue;
        if (at->response.body.length == 0)
            lws_set_timeout(at->wsi, PENDING_TIMEOUT_HTTP_CONTENT, STALLED_S);
        if (at->response.body.length <= EVENTS_MAX)
            text_printf(&at->response.body, "event: %s\ndata: %s\n\n", name, data);
        lws_callback_on_writable(at->wsi);
    }
}
