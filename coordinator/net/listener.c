#include "coordinator/net/listener.h"

#include <stdlib.h>

#include "coordinator/ledger/ledger.h"
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
    struct ledger *ledger;
    void (*failed)(const struct err *err, void *arg);
    void *arg;
};

/* Once of a kind and a caller; the end tells how often. */
static void on_refusal(enum refusal kind, const char *who, void *arg)
{
    struct listener *door = arg;
    struct err err;

    log_warning("refused: why=%s who=%s", refusal_kind_word(kind), who);
    if (ledger_peer_refused(door->ledger, refusal_kind_word(kind), who, &err) < 0)
        door->failed(&err, door->arg);
}

static int open_links(struct listener *door,
                      struct reactor *reactor,
                      const struct listener_options *wanted,
                      struct err *err)
{
    struct link_options options = {.endpoint = wanted->control,
                                   .kind = LINK_CONTROL,
                                   .insecure = wanted->insecure};

    if (wanted->key) {
        if (keys_open_server(&door->keys, wanted->key, wanted->allow, err) < 0 ||
            link_hub_guard(door->hub, door->keys, reactor, err) < 0)
            return -1;
        options.keys = door->keys;
    }
    if (link_server_open(&door->control, door->hub, &options, err) < 0)
        return -1;
    options.endpoint = wanted->data;
    options.kind = LINK_DATA;
    return link_server_open(&door->data, door->hub, &options, err);
}

int listener_open(struct listener **out,
                  struct reactor *reactor,
                  const struct listener_options *options,
                  struct ledger *ledger,
                  void (*failed)(const struct err *err, void *arg),
                  void *arg,
                  struct err *err)
{
    struct listener *door = xcalloc(1, sizeof(*door));

    *door = (struct listener){.ledger = ledger, .failed = failed, .arg = arg};
    door->hub = link_hub_create();
    link_hub_watch(door->hub, reactor);
    refusals_tell(link_hub_refusals(door->hub), on_refusal, door);
    if (open_links(door, reactor, options, err) < 0) {
        listener_close(door);
        return -1;
    }
    *out = door;
    return 0;
}

void listener_close(struct listener *door)
{
    if (!door)
        return;
    link_close(door->control);
    link_close(door->data);
    link_hub_destroy(door->hub);
    keys_close(door->keys);
    free(door);
}

struct link *listener_control(const struct listener *door)
{
    return door->control;
}

struct link *listener_data(const struct listener *door)
{
    return door->data;
}

struct keys *listener_keys(const struct listener *door)
{
    return door->keys;
}

static void turn_away(struct link *link,
                      const struct peer *peer,
                      struct outbox *outbox,
                      const struct err *why)
{
    const struct msg_refused refused = {refusal_word(why->code), why->text};

    if (peer->size > 0)
        outbox_send(outbox, link, peer, MSG_REFUSED, &refused);
}

enum listener_heard listener_receive(struct listener *door,
                                     struct link *link,
                                     struct outbox *outbox,
                                     struct incoming *in)
{
    struct err err;

    if (link_receive(link, in, &err) < 0) {
        turn_away(link, &in->peer, outbox, &err);
        return LISTENER_REFUSED;
    }
    if (!in->kind)
        return LISTENER_NOTHING;
    if (permissions_allow(in->caller.roles, in->kind->type))
        return LISTENER_MESSAGE;
    refusals_add(link_hub_refusals(door->hub), REFUSAL_ROLE, in->caller.name);
    err_set(&err, ERR_DENIED, "a key of role %s may not say %s",
            role_word(in->caller.roles), in->kind->name);
    turn_away(link, &in->peer, outbox, &err);
    return LISTENER_REFUSED;
}

void listener_reload(struct listener *door)
{
    struct err err;

    if (!door->keys)
        log_info("nothing to read again: there is no allow-list");
    else if (keys_reload(door->keys, &err) < 0)
        log_error("the old allow-list stays: %s", err.text);
    else
        log_info("allow-list read again");
}

void listener_tell_insecure(const struct listener *door)
{
    const struct link *const links[] = {door->control, door->data};

    for (size_t i = 0; i < COUNT(links); i++)
        if (!door->keys && !endpoint_is_private(link_endpoint(links[i])))
            log_warning("INSECURE: everybody who reaches %s may do everything, and "
                        "reads all; keys are made by muster keygen",
                        link_endpoint(links[i]));
}

void listener_tell_refusals(const struct listener *door)
{
    const struct refusals *refusals = link_hub_refusals(door->hub);

    for (enum refusal kind = 0; kind < REFUSAL_KINDS; kind++)
        if (refusals_count(refusals, kind) > 0)
            log_info("refused in all: why=%s count=%llu", refusal_kind_word(kind),
                     (unsigned long long)refusals_count(refusals, kind));
}
