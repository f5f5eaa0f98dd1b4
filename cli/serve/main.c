/* muster-serve - shows a store or a coordinator in a browser, and as a JSON API
 *
 * `muster serve` starts it. It is a program of its own because it is the only one that
 * needs libwebsockets and TLS, which every other command would load too. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/api/api.h"
#include "cli/app/serve_settings.h"
#include "cli/http/http_server.h"
#include "cli/http/http_token.h"
#include "cli/pages/pages.h"
#include "cli/viewer/viewer_site.h"
#include "cli/viewer/viewer_socket.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "parsers/viewer/viewer.h"

enum { PUBLISH_MS = 1000 };

struct serving {
    struct api *api;
    struct http_server *server;
    struct viewer_socket_files files;
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
static int
print_address(const struct http_server *server, const char *token, struct err *err)
{
    printf("%s/%s%s\n", http_server_address(server), token ? "?token=" : "",
           token ? token : "");
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
                       const struct serve_settings *settings,
                       const char *token,
                       struct err *err)
{
    const struct viewer_sources *sources = &serving->files.sources;
    const struct http_server_options options = {
        .listen = settings->listen,
        .certificate = settings->certificate,
        .key = settings->key,
        .token = token,
        .names = settings->names.items,
        .routes = serving->routes,
        .arg = serving->api,
        .sockets = &viewer_socket_service,
        .sockets_arg = &serving->files,
        .idle_ms = settings->idle_ms,
        .connections_max = settings->connections_max,
    };
    bool has_files = sources->browse || *sources->given;

    if (viewer_results_check(sources, err) < 0 ||
        (!has_files && api_check(serving->api, err) < 0) ||
        http_server_open(&serving->server, &options, err) < 0)
        return -1;
    if (serving->site)
        viewer_site_set_port(serving->site, http_server_port(serving->server));
    return 0;
}

static int serve(const struct serve_settings *settings, char **given, struct err *err)
{
    struct serving serving = {
        .files.sources = {settings->common.out, settings->browse, given}};
    char *token = NULL;
    int result = -1;

    if ((settings->token && http_token_read(&token, settings->token, err) < 0) ||
        (settings->viewer &&
         viewer_site_open(&serving.site, settings->viewer, err) < 0))
        goto end;
    make_routes(&serving);
    serving.api = api_create(&settings->common.client, settings->common.out);
    serving.files.viewer = viewer_create();
    if (open_server(&serving, settings, token, err) < 0)
        goto end;
    stop_on_signals(serving.server);
    http_server_every(serving.server, PUBLISH_MS, publish, &serving);
    if (print_address(serving.server, token, err) == 0)
        result = http_server_run(serving.server, err);

end:
    http_server_close(serving.server); /* closes the sessions of the viewer */
    viewer_destroy(serving.files.viewer);
    viewer_site_close(serving.site);
    api_destroy(serving.api);
    free(serving.routes);
    free(token);
    return result;
}

int main(int argc, char **argv)
{
    static struct serve_settings settings;
    const struct command command = {
        .name = "serve",
        .args = serve_settings_usage,
        .summary = serve_settings_summary,
    };
    struct err err = {0};
    char **given;

    mem_disable_trim(); /* answers would get fresh pages again and again */
    fd_open_standard();
    log_open("muster", LOG_WARNING);
    serve_settings_init(&settings);
    int result = command_options_parse(&command, settings.rows, &settings.common, argc,
                                       argv, &given, 0, SERVE_SETTINGS_FILES, &err);
    if (result == 0 && settings.version)
        printf("muster-serve %s\n", MUSTER_VERSION);
    else if (result == 0)
        result = serve(&settings, given, &err);
    else if (result > 0)
        result = EXIT_GOOD;
    free(settings.names.items);
    if (result >= 0)
        return result;
    fprintf(stderr, "muster serve: %s\n", err.text);
    return exit_code_of(err.code);
}
