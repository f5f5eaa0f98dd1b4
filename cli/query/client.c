#include "cli/query/client.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/wire/keys.h"

enum {
    CONNECT_MS = 5000,
    REPLY_MS = 30000, /* a large submission takes long to reach the disk */
    POLL_MS = 50,     /* less than the restart of a coordinator takes */
};

struct client {
    struct link_hub *hub;
    struct link *link;
    struct keys *keys;
    struct incoming in;
    uint64_t reply_ms;
};

bool client_is_named(const struct client_options *options)
{
    return options->endpoint != NULL;
}

static int
open_keys(struct client *client, const struct client_options *options, struct err *err)
{
    if (!options->key && !options->server_key)
        return 0;
    if (!options->key || !options->server_key)
        return err_set(err, ERR_INPUT,
                       "--key and --server-key need each other; pass both or none");
    return keys_open_client(&client->keys, options->key, options->server_key, err);
}

int client_open(struct client **out,
                const struct client_options *options,
                struct err *err)
{
    struct client *client = xcalloc(1, sizeof(*client));
    struct link_options link = {
        .endpoint = options->endpoint,
        .kind = LINK_CONTROL,
    };
    uint64_t connect_ms = options->connect_ms ? options->connect_ms : CONNECT_MS;

    if (!link.endpoint) {
        err_set(err, ERR_UNREACHABLE,
                "no coordinator is named; pass --coordinator ENDPOINT, set "
                "MUSTER_COORDINATOR or write a configuration file, see 'muster "
                "help config'");
        goto fail;
    }
    if (open_keys(client, options, err) < 0)
        goto fail;
    link.keys = client->keys;
    client->reply_ms = options->reply_ms ? options->reply_ms : REPLY_MS;
    client->hub = link_hub_create();
    if (link_client_open(&client->link, client->hub, &link, err) < 0 ||
        link_wait_connected(client->link, connect_ms, err) < 0)
        goto fail;
    *out = client;
    return 0;

fail:
    client_close(client);
    return -1;
}

void client_close(struct client *client)
{
    if (!client)
        return;
    link_close(client->link);
    link_hub_destroy(client->hub);
    keys_close(client->keys);
    free(client);
}

struct link *client_link(struct client *client)
{
    return client->link;
}

/* Waits for a reply. Fails when the coordinator disconnects, because after a restart it
 * does not reply to an earlier request. */
static int await(struct client *client, struct err *err)
{
    uint64_t until_ms = clock_mono_ms() + client->reply_ms;
    struct err ignored;

    while (link_wait_receive(client->link, &client->in, POLL_MS, err) < 0) {
        if (err->code != ERR_TIMEOUT || clock_mono_ms() >= until_ms)
            return -1;
        if (link_wait_connected(client->link, 0, &ignored) == 0)
            continue;
        return err_set(
            err, ERR_UNREACHABLE,
            "the coordinator at %s disconnected before it replied; repeat the "
            "command",
            link_endpoint(client->link));
    }
    return 0;
}

/* Receives the next message; a refusal becomes the error. */
static int receive(struct client *client, struct err *err)
{
    if (await(client, err) < 0)
        return -1;
    if (client->in.kind->type == MSG_REFUSED) {
        const struct msg_refused *refused = &client->in.message.refused;

        return err_set(err, refusal_code(refused->code), "%s", refused->text);
    }
    return 0;
}

int client_send(struct client *client,
                enum message_type request,
                const void *message,
                struct err *err)
{
    return link_send(client->link, NULL, request, message, err);
}

int client_receive(struct client *client,
                   enum message_type reply,
                   const union any_message **out,
                   struct err *err)
{
    do {
        if (receive(client, err) < 0)
            return -1;
    } while (client->in.kind->type != reply);
    *out = &client->in.message;
    return 0;
}

int client_request(struct client *client,
                   enum message_type request,
                   const void *message,
                   enum message_type reply,
                   const union any_message **out,
                   struct err *err)
{
    if (client_send(client, request, message, err) < 0)
        return -1;
    return client_receive(client, reply, out, err);
}

int client_each(struct client *client,
                enum message_type request,
                const void *message,
                enum message_type row,
                client_row_fn *fn,
                void *arg,
                struct err *err)
{
    if (link_send(client->link, NULL, request, message, err) < 0)
        return -1;
    for (;;) {
        if (receive(client, err) < 0)
            return -1;
        if (client->in.kind->type == MSG_END)
            return 0;
        if (client->in.kind->type == row)
            fn(&client->in.message, arg);
    }
}
