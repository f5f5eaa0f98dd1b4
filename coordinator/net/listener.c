#include "coordinator/net/listener.h"

#include <stdlib.h>

#include "coordinator/net/outbox.h"
#include "coordinator/net/permissions.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/wire/endpoint.h"
#include "lib/wire/keys.h"

struct listener {
    struct link_hub *hub;
    struct keys *keys;
    struct link *control, *data;
    listener_refused_fn *refused;
    void *arg;
};

/* Runs once for each kind and peer; listener_log_refusals() reports the totals. */
static void on_refusal(enum refusal kind, const char *peer, void *arg)
{
    struct listener *listener = arg;

    log_warning("message refused: reason=%s peer=%s", refusal_kind_word(kind), peer);
    listener->refused(refusal_kind_word(kind), peer, listener->arg);
}

static int open_links(struct listener *listener,
                      struct reactor *reactor,
                      const struct listener_options *settings,
                      struct err *err)
{
    struct link_options options = {.endpoint = settings->control,
                                   .kind = LINK_CONTROL,
                                   .insecure = settings->insecure};

    if (settings->key) {
        if (keys_open_server(&listener->keys, settings->key, settings->allow, err) <
                0 ||
            link_hub_require_keys(listener->hub, listener->keys, reactor, err) < 0)
            return -1;
        options.keys = listener->keys;
    }
    if (link_server_open(&listener->control, listener->hub, &options, err) < 0)
        return -1;
    options.endpoint = settings->data;
    options.kind = LINK_DATA;
    return link_server_open(&listener->data, listener->hub, &options, err);
}

int listener_open(struct listener **out,
                  struct reactor *reactor,
                  const struct listener_options *options,
                  listener_refused_fn *refused,
                  void *arg,
                  struct err *err)
{
    struct listener *listener = xcalloc(1, sizeof(*listener));

    listener->refused = refused;
    listener->arg = arg;
    listener->hub = link_hub_create();
    link_hub_monitor(listener->hub, reactor);
    refusals_on_first(link_hub_refusals(listener->hub), on_refusal, listener);
    if (open_links(listener, reactor, options, err) < 0) {
        listener_close(listener);
        return -1;
    }
    *out = listener;
    return 0;
}

void listener_close(struct listener *listener)
{
    if (!listener)
        return;
    link_close(listener->control);
    link_close(listener->data);
    link_hub_destroy(listener->hub);
    keys_close(listener->keys);
    free(listener);
}

struct link *listener_control(const struct listener *listener)
{
    return listener->control;
}

struct link *listener_data(const struct listener *listener)
{
    return listener->data;
}

struct keys *listener_keys(const struct listener *listener)
{
    return listener->keys;
}

static void send_refusal(struct link *link,
                         const struct peer *peer,
                         struct outbox *outbox,
                         const struct err *why)
{
    const struct msg_refused refused = {refusal_word(why->code), why->text};

    if (peer->size > 0)
        outbox_send(outbox, link, peer, MSG_REFUSED, &refused);
}

enum listener_result listener_receive(struct listener *listener,
                                      struct link *link,
                                      struct outbox *outbox,
                                      struct incoming *in)
{
    struct err err;

    if (link_receive(link, in, &err) < 0) {
        send_refusal(link, &in->peer, outbox, &err);
        return LISTENER_REFUSED;
    }
    if (!in->kind)
        return LISTENER_EMPTY;
    if (permissions_allow(in->caller.roles, in->kind->type))
        return LISTENER_MESSAGE;
    refusals_add(link_hub_refusals(listener->hub), REFUSAL_ROLE, in->caller.name);
    err_set(&err, ERR_DENIED, "a key with role %s may not send %s",
            role_word(in->caller.roles), in->kind->name);
    send_refusal(link, &in->peer, outbox, &err);
    return LISTENER_REFUSED;
}

void listener_reload(struct listener *listener)
{
    struct err err;

    if (!listener->keys)
        log_info("allow-list not reloaded: reason=\"started without --allow\"");
    else if (keys_reload(listener->keys, &err) < 0)
        log_error("allow-list not reloaded, the old list stays valid: reason=\"%s\"",
                  err.text);
    else
        log_info("allow-list reloaded");
}

void listener_log_insecure(const struct listener *listener)
{
    const struct link *const links[] = {listener->control, listener->data};

    for (size_t i = 0; i < COUNT(links); i++)
        if (!listener->keys && !endpoint_is_private(link_endpoint(links[i])))
            log_warning("INSECURE: endpoint=%s accepts every peer with every role, and "
                        "traffic is not encrypted; create keys with 'muster keygen' "
                        "and start with --key and --allow",
                        link_endpoint(links[i]));
}

void listener_log_refusals(const struct listener *listener)
{
    const struct refusals *refusals = link_hub_refusals(listener->hub);

    for (enum refusal kind = 0; kind < REFUSAL_KINDS; kind++)
        if (refusals_count(refusals, kind) > 0)
            log_info("messages refused in total: reason=%s count=%llu",
                     refusal_kind_word(kind),
                     (unsigned long long)refusals_count(refusals, kind));
}
