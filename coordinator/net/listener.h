/* listener.h - opens the control and data sockets and checks the permission of each
 * message
 *
 * The listener handles keys, roles and malformed messages: a message that
 * listener_receive() returns comes from a peer whose role permits it. Every other
 * message is answered with a refusal, counted, and reported once for each peer. */
#ifndef COORDINATOR_NET_LISTENER_H
#define COORDINATOR_NET_LISTENER_H

#include "lib/wire/link.h"
#include "lib/wire/refusals/refusals.h"

struct listener;
struct outbox;
struct reactor;

struct listener_options {
    const char *control, *data; /* endpoints */
    const char *key, *allow;    /* files; NULL: without CURVE */
    bool insecure;
};

/* Reports a refusal, once for each kind and peer. */
typedef void listener_refused_fn(const char *kind, const char *peer, void *arg);

/* Borrows its arguments until listener_close(). */
int listener_open(struct listener **out,
                  struct reactor *reactor,
                  const struct listener_options *options,
                  listener_refused_fn *refused,
                  void *arg,
                  struct err *err);
void listener_close(struct listener *listener); /* NULL is allowed */

struct link *listener_control(const struct listener *listener);
struct link *listener_data(const struct listener *listener);
struct keys *listener_keys(const struct listener *listener); /* NULL: without CURVE */

enum listener_result {
    LISTENER_EMPTY,   /* no message waits */
    LISTENER_REFUSED, /* one message was refused; another may wait */
    LISTENER_MESSAGE, /* `in` holds a message */
};
/* Reads one message from one of the two links. Queues a refusal in the outbox when the
 * message is malformed or its sender's role does not permit it. */
enum listener_result listener_receive(struct listener *listener,
                                      struct link *link,
                                      struct outbox *outbox,
                                      struct incoming *in);

/* Reads the allow-list again. When the file has errors the old list stays valid. */
void listener_reload(struct listener *listener);
/* Logs a warning for each endpoint that accepts every peer because there are no keys.
 */
void listener_log_insecure(const struct listener *listener);
/* Logs the number of refusals of each kind. */
void listener_log_refusals(const struct listener *listener);

#endif
