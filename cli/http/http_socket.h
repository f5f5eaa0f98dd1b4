/* http_socket.h - WebSocket connections: text messages to and from a client
 *
 * A client connects with an upgrade of "/". The request is checked like any other:
 * Host, Origin and token. The server calls the functions of a service, which must
 * return soon. Messages are sent when the peer reads them; a peer that leaves too many
 * unread is closed, and so is one that sends too long a message. */
#ifndef CLI_HTTP_SOCKET_H
#define CLI_HTTP_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

struct http_socket;

struct http_socket_service {
    void *(*open)(void *arg); /* returns the client, the first argument of the others */
    void (*receive)(void *client,
                    struct http_socket *socket,
                    const char *text,
                    size_t size);
    /* Does a part of the work that the client has waiting, while no message waits to be
     * sent. Returns true when more remains. */
    bool (*proceed)(void *client, struct http_socket *socket);
    /* Returns true while proceed() has parts of a message to send; until then the
     * server reads nothing from this client. */
    bool (*is_answering)(const void *client);
    void (*close)(void *client);
    size_t message_max; /* bytes of a message from a client */
};

/* Copies the text and sends it as a part of a message; `is_last` ends the message. */
void http_socket_send(struct http_socket *socket,
                      const char *text,
                      size_t size,
                      bool is_last);

#endif
