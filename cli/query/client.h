/* client.h - sends requests to a coordinator and waits for the replies
 *
 * The endpoint and the keys come from the command line or from the defaults that
 * config.h reads. */
#ifndef CLI_QUERY_CLIENT_H
#define CLI_QUERY_CLIENT_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/link.h"

struct client;

struct client_options {
    const char *endpoint; /* NULL: no coordinator is named */
    const char *key;
    const char *server_key;
    uint64_t connect_ms, reply_ms; /* 0: the defaults, 5 s and 30 s */
};

bool client_is_named(const struct client_options *options);

int client_open(struct client **out,
                const struct client_options *options,
                struct err *err);
void client_close(struct client *client); /* NULL is allowed */
struct link *client_link(struct client *client);

/* Sends a request and waits for a reply of type `reply`. A refusal of the coordinator
 * becomes the error. The reply is valid until the next call. */
int client_request(struct client *client,
                   enum message_type request,
                   const void *message,
                   enum message_type reply,
                   const union any_message **out,
                   struct err *err);

/* The two halves of client_request(), for several requests under way at a time. The
 * coordinator answers them in their order. */
int client_send(struct client *client,
                enum message_type request,
                const void *message,
                struct err *err);
int client_receive(struct client *client,
                   enum message_type reply,
                   const union any_message **out,
                   struct err *err);

typedef void client_row_fn(const void *row, void *arg);
/* Sends a request and calls fn for each reply of type `row` until the end of the list.
 */
int client_each(struct client *client,
                enum message_type request,
                const void *message,
                enum message_type row,
                client_row_fn *fn,
                void *arg,
                struct err *err);

#endif
