#include "cli/client.h"

#include <stdlib.h>

#include "base/mem.h"
#include "wire/keys.h"

enum {
    CONNECT_MS = 5000,
    ANSWER_MS =
        30000, /* a coordinator that syncs a large submission is slow, not gone */
};

struct client {
    struct link_hub *hub;
    struct link *link;
    struct keys *keys;
    struct incoming in;
};

static const char *told(const char *option, const char *variable)
{
    const char *value = option ? option : getenv(variable);

    return value && *value ? value : NULL;
}

bool client_is_named(const struct client_options *options)
{
    return told(options->endpoint, "MUSTER_COORDINATOR") != NULL;
}

static int
open_keys(struct client *client, const struct client_options *options, struct err *err)
{
    const char *key = told(options->key, "MUSTER_KEY");
    const char *server = told(options->server_key, "MUSTER_SERVER_KEY");

    if (!key && !server)
        return 0;
    if (!key || !server)
        return err_set(err, ERR_INPUT, "--key and --server-key go together");
    return keys_open_client(&client->keys, key, server, err);
}

int client_open(struct client **out,
                const struct client_options *options,
                struct err *err)
{
    struct client *client = xcalloc(1, sizeof(*client));
    struct link_options link = {
        .endpoint = told(options->endpoint, "MUSTER_COORDINATOR"),
        .kind = LINK_CONTROL,
    };

    if (!link.endpoint) {
        err_set(err, ERR_UNREACHABLE,
                "which coordinator? --coordinator ENDPOINT, or MUSTER_COORDINATOR");
        goto fail;
    }
    if (open_keys(client, options, err) < 0)
        goto fail;
    link.keys = client->keys;
    client->hub = link_hub_create();
    if (link_client_open(&client->link, client->hub, &link, err) < 0 ||
        link_wait_connected(client->link, CONNECT_MS, err) < 0)
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

/* The next message that is not a refusal. */
static int receive(struct client *client, struct err *err)
{
    if (link_wait_receive(client->link, &client->in, ANSWER_MS, err) < 0)
        return -1;
    if (client->in.kind->type == MSG_REFUSED) {
        const struct msg_refused *refused = &client->in.message.refused;

        return err_set(err, refusal_code(refused->code), "%s", refused->text);
    }
    return 0;
}

int client_ask(struct client *client,
               enum message_type question,
               const void *message,
               enum message_type answer,
               const union any_message **out,
               struct err *err)
{
    if (link_send(client->link, NULL, question, message, err) < 0)
        return -1;
    do {
        if (receive(client, err) < 0)
            return -1;
    } while (client->in.kind->type != answer);
    *out = &client->in.message;
    return 0;
}

int client_each(struct client *client,
                enum message_type question,
                const void *message,
                enum message_type row,
                client_row_fn *fn,
                void *arg,
                struct err *err)
{
    if (link_send(client->link, NULL, question, message, err) < 0)
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
