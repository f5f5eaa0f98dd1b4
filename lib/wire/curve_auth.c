#include "lib/wire/curve_auth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/keys.h"
#include "lib/wire/refusals.h"

/* version, request id, domain, address, identity, mechanism, credentials */
enum { FRAMES = 7, FRAME_ROOM = 256, DRAIN = 64 };

struct curve_auth {
    void *socket;
    const struct keys *keys;
    struct refusals *refusals;
    struct reactor *reactor;
};

struct request {
    size_t count;
    struct {
        size_t size;
        char bytes[FRAME_ROOM + 1];
    } frames[FRAMES];
};

/* False when nothing is there. Frames beyond what we know are dropped. */
static bool receive(void *socket, struct request *request)
{
    int more = 1;
    size_t more_size = sizeof(more);

    for (request->count = 0; more; request->count++) {
        size_t at = request->count < FRAMES ? request->count : FRAMES - 1;
        int size =
            zmq_recv(socket, request->frames[at].bytes, FRAME_ROOM, ZMQ_DONTWAIT);
        if (size < 0)
            return false;
        request->frames[at].size =
            (size_t)size < FRAME_ROOM ? (size_t)size : FRAME_ROOM;
        request->frames[at].bytes[request->frames[at].size] = '\0';
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &more_size);
    }
    return true;
}

/* True, and the key as text, when it is on the list. */
static bool judge(const struct curve_auth *guard,
                  const struct request *request,
                  char key[KEY_TEXT + 1])
{
    if (request->count != FRAMES || strcmp(request->frames[5].bytes, "CURVE") ||
        request->frames[6].size != KEY_BYTES ||
        !zmq_z85_encode(key, (const uint8_t *)request->frames[6].bytes, KEY_BYTES))
        return false;
    if (keys_find(guard->keys, key))
        return true;
    refusals_add(guard->refusals, REFUSAL_KEY, request->frames[3].bytes);
    return false;
}

static void answer(void *socket, const struct request *request, const char *key)
{
    const char *parts[] = {key ? "200" : "400", key ? "" : "not on the allow-list",
                           key ? key : ""};

    zmq_send(socket, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(socket, request->frames[1].bytes, request->frames[1].size, ZMQ_SNDMORE);
    for (size_t i = 0; i < COUNT(parts); i++)
        zmq_send(socket, parts[i], strlen(parts[i]), ZMQ_SNDMORE);
    zmq_send(socket, "", 0, 0); /* metadata */
}

static void on_request(void *arg)
{
    struct curve_auth *guard = arg;
    struct request request;
    char key[KEY_TEXT + 1];

    for (int i = 0; i < DRAIN && receive(guard->socket, &request); i++)
        answer(guard->socket, &request, judge(guard, &request, key) ? key : NULL);
}

int curve_auth_create(struct curve_auth **out,
                      void *context,
                      const struct keys *keys,
                      struct refusals *refusals,
                      struct reactor *reactor,
                      struct err *err)
{
    struct curve_auth *guard = xcalloc(1, sizeof(*guard));
    int linger = 0;

    *guard =
        (struct curve_auth){.keys = keys, .refusals = refusals, .reactor = reactor};
    guard->socket = zmq_socket(context, ZMQ_REP);
    if (!guard->socket ||
        zmq_setsockopt(guard->socket, ZMQ_LINGER, &linger, sizeof(linger)) < 0 ||
        zmq_bind(guard->socket, "inproc://zeromq.zap.01") < 0) {
        err_set(err, ERR_SYSTEM, "guarding the sockets: %s", zmq_strerror(errno));
        if (guard->socket)
            zmq_close(guard->socket);
        free(guard);
        return -1;
    }
    reactor_on_socket(reactor, guard->socket, on_request, guard);
    *out = guard;
    return 0;
}

void curve_auth_destroy(struct curve_auth *guard)
{
    if (!guard)
        return;
    reactor_off_socket(guard->reactor, guard->socket);
    zmq_close(guard->socket);
    free(guard);
}
