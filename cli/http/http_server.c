#include "cli/http/http_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/http/http_server_internal.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"

enum {
    SEND_MAX = 128 * 1024, /* bytes of one call of send() */
    HEADERS_MAX = 8192,    /* bytes of all headers of a request */
    HEADERS_S = 10,        /* time for a peer to send them */
    PING_S = 60,           /* between two pings of a WebSocket */
    CONNECTIONS_MOST = 60000,
    FILES_MORE = 64, /* descriptors beside those of connections */
};

static int on_event(struct lws *wsi,
                    enum lws_callback_reasons reason,
                    void *user,
                    void *in,
                    size_t size)
{
    struct http_connection *connection;
    struct http_server *server;

    (void)user;
    switch (reason) {
    case LWS_CALLBACK_RAW_RX_FILE:
        server = lws_context_user(lws_get_context(wsi));
        http_connections_accept(server);
        return 0;
    case LWS_CALLBACK_HTTP:
        connection = http_connection_of(wsi);
        return connection ? http_exchange_begin(connection) : -1;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        connection = http_connection_of(wsi);
        return connection ? http_exchange_continue(connection) : -1;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return strcmp(in, "websocket") == 0 ? 0 : -1;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        connection = http_connection_of(wsi);
        return connection ? http_exchange_check_upgrade(connection) : -1;
    case LWS_CALLBACK_ESTABLISHED:
        http_socket_open(http_connection_of(wsi));
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return http_socket_receive(http_connection_of(wsi), in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return http_socket_continue(http_connection_of(wsi));
    case LWS_CALLBACK_WSI_DESTROY:
        connection = http_connection_of(wsi);
        if (connection)
            http_socket_close(connection);
        http_connection_closed(wsi);
        return 0;
    default:
        return 0;
    }
}

/* Clients that answer no ping are closed. */
static const lws_retry_bo_t pings = {
    .secs_since_valid_ping = PING_S,
    .secs_since_valid_hangup = PING_S + HEADERS_S,
};

static const struct lws_protocols protocols[] = {
    /* without a size, the library sends 4 KiB at a time and copies the rest */
    {.name = "muster", .callback = on_event, .tx_packet_size = SEND_MAX},
    {0},
};

static void log_text(int level, const char *line)
{
    (void)level;
    log_warning("libwebsockets: text=\"%.*s\"", (int)strcspn(line, "\n"), line);
}

/* The library allocates tables for the limit of descriptors, which can be 2^30. */
static void limit_descriptors(uint64_t connections)
{
    struct rlimit limit;
    rlim_t want = connections + FILES_MORE;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return;
    limit.rlim_cur = want < limit.rlim_max ? want : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int check_access(const struct http_server *server, struct err *err)
{
    const struct http_server_options *options = &server->options;

    if (options->connections_max == 0 || options->connections_max > CONNECTIONS_MOST)
        return err_set(err, ERR_INPUT, "--connections is not between 1 and %d",
                       CONNECTIONS_MOST);
    if (!options->certificate != !options->key)
        return err_set(err, ERR_INPUT,
                       "--tls-cert and --tls-key need each other; pass both or none");
    if (server->listen.is_private)
        return 0;
    if (!options->certificate)
        return err_set(err, ERR_DENIED,
                       "other machines can reach %s, which needs TLS; pass --tls-cert "
                       "FILE and --tls-key FILE",
                       options->listen);
    if (!options->token)
        return err_set(
            err, ERR_DENIED,
            "other machines can reach %s, which needs a token; make one with "
            "'muster keygen --role read FILE NAME' and pass --token FILE",
            options->listen);
    return 0;
}

static int check_readable(const char *path, struct err *err)
{
    if (path && access(path, R_OK) < 0)
        return err_errno(err, "reading %s", path);
    return 0;
}

static int start_library(struct http_server *server, struct err *err)
{
    const struct http_server_options *options = &server->options;
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = protocols,
        .user = server,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS |
                   (options->certificate ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0),
        .max_http_header_data = HEADERS_MAX,
        .max_http_header_pool = (unsigned short)options->connections_max,
        .timeout_secs = HEADERS_S,
        .timeout_secs_ah_idle = HEADERS_S,
        .keepalive_timeout = (int)(options->idle_ms / 1000),
        .alpn = "http/1.1",
        .retry_and_idle_policy = &pings,
        .ssl_cert_filepath = options->certificate,
        .ssl_private_key_filepath = options->key,
        .vhost_name = "muster",
    };
    const lws_sock_file_fd_type listen = {.filefd = server->listen.fd};

    /* libwebsockets reads these for clients, and reports one that has no address */
    unsetenv("http_proxy");
    unsetenv("socks_proxy");
    lws_set_log_level(LLL_ERR, log_text);
    limit_descriptors(options->connections_max);
    server->context = lws_create_context(&info);
    if (!server->context)
        return err_set(err, ERR_SYSTEM, "libwebsockets cannot start");
    server->vhost = lws_create_vhost(server->context, &info);
    if (!server->vhost)
        return err_set(err, ERR_INPUT,
                       "TLS cannot start with the certificate %s and the key %s",
                       options->certificate ? options->certificate : "-",
                       options->key ? options->key : "-");
    if (!lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC, listen,
                                    protocols[0].name, NULL))
        return err_set(err, ERR_SYSTEM, "libwebsockets refuses the listening socket");
    server->listen.fd = dup(server->listen.fd); /* the library closes its own */
    return 0;
}

