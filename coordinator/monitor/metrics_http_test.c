#include "coordinator/monitor/metrics_http.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "tests/support/unit.h"

struct ground {
    struct reactor *reactor;
    char folder[32], endpoint[96];
    const char *path;
};

static int set_up(void **ctx)
{
    struct ground *ground = xcalloc(1, sizeof(*ground));

    strcpy(ground->folder, "/tmp/muster-scrape-XXXXXX");
    assert_non_null(mkdtemp(ground->folder));
    snprintf(ground->endpoint, sizeof(ground->endpoint), "unix://%s/socket",
             ground->folder);
    ground->path = ground->endpoint + strlen("unix://");
    ground->reactor = reactor_create();
    *ctx = ground;
    return 0;
}

static int tear_down(void **ctx)
{
    struct ground *ground = *ctx;

    reactor_destroy(ground->reactor);
    unlink(ground->path);
    rmdir(ground->folder);
    free(ground);
    return 0;
}

static void page(struct text *out, void *arg)
{
    (*(int *)arg)++;
    text_add(out, "it_is_so 1\n# EOF\n");
}

static void stop(void *arg)
{
    reactor_stop(arg);
}

static int call(const struct ground *ground)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    strcpy(at.sun_path, ground->path);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void turn(struct ground *ground)
{
    struct err err;

    reactor_once(ground->reactor, 1, stop, ground->reactor);
    assert_int_equal(reactor_run(ground->reactor, &err), 0);
}

static void ask(int fd, const char *question)
{
    assert_int_equal(send(fd, question, strlen(question), MSG_NOSIGNAL),
                     (ssize_t)strlen(question));
}

/* All of it, until the other side closes. */
static void hear(struct ground *ground, int fd, char *out, size_t room)
{
    size_t size = 0;
    ssize_t more;

    do {
        turn(ground);
        more = recv(fd, out + size, room - 1 - size, MSG_DONTWAIT);
        size += more > 0 ? (size_t)more : 0;
    } while (more != 0);
    out[size] = '\0';
    close(fd);
}

static void who_asks_well_gets_the_page(void **ctx)
{
    static const struct {
        const char *question, *status;
        int pages;
    } cases[] = {
        {"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\n", 1},
        {"GET /metrics?name=x HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", 1},
        {"GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", 0},
        {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", 0},
        {"GET /metrics\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", 0},
        {"POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed\r\n", 0},
        {"\r\n\r\n", "HTTP/1.1 405 Method Not Allowed\r\n", 0},
    };
    struct ground *ground = *ctx;
    struct metrics_http *scrape;
    char answer[4096];
    struct err err;
    int pages = 0;

    assert_int_equal(metrics_http_open(&scrape, ground->reactor, ground->endpoint, page,
                                       &pages, &err),
                     0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int fd = call(ground), before = pages;

        ask(fd, cases[i].question);
        hear(ground, fd, answer, sizeof(answer));
        assert_int_equal(pages - before, cases[i].pages);
        assert_memory_equal(answer, cases[i].status, strlen(cases[i].status));
        assert_true((strstr(answer, "\r\n\r\nit_is_so 1\n# EOF\n") != NULL) ==
                    (cases[i].pages == 1));
    }
    metrics_http_close(scrape);
    assert_int_equal(access(ground->path, F_OK), -1);
}

static void many_who_say_nothing_do_not_keep_others_out(void **ctx)
{
    struct ground *ground = *ctx;
    struct metrics_http *scrape;
    char answer[4096], *long_one = xcalloc(1, 6000);
    int silent[20], pages = 0;
    struct err err;

    assert_int_equal(metrics_http_open(&scrape, ground->reactor, ground->endpoint, page,
                                       &pages, &err),
                     0);
    for (size_t i = 0; i < COUNT(silent); i++) {
        silent[i] = call(ground);
        ask(silent[i], "GET /met");
        turn(ground);
    }
    int fd = call(ground);
    ask(fd, "GET /metrics HTTP/1.1\r\n\r\n");
    hear(ground, fd, answer, sizeof(answer));
    assert_non_null(strstr(answer, "200 OK"));
    fd = call(ground); /* and nobody gets more room than others */
    memset(long_one, 'x', 5999);
    send(fd, long_one, 5999, MSG_NOSIGNAL);
    turn(ground);
    while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
        continue;
    close(fd);
    assert_int_equal(pages, 1);
    for (size_t i = 0; i < COUNT(silent); i++)
        close(silent[i]);
    metrics_http_close(scrape);
    free(long_one);
}

static void it_listens_on_this_host_only(void **ctx)
{
    static const char *const wrong[] = {
        "tcp://0.0.0.0:0",
        "tcp://192.0.2.1:9000",
        "tcp://[::]:0",
        "tcp://localhost:0",
        "tcp://127.0.0.1",
        "tcp://127.0.0.1:70000",
        "tcp://:1",
        "unix://relative/path",
        "unix:///no/such/folder/socket",
        "http://127.0.0.1:80",
        "ipc:///tmp/somewhere",
        "",
    };
    static const char *const right[] = {"tcp://127.0.0.1:0", "tcp://127.1.2.3:0"};
    struct ground *ground = *ctx;
    struct metrics_http *scrape;
    struct err err;

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(
            metrics_http_open(&scrape, ground->reactor, wrong[i], page, NULL, &err),
            -1);
    for (size_t i = 0; i < COUNT(right); i++) {
        assert_int_equal(
            metrics_http_open(&scrape, ground->reactor, right[i], page, NULL, &err), 0);
        assert_null(strstr(metrics_http_endpoint(scrape), ":0"));
        metrics_http_close(scrape);
    }
}

static void a_socket_that_was_left_is_taken_over_one_in_use_is_not(void **ctx)
{
    struct ground *ground = *ctx;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct metrics_http *scrape, *other;
    struct stat about;
    struct err err;
    int left = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    strcpy(at.sun_path, ground->path);
    assert_int_equal(bind(left, (struct sockaddr *)&at, sizeof(at)), 0);
    close(left);
    assert_int_equal(
        metrics_http_open(&scrape, ground->reactor, ground->endpoint, page, NULL, &err),
        0);
    assert_int_equal(stat(ground->path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0660);
    assert_int_equal(
        metrics_http_open(&other, ground->reactor, ground->endpoint, page, NULL, &err),
        -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    metrics_http_close(scrape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_asks_well_gets_the_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_who_say_nothing_do_not_keep_others_out,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_listens_on_this_host_only, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            a_socket_that_was_left_is_taken_over_one_in_use_is_not, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
