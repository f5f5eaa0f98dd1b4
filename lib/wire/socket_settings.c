#include "lib/wire/socket_settings.h"

#include <errno.h>

#include <zmq.h>

#include "lib/base/text.h"
#include "lib/wire/frame.h"
#include "lib/wire/keys.h"
#include "lib/wire/link_options.h"

struct setting {
    int option;
    int value;
};

/* The high-water marks limit the memory of waiting messages. A control message has some
 * hundred bytes, a group up to 1 MiB. At most 4 groups of each worker wait in the
 * coordinator. When a slow peer does not read, link_send() to it returns ERR_LIMIT;
 * other peers are not affected. */
static const struct setting common_settings[] = {
    {ZMQ_LINGER, 1000},     /* ms at the end for replies that were not sent yet */
    {ZMQ_TCP_KEEPALIVE, 1}, /* a peer without power is detected in 90 s */
    {ZMQ_TCP_KEEPALIVE_IDLE, 60}, {ZMQ_TCP_KEEPALIVE_INTVL, 10},
    {ZMQ_TCP_KEEPALIVE_CNT, 3},   {0},
};
static const struct setting control_settings[] = {
    {ZMQ_SNDHWM, 1000},
    {ZMQ_RCVHWM, 1000},
    {0},
};
static const struct setting data_settings[] = {
    {ZMQ_SNDHWM, 4},
    {ZMQ_RCVHWM, 4},
    {0},
};
/* ZMQ_HEARTBEAT_IVL is not set: ZeroMQ 4.3.4 aborts when the timer expires for a
 * connection that ended while the socket was not read. */
static const struct setting server_settings[] = {
    {ZMQ_ROUTER_MANDATORY, 1},  /* sending to an unknown peer is an error */
    {ZMQ_BACKLOG, 1024},        /* all workers may reconnect at the same time */
    {ZMQ_HANDSHAKE_IVL, 10000}, /* ms; then an unauthorized peer is disconnected */
    {0},
};
static const struct setting client_settings[] = {
    {ZMQ_IMMEDIATE, 1}, /* no queue before the connection is complete */
    {ZMQ_RECONNECT_IVL, 100},
    {ZMQ_RECONNECT_IVL_MAX, 5000},
    {0},
};

static int apply(void *socket, const struct setting *setting, struct err *err)
{
    for (; setting->option; setting++)
        if (zmq_setsockopt(socket, setting->option, &setting->value,
                           sizeof(setting->value)) < 0)
            return err_set(err, ERR_SYSTEM, "socket option %d: %s", setting->option,
                           zmq_strerror(errno));
    return 0;
}

static int
apply_keys(void *socket, const struct keys *keys, bool is_server, struct err *err)
{
    int on = 1, failed = 0;

    failed |=
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys_secret(keys), KEY_TEXT + 1);
    failed |=
        zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys_public(keys), KEY_TEXT + 1);
    if (is_server) {
        failed |= zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &on, sizeof(on));
        failed |= zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, "muster", 6);
    } else if (keys_server(keys)) {
        failed |= zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, keys_server(keys),
                                 KEY_TEXT + 1);
    } else {
        return err_set(err, ERR_INPUT, "a client needs the public key of its server");
    }
    if (failed)
        return err_set(err, ERR_SYSTEM, "setting keys: %s", zmq_strerror(errno));
    return 0;
}

int socket_settings_apply(void *socket,
                          const struct link_options *options,
                          bool is_server,
                          struct err *err)
{
    int64_t max_bytes = (int64_t)frame_limits_default.bytes;
    int ipv6 = text_has_prefix(options->endpoint, "tcp://[");

    const struct setting *of_kind =
        options->kind == LINK_DATA ? data_settings : control_settings;

    if (apply(socket, common_settings, err) < 0 ||
        apply(socket, is_server ? server_settings : client_settings, err) < 0 ||
        apply(socket, of_kind, err) < 0)
        return -1;
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &max_bytes, sizeof(max_bytes));
    zmq_setsockopt(socket, ZMQ_IPV6, &ipv6, sizeof(ipv6));
    return options->keys ? apply_keys(socket, options->keys, is_server, err) : 0;
}