int http_server_open(struct http_server **out,
                     const struct http_server_options *options,
                     struct err *err)
{
    struct http_server *server = xcalloc(1, sizeof(*server));

    server->options = *options;
    server->listen.fd = -1;
    if (http_listen_parse(&server->listen, options->listen, err) < 0 ||
        check_access(server, err) < 0 ||
        check_readable(options->certificate, err) < 0 ||
        check_readable(options->key, err) < 0 ||
        http_listen_open(&server->listen, options->listen, err) < 0)
        goto fail;
    server->guard = (struct http_guard){
        .names = options->names,
        .token = options->token,
        .port = server->listen.port,
        .has_tls = options->certificate != NULL,
    };
    snprintf(server->address, sizeof(server->address), "%s://%s:%u",
             server->guard.has_tls ? "https" : "http", server->listen.host,
             server->listen.port);
    if (start_library(server, err) < 0)
        goto fail;
    *out = server;
    return 0;

fail:
    http_server_close(server);
    return -1;
}

void http_server_close(struct http_server *server)
{
    if (!server)
        return;
    if (server->context)
        lws_context_destroy(server->context);
    http_listen_close(&server->listen);
    free(server);
}

const char *http_server_address(const struct http_server *server)
{
    return server->address;
}

unsigned http_server_port(const struct http_server *server)
{
    return server->listen.port;
}

size_t http_server_streams(const struct http_server *server)
{
    return server->streams;
}

static void on_timer(lws_sorted_usec_list_t *timer)
{
    struct http_server *server = lws_container_of(timer, struct http_server, timer);

    server->timer_fn(server->timer_arg);
    lws_sul_schedule(server->context, 0, timer, on_timer,
                     (lws_usec_t)server->timer_ms * 1000);
}

void http_server_every(struct http_server *server,
                       uint64_t ms,
                       http_timer_fn *fn,
                       void *arg)
{
    server->timer_ms = ms;
    server->timer_fn = fn;
    server->timer_arg = arg;
    lws_sul_schedule(server->context, 0, &server->timer, on_timer,
                     (lws_usec_t)ms * 1000);
}

int http_server_run(struct http_server *server, struct err *err)
{
    lws_set_log_level(0, NULL); /* from now on peers cause its messages */
    while (!server->is_stopped)
        if (lws_service(server->context, 0) < 0)
            return err_set(err, ERR_SYSTEM, "libwebsockets ended its event loop");
    return 0;
}

void http_server_stop(struct http_server *server)
{
    server->is_stopped = 1;
    lws_cancel_service(server->context);
}
