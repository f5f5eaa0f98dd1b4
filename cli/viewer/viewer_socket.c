#include "cli/viewer/viewer_socket.h"

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "parsers/viewer/viewer.h"

enum { LISTING_MS = 2000 };

static void list_results(struct viewer_socket_files *files)
{
    uint64_t now_ms = clock_mono_ms();
    struct err err;

    if (files->listed_ms && now_ms - files->listed_ms < LISTING_MS)
        return;
    files->listed_ms = now_ms;
    if (viewer_results_list(files->viewer, &files->sources, &err) < 0)
        log_warning("files not listed: reason=\"%s\"", err.text);
}

static void *open_client(void *arg)
{
    struct viewer_socket_files *files = arg;

    list_results(files);
    return viewer_session_create(files->viewer);
}

static void send_text(void *ctx, const char *text, size_t size, bool is_last)
{
    http_socket_send(ctx, text, size, is_last);
}

static void
receive(void *client, struct http_socket *socket, const char *text, size_t size)
{
    viewer_answer(client, text, size, send_text, socket);
}

static bool proceed(void *client, struct http_socket *socket)
{
    return viewer_continue(client, send_text, socket);
}

static bool is_answering(const void *client)
{
    return viewer_is_answering(client);
}

static void close_client(void *client)
{
    viewer_session_destroy(client);
}

const struct http_socket_service viewer_socket_service = {
    .open = open_client,
    .receive = receive,
    .proceed = proceed,
    .is_answering = is_answering,
    .close = close_client,
    .message_max = 2 * VIEWER_REQUEST_MAX, /* the viewer answers one that is too long */
};
