/* serve.c - shows a store or a coordinator in a browser, and as a JSON API */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/api/api.h"
#include "cli/app/command_options.h"
#include "cli/http/http_server.h"
#include "cli/http/http_token.h"
#include "cli/pages/pages.h"
#include "cli/viewer/viewer_site.h"
#include "cli/viewer/viewer_socket.h"
#include "lib/base/mem.h"
#include "parsers/viewer/viewer.h"

enum { PUBLISH_MS = 1000, DEFAULT_IDLE_MS = 60000, DEFAULT_CONNECTIONS = 2048 };

const struct command command_serve;

struct serve_options {
    struct command_options common;
    struct http_server_options server;
    const char *token_file, *viewer_folder;
    struct option_texts names;
};

struct serving {
    struct api *api;
    struct http_server *server;
    struct viewer *viewer;
    struct viewer_site *site; /* NULL: without the vendor's web files */
    struct http_route *routes;
};

static struct http_server *interrupted; /* for the signal handler */

static void on_signal(int signum)
{
    (void)signum;
    http_server_stop(interrupted);
}

static void stop_on_signals(struct http_server *server)
{
    const struct sigaction action = {.sa_handler = on_signal};

    interrupted = server;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void publish(void *arg)
{
    struct serving *serving = arg;

    api_publish(serving->api, serving->server);
}

/* The token is part of the printed address: it is needed once, and then a cookie has
 * it. */
static int print_address(const struct http_server *server,
                         const struct http_server_options *options,
                         struct err *err)
{
    printf("%s/%s%s\n", http_server_address(server), options->token ? "?token=" : "",
           options->token ? options->token : "");
    return fflush(stdout) == EOF ? err_errno(err, "writing the address to stdout") : 0;
}

static void make_routes(struct serving *serving)
{
    size_t more = serving->site ? viewer_site_route_count(serving->site) : 0;
    size_t count;

    serving->routes =
        xcalloc(API_ROUTES_MAX + PAGES_ROUTES_MAX + more + 1, sizeof(*serving->routes));
    count = api_routes(serving->routes);
    count += pages_routes(serving->routes + count);
    if (serving->site)
        viewer_site_routes(serving->site, serving->routes + count);
}

static int open_server(struct serving *serving,
                       struct http_server_options *options,
                       struct err *err)
{
    options->routes = serving->routes;
    options->arg = serving->api;
    options->sockets = &viewer_socket_service;
    if (api_check(serving->api, err) < 0 ||
        http_server_open(&serving->server, options, err) < 0)
        return -1;
    if (serving->site)
        viewer_site_set_port(serving->site, http_server_port(serving->server));
    return 0;
}

static int serve(struct serve_options *options, struct err *err)
{
    struct serving serving = {.api = NULL};
    struct viewer_socket_files files = {.out = options->common.out};
    char *token = NULL;
    int result = -1;

    if ((options->token_file &&
         http_token_read(&token, options->token_file, err) < 0) ||
        (options->viewer_folder &&
         viewer_site_open(&serving.site, options->viewer_folder, err) < 0))
        goto end;
    make_routes(&serving);
    serving.api = api_create(&options->common.client, options->common.out);
    serving.viewer = files.viewer = viewer_create();
    options->server.token = token;
    options->server.names = options->names.items;
    options->server.sockets_arg = &files;
    if (open_server(&serving, &options->server, err) < 0)
        goto end;
    stop_on_signals(serving.server);
    http_server_every(serving.server, PUBLISH_MS, publish, &serving);
    if (print_address(serving.server, &options->server, err) == 0)
        result = http_server_run(serving.server, err);

end:
    http_server_close(serving.server); /* closes the sessions of the viewer */
    viewer_destroy(serving.viewer);
    viewer_site_close(serving.site);
    api_destroy(serving.api);
    free(serving.routes);
    free(token);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct serve_options options = {
        .common = COMMAND_OPTIONS_INIT,
        .server = {.listen = "127.0.0.1:8470",
                   .idle_ms = DEFAULT_IDLE_MS,
                   .connections_max = DEFAULT_CONNECTIONS},
    };
    char **args;
    const struct option_row rows[] = {
        {"listen", 0, OPTION_TEXT, &options.server.listen, "ADDRESS:PORT",
         "Where browsers connect; port 0: any free port (default: 127.0.0.1:8470)",
         NULL},
        {"token", 0, OPTION_TEXT, &options.token_file, "FILE",
         "Token that requests need: a key of 'muster keygen --role read', or a line of "
         "24 letters or more (default: none)",
         NULL},
        {"tls-cert", 0, OPTION_TEXT, &options.server.certificate, "FILE",
         "Certificate in PEM form, with its chain (default: no TLS)", NULL},
        {"tls-key", 0, OPTION_TEXT, &options.server.key, "FILE",
         "Private key of the certificate in PEM form (default: no TLS)", NULL},
        {"name", 0, OPTION_TEXTS, &options.names, "HOST",
         "Further host name of this server in addresses; may be repeated (default: "
         "localhost)",
         NULL},
        {"viewer", 0, OPTION_TEXT, &options.viewer_folder, "DIR",
         "Web files of an installed MindStudio Insight, shown at /viewer (default: "
         "none)",
         NULL},
        {"idle", 0, OPTION_DURATION, &options.server.idle_ms, "DURATION",
         "Close a connection without requests after this time (default: 60s)", NULL},
        {"connections", 0, OPTION_U64, &options.server.connections_max, "N",
         "Serve at most N connections; more close the longest idle one (default: 2048)",
         NULL},
        COMMAND_OPTIONS_OUT_ROW(options.common),
        COMMAND_OPTIONS_CLIENT_ROWS(options.common),
        COMMAND_OPTIONS_HELP_ROW(options.common),
        {0},
    };
    int result = command_options_parse(&command_serve, rows, &options.common, argc,
                                       argv, &args, 0, 0, err);

    if (result == 0)
        result = serve(&options, err);
    else if (result > 0)
        result = EXIT_GOOD;
    free(options.names.items);
    return result;
}

const struct command command_serve = {
    .name = "serve",
    .args = "[OPTIONS]",
    .summary = "Show jobs, cards and figures in a browser, and as a JSON API",
    .details =
        "Prints the address to open and runs until Ctrl-C. The server only reads:\n"
        "from the store below --out DIR, also while a coordinator writes to it, or\n"
        "from a coordinator. Without --token every user of this machine can read.\n"
        "An address that other machines can reach needs TLS and a token.\n"
        "docs/user/serve.md describes the pages and the API, docs/user/viewer.md the\n"
        "vendor's viewer.",
    .run = run,
};
