/* listener.h - the sockets that workers and clients come to, and who is let in
 *
 * Keys, roles and what is not understood are seen to here: what listener_receive()
 * gives was said by somebody who may say it. The rest is answered, counted, and told
 * once. */
#ifndef COORDINATOR_NET_LISTENER_H
#define COORDINATOR_NET_LISTENER_H

#include "lib/wire/link.h"
#include "lib/wire/refusals.h"

struct listener;
struct ledger;
struct outbox;

struct listener_options {
    const char *control, *data; /* endpoints */
    const char *key, *allow;    /* files; NULL: without CURVE */
    bool insecure;
};

/* Borrows all; refusals are written down in the ledger, and `failed` is called when
 * that cannot be done. */
int listener_open(struct listener **out,
                  struct reactor *reactor,
                  const struct listener_options *options,
                  struct ledger *ledger,
                  void (*failed)(const struct err *err, void *arg),
                  void *arg,
                  struct err *err);
void listener_close(struct listener *door); /* NULL is welcome */

struct link *listener_control(const struct listener *door);
struct link *listener_data(const struct listener *door);
struct keys *listener_keys(const struct listener *door); /* NULL: without CURVE */

enum listener_heard {
    LISTENER_NOTHING, /* is there */
    LISTENER_REFUSED, /* look on */
    LISTENER_MESSAGE,
};
/* From one of its links. Who is turned away is told so through the outbox. */
enum listener_heard listener_receive(struct listener *door,
                                     struct link *link,
                                     struct outbox *outbox,
                                     struct incoming *in);

/* Reads the allow-list again; a faulty one changes nothing. */
void listener_reload(struct listener *door);
/* In the log: what everybody may do, when the door has no lock. */
void listener_tell_insecure(const struct listener *door);
/* In the log: how many were turned away, and why. */
void listener_tell_refusals(const struct listener *door);

#endif
