#include "coordinator/monitor/metrics_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/reactor.h"

enum { CALLERS = 8, QUESTION_MAX = 4096, PATIENCE_MS = 5000 };

static const char content[] =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

struct caller {
    struct metrics_http *scrape;
    int fd; /* -1: nobody */
    uint64_t turn;
    struct reactor_timer *patience;
    size_t size;
    char question[QUESTION_MAX + 1];
};

struct metrics_http {
    struct reactor *reactor;
    metrics_http_page_fn *page;
    void *arg;
    int fd;
    bool watched;
    char *endpoint, *path; /* of a socket in the file system, or NULL */
    uint64_t turn;
    struct caller callers[CALLERS];
};

static void hang_up(struct caller *caller)
{
    if (caller->fd < 0)
        return;
    if (caller->patience)
        reactor_cancel(caller->scrape->reactor, caller->patience);
    caller->patience = NULL;
    reactor_off_fd(caller->scrape->reactor, caller->fd);
    close(caller->fd);
    caller->fd = -1;
}

static void on_impatience(void *arg)
{
    struct caller *caller = arg;

    caller->patience = NULL;
    hang_up(caller);
}

static void
say(const struct caller *caller, const char *status, const struct text *body)
{
    struct text answer = {0};

    text_printf(&answer,
                "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                "Connection: close\r\n\r\n",
                status, body->length ? content : "text/plain", body->length);
    text_add_bytes(&answer, text_get(body), body->length);
    /* what does not fit is for nobody to wait for: his parser will see it is cut */
    if (send(caller->fd, answer.bytes, answer.length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
        shutdown(caller->fd, SHUT_WR);
    text_clear(&answer);
}

static void answer(struct caller *caller)
{
    static const char get[] = "GET ", path[] = "/metrics";
    const char *question = caller->question;
    struct text body = {0};

    if (strncmp(question, get, strlen(get)) != 0) {
        say(caller, "405 Method Not Allowed", &body);
    } else if (strncmp(question + strlen(get), path, strlen(path)) != 0 ||
               !strchr(" ?", question[strlen(get) + strlen(path)])) {
        say(caller, "404 Not Found", &body);
    } else {
        caller->scrape->page(&body, caller->scrape->arg);
        say(caller, "200 OK", &body);
    }
    text_clear(&body);
}

static void on_question(void *arg)
{
    struct caller *caller = arg;
    ssize_t size = recv(caller->fd, caller->question + caller->size,
                        QUESTION_MAX - caller->size, MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size > 0) {
        caller->size += (size_t)size;
        caller->question[caller->size] = '\0';
        if (!strstr(caller->question, "\r\n\r\n") && caller->size < QUESTION_MAX)
            return;
        if (caller->size < QUESTION_MAX)
            answer(caller);
    }
    hang_up(caller);
}

/* A free place, or the oldest caller's. */
static struct caller *place(struct metrics_http *scrape)
{
    struct caller *best = &scrape->callers[0];

    for (size_t i = 0; i < CALLERS; i++) {
        struct caller *caller = &scrape->callers[i];

        if (caller->fd < 0)
            return caller;
        if (caller->turn < best->turn)
            best = caller;
    }
    hang_up(best);
    return best;
}

static void on_caller(void *arg)
{
    struct metrics_http *scrape = arg;
    int fd = accept4(scrape->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return;
    struct caller *caller = place(scrape);
    caller->fd = fd;
    caller->size = 0;
    caller->turn = ++scrape->turn;
    caller->patience =
        reactor_once(scrape->reactor, PATIENCE_MS, on_impatience, caller);
    reactor_on_fd(scrape->reactor, fd, on_question, caller);
}

static int listen_unix(struct metrics_http *scrape, const char *path, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (*path != '/' || strlen(path) >= sizeof(at.sun_path))
        return err_set(err, ERR_INPUT,
                       "'%s' is no absolute path of less than %zu bytes", path,
                       sizeof(at.sun_path));
    strcpy(at.sun_path, path);
    scrape->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (scrape->fd < 0)
        return err_errno(err, "a socket");
    if (connect(scrape->fd, (struct sockaddr *)&at, sizeof(at)) == 0)
        return err_set(err, ERR_CONFLICT, "somebody else listens there");
    if (errno == ECONNREFUSED) /* left by a process that was killed */
        unlink(path);
    mode_t mask = umask(0117); /* for owner and group */
    int result = bind(scrape->fd, (struct sockaddr *)&at, sizeof(at));
    umask(mask);
    if (result < 0)
        return err_errno(err, "binding");
    scrape->path = xstrdup(path);
    scrape->endpoint = xasprintf("unix://%s", path);
    return 0;
}

static int listen_tcp(struct metrics_http *scrape, const char *where, struct err *err)
{
    const char *colon = strrchr(where, ':');
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    char host[64];
    uint64_t port;

    if (!colon || colon == where || (size_t)(colon - where) >= sizeof(host) ||
        !num_parse_u64(colon + 1, &port) || port > 65535)
        return err_set(err, ERR_INPUT, "tcp://HOST:PORT is wanted");
    snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
    bool is_six = strcmp(host, "[::1]") == 0;
    if (!is_six && (inet_pton(AF_INET, host, &four.sin_addr) != 1 ||
                    ntohl(four.sin_addr.s_addr) >> 24 != 127))
        return err_set(err, ERR_DENIED,
                       "only this host may ask: 127.0.0.1, [::1] or unix://");
    four.sin_port = six.sin6_port = htons((uint16_t)port);
    const struct sockaddr *at =
        is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
    socklen_t size = is_six ? sizeof(six) : sizeof(four);
    scrape->fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1;
    if (scrape->fd < 0 ||
        setsockopt(scrape->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
        bind(scrape->fd, at, size) < 0)
        return err_errno(err, "binding");
    if (getsockname(scrape->fd,
                    is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four,
                    &size) < 0)
        return err_errno(err, "its port");
    scrape->endpoint =
        xasprintf("tcp://%s:%u", host, ntohs(is_six ? six.sin6_port : four.sin_port));
    return 0;
}

int metrics_http_open(struct metrics_http **out,
                      struct reactor *reactor,
                      const char *endpoint,
                      metrics_http_page_fn *page,
                      void *arg,
                      struct err *err)
{
    static const char is_unix[] = "unix://", is_tcp[] = "tcp://";
    struct metrics_http *scrape = xcalloc(1, sizeof(*scrape));
    int result;

    scrape->reactor = reactor;
    scrape->page = page;
    scrape->arg = arg;
    scrape->fd = -1;
    for (size_t i = 0; i < CALLERS; i++) {
        scrape->callers[i].scrape = scrape;
        scrape->callers[i].fd = -1;
    }
    if (text_has_prefix(endpoint, is_unix))
        result = listen_unix(scrape, endpoint + strlen(is_unix), err);
    else if (text_has_prefix(endpoint, is_tcp))
        result = listen_tcp(scrape, endpoint + strlen(is_tcp), err);
    else
        result = err_set(err, ERR_INPUT, "unix:///PATH or tcp://127.0.0.1:PORT");
    if (result == 0 && listen(scrape->fd, CALLERS) < 0)
        result = err_errno(err, "listening");
    if (result < 0) {
        metrics_http_close(scrape);
        return err_wrap(err, "metrics at %s", endpoint);
    }
    reactor_on_fd(reactor, scrape->fd, on_caller, scrape);
    scrape->watched = true;
    *out = scrape;
    return 0;
}

void metrics_http_close(struct metrics_http *scrape)
{
    if (!scrape)
        return;
    for (size_t i = 0; i < CALLERS; i++)
        hang_up(&scrape->callers[i]);
    if (scrape->fd >= 0) {
        if (scrape->watched)
            reactor_off_fd(scrape->reactor, scrape->fd);
        close(scrape->fd);
    }
    if (scrape->path)
        unlink(scrape->path);
    free(scrape->path);
    free(scrape->endpoint);
    free(scrape);
}

const char *metrics_http_endpoint(const struct metrics_http *scrape)
{
    return scrape->endpoint;
}
