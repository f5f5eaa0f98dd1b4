/* listener.h - the sockets that workers and clients come to, and who is let in
 *
 * Keys, roles and what is not understood are seen to here: what door_receive() gives
 * was said by somebody who may say it. The rest is answered, counted, and told once. */
#ifndef COORDINATOR_NET_LISTENER_H
#define COORDINATOR_NET_LISTENER_H

#include "lib/wire/link.h"
#include "lib/wire/refusals.h"

struct door;
struct ledger;
struct outbox;

struct door_options {
    const char *control, *data; /* endpoints */
    const char *key, *allow;    /* files; NULL: without CURVE */
    bool insecure;
};

/* Borrows all; refusals are written down in the ledger, and `failed` is called when
 * that cannot be done. */
int door_open(struct door **out,
              struct reactor *reactor,
              const struct door_options *options,
              struct ledger *ledger,
              void (*failed)(const struct err *err, void *arg),
              void *arg,
              struct err *err);
void door_close(struct door *door); /* NULL is welcome */

struct link *door_control(const struct door *door);
struct link *door_data(const struct door *door);
struct keys *door_keys(const struct door *door); /* NULL: without CURVE */

enum door_heard {
    DOOR_NOTHING,     /* is there */
    DOOR_TURNED_AWAY, /* look on */
    DOOR_MESSAGE,
};
/* From one of its links. Who is turned away is told so through the outbox. */
enum door_heard door_receive(struct door *door,
                             struct link *link,
                             struct outbox *outbox,
                             struct incoming *in);

/* Reads the allow-list again; a faulty one changes nothing. */
void door_reload(struct door *door);
/* In the log: what everybody may do, when the door has no lock. */
void door_tell_insecure(const struct door *door);
/* In the log: how many were turned away, and why. */
void door_tell_refusals(const struct door *door);

#endif
