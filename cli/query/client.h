/* client.h - a conversation with a coordinator: ask, and wait for the answer
 *
 * Where the coordinator is and who we are comes from the command line, or from what
 * config.h says stands for it. */
#ifndef CLI_QUERY_CLIENT_H
#define CLI_QUERY_CLIENT_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/link.h"

struct client;

struct client_options {
    const char *endpoint; /* NULL: none is named */
    const char *key;
    const char *server_key;
};

bool client_is_named(const struct client_options *options);

int client_open(struct client **out,
                const struct client_options *options,
                struct err *err);
void client_close(struct client *client); /* NULL is welcome */
struct link *client_link(struct client *client);

/* Sends, and waits for a message of type `answer`. What the coordinator refuses comes
 * back as its error. The answer is good until the next call. */
int client_ask(struct client *client,
               enum message_type question,
               const void *message,
               enum message_type answer,
               const union any_message **out,
               struct err *err);

typedef void client_row_fn(const void *row, void *arg);
/* Sends, and hands on each `row` until the end. */
int client_each(struct client *client,
                enum message_type question,
                const void *message,
                enum message_type row,
                client_row_fn *fn,
                void *arg,
                struct err *err);

/* The job that a person means: a number, a key, or a name that only one job has. */
int client_find_job(struct client *client,
                    const char *word,
                    uint64_t *job_id,
                    struct err *err);

#endif
