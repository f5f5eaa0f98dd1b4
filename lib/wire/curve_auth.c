#include "lib/wire/curve_auth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/keys.h"
#include "lib/wire/refusals/refusals.h"

enum {
    FRAMES = 7, /* version, request id, domain, address, identity, mechanism, key */
    FRAME_ROOM = 256,
    REQUESTS_PER_TURN = 64,
};

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

/* Returns false when there is no request. Drops further frames of a newer protocol. */
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

/* Returns true and the key as text when the allow-list has the key. */
static bool is_admitted(const struct curve_auth *auth,
                        const struct request *request,
                        char key[KEY_TEXT + 1])
{
    if (request->count != FRAMES || strcmp(request->frames[5].bytes, "CURVE") ||
        request->frames[6].size != KEY_BYTES ||
        !zmq_z85_encode(key, (const uint8_t *)request->frames[6].bytes, KEY_BYTES))
        return false;
    if (keys_find(auth->keys, key))
        return true;
    refusals_add(auth->refusals, REFUSAL_KEY, request->frames[3].bytes);
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
    struct curve_auth *auth = arg;
    struct request request;
    char key[KEY_TEXT + 1];

    for (int i = 0; i < REQUESTS_PER_TURN && receive(auth->socket, &request); i++)
        answer(auth->socket, &request, is_admitted(auth, &request, key) ? key : NULL);
}

int curve_auth_create(struct curve_auth **out,
                      void *context,
                      const struct keys *keys,
                      struct refusals *refusals,
                      struct reactor *reactor,
                      struct err *err)
{
    struct curve_auth *auth = xcalloc(1, sizeof(*auth));
    int linger = 0;

    *auth = (struct curve_auth){.keys = keys, .refusals = refusals, .reactor = reactor};
    auth->socket = zmq_socket(context, ZMQ_REP);
    if (!auth->socket ||
        zmq_setsockopt(auth->socket, ZMQ_LINGER, &linger, sizeof(linger)) < 0 ||
        zmq_bind(auth->socket, "inproc://zeromq.zap.01") < 0) {
        err_set(err, ERR_SYSTEM, "answering authentication requests: %s",
                zmq_strerror(errno));
        if (auth->socket)
            zmq_close(auth->socket);
        free(auth);
        return -1;
    }
    reactor_on_socket(reactor, auth->socket, on_request, auth);
    *out = auth;
    return 0;
}

void curve_auth_destroy(struct curve_auth *auth)
{
    if (!auth)
        return;
    reactor_off_socket(auth->reactor, auth->socket);
    zmq_close(auth->socket);
    free(auth);
}
