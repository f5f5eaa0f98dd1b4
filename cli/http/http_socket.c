#include "cli/http/http_socket.h"

#include <stdlib.h>
#include <string.h>

#include "cli/http/http_server_internal.h"
#include "lib/base/mem.h"

enum {
    PIECE = 64 * 1024,
    PIECES_A_TURN = 16,
    STALLED_S = 30, /* a peer that reads nothing for so long is closed */
    UNREAD_MAX = 256 * 1024 * 1024, /* bytes that wait for a peer */
};

struct message {
    struct message *next;
    size_t size, sent;
    unsigned char bytes[]; /* LWS_PRE bytes for the library, then the text */
};

struct http_socket {
    struct http_connection *connection;
    void *client;
    struct text received; /* the pieces of a message */
    struct message *first, **tail;
    size_t unread;   /* bytes of the messages that wait */
    bool is_too_far; /* the connection must be closed */
};

static const struct http_socket_service *service_of(const struct http_socket *socket)
{
    return socket->connection->server->options.sockets;
}

void http_socket_open(struct http_connection *connection)
{
    struct http_server *server = connection->server;
    struct http_socket *socket = xcalloc(1, sizeof(*socket));

    http_connection_touch(connection);
    connection->is_busy = true; /* an idle client stays connected */
    connection->socket = socket;
    socket->connection = connection;
    socket->tail = &socket->first;
    socket->client = server->options.sockets->open(server->options.sockets_arg);
    lws_set_timeout(connection->wsi, NO_PENDING_TIMEOUT, 0);
}

void http_socket_close(struct http_connection *connection)
{
    struct http_socket *socket = connection->socket;

    if (!socket)
        return;
    service_of(socket)->close(socket->client);
    while (socket->first) {
        struct message *message = socket->first;

        socket->first = message->next;
        free(message);
    }
    text_clear(&socket->received);
    free(socket);
    connection->socket = NULL;
}

void http_socket_send(struct http_socket *socket, const char *text, size_t size)
{
    struct message *message;

    if (socket->is_too_far || size > UNREAD_MAX - socket->unread) {
        socket->is_too_far = true;
        return;
    }
    message = xmalloc(sizeof(*message) + LWS_PRE + size);
    message->next = NULL;
    message->size = size;
    message->sent = 0;
    memcpy(message->bytes + LWS_PRE, text, size);
    if (!socket->first)
        lws_set_timeout(socket->connection->wsi, PENDING_TIMEOUT_HTTP_CONTENT,
                        STALLED_S);
    *socket->tail = message;
    socket->tail = &message->next;
    socket->unread += size;
}

int http_socket_receive(struct http_connection *connection,
                        const void *bytes,
                        size_t size)
{
    struct http_socket *socket = connection->socket;
    const struct http_socket_service *service = service_of(socket);

    if (size > service->message_max - socket->received.length) {
        lws_close_reason(connection->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    text_add_bytes(&socket->received, bytes, size);
    if (lws_remaining_packet_payload(connection->wsi) ||
        !lws_is_final_fragment(connection->wsi))
        return 0;
    service->receive(socket->client, socket, text_get(&socket->received),
                     socket->received.length);
    text_reset(&socket->received);
    lws_callback_on_writable(connection->wsi);
    return socket->is_too_far ? -1 : 0;
}

/* Sends the next piece of the first message. */
static int send_piece(struct http_socket *socket)
{
    struct message *message = socket->first;
    size_t left = message->size - message->sent, size = left < PIECE ? left : PIECE;
    int flags = lws_write_ws_flags(LWS_WRITE_TEXT, message->sent == 0, size == left);

    /* the bytes in front of the piece were sent before, so the library may use them */
    if (lws_write(socket->connection->wsi, message->bytes + LWS_PRE + message->sent,
                  size, (enum lws_write_protocol)flags) < 0)
        return -1;
    message->sent += size;
    socket->unread -= size;
    if (message->sent < message->size)
        return 0;
    socket->first = message->next;
    if (!socket->first)
        socket->tail = &socket->first;
    free(message);
    return 0;
}

int http_socket_continue(struct http_connection *connection)
{
    struct http_socket *socket = connection->socket;
    bool more;

    if (socket->first) {
        int pieces = 0;

        do { /* one piece in each turn of the loop would make large answers slow */
            if (send_piece(socket) < 0)
                return -1;
        } while (socket->first && ++pieces < PIECES_A_TURN &&
                 !lws_send_pipe_choked(connection->wsi));
        lws_set_timeout(connection->wsi,
                        socket->first ? PENDING_TIMEOUT_HTTP_CONTENT
                                      : NO_PENDING_TIMEOUT,
                        socket->first ? STALLED_S : 0);
        lws_callback_on_writable(connection->wsi);
        return 0;
    }
    more = service_of(socket)->proceed(socket->client, socket);
    if (more || socket->first)
        lws_callback_on_writable(connection->wsi);
    return socket->is_too_far ? -1 : 0;
}
