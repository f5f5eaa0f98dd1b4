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

/* A part of a message to the peer. */
struct part {
    struct part *next;
    size_t size, sent;
    bool is_first, is_last; /* of its message */
    unsigned char bytes[];  /* LWS_PRE bytes for the library, then the text */
};

struct http_socket {
    struct http_connection *connection;
    void *client;
    struct text received; /* the pieces of a message */
    struct part *first, **tail;
    size_t unread;     /* bytes of the parts that wait */
    bool is_continued; /* the last part that was added did not end its message */
    bool is_paused;    /* nothing is read from the peer */
    bool is_too_far;   /* the connection must be closed */
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
        struct part *part = socket->first;

        socket->first = part->next;
        free(part);
    }
    text_clear(&socket->received);
    free(socket);
    connection->socket = NULL;
}

void http_socket_send(struct http_socket *socket,
                      const char *text,
                      size_t size,
                      bool is_last)
{
    struct part *part;

    if (socket->is_too_far || size > UNREAD_MAX - socket->unread) {
        socket->is_too_far = true;
        return;
    }
    part = xmalloc(sizeof(*part) + LWS_PRE + size);
    *part = (struct part){.size = size, .is_last = is_last};
    part->is_first = !socket->is_continued;
    socket->is_continued = !is_last;
    memcpy(part->bytes + LWS_PRE, text, size);
    if (!socket->first)
        lws_set_timeout(socket->connection->wsi, PENDING_TIMEOUT_HTTP_CONTENT,
                        STALLED_S);
    *socket->tail = part;
    socket->tail = &part->next;
    socket->unread += size;
}

/* Reads from the peer only between two answers: a client that sends many requests does
 * not make the server store all answers. */
static void control_flow(struct http_socket *socket)
{
    bool is_paused = service_of(socket)->is_answering(socket->client);

    if (is_paused != socket->is_paused)
        lws_rx_flow_control(socket->connection->wsi, !is_paused);
    socket->is_paused = is_paused;
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
    control_flow(socket);
    lws_callback_on_writable(connection->wsi);
    return socket->is_too_far ? -1 : 0;
}

/* Sends the next piece of the first part. */
static int send_piece(struct http_socket *socket)
{
    struct part *part = socket->first;
    size_t left = part->size - part->sent, size = left < PIECE ? left : PIECE;
    int flags = lws_write_ws_flags(LWS_WRITE_TEXT, part->is_first && part->sent == 0,
                                   part->is_last && size == left);

    /* the bytes in front of the piece were sent before, so the library may use them */
    if (lws_write(socket->connection->wsi, part->bytes + LWS_PRE + part->sent, size,
                  (enum lws_write_protocol)flags) < 0)
        return -1;
    part->sent += size;
    socket->unread -= size;
    if (part->sent < part->size)
        return 0;
    socket->first = part->next;
    if (!socket->first)
        socket->tail = &socket->first;
    free(part);
    return 0;
}

int http_socket_continue(struct http_connection *connection)
{
    struct http_socket *socket = connection->socket;
    const struct http_socket_service *service = service_of(socket);
    bool more = true;

    /* one piece in each turn of the loop would make large answers slow */
    for (int pieces = 0; pieces < PIECES_A_TURN; pieces++) {
        if (!socket->first) {
            if (pieces && !service->is_answering(socket->client))
                break; /* other work may take long: only once in a turn */
            more = service->proceed(socket->client, socket);
        }
        if (!socket->first)
            break;
        if (send_piece(socket) < 0)
            return -1;
        if (lws_send_pipe_choked(connection->wsi))
            break;
    }
    lws_set_timeout(connection->wsi,
                    socket->first ? PENDING_TIMEOUT_HTTP_CONTENT : NO_PENDING_TIMEOUT,
                    socket->first ? STALLED_S : 0);
    control_flow(socket);
    if (more || socket->first)
        lws_callback_on_writable(connection->wsi);
    return socket->is_too_far ? -1 : 0;
}
