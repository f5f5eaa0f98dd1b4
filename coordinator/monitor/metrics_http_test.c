#include "coordinator/monitor/metrics_http.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "coordinator/monitor/metrics_token.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "tests/support/unit.h"

struct fixture {
    struct reactor *reactor;
    char folder[32], endpoint[96];
    const char *path;
};

static int set_up(void **ctx)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    strcpy(fixture->folder, "/tmp/muster-scrape-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->endpoint, sizeof(fixture->endpoint), "unix://%s/socket",
             fixture->folder);
    fixture->path = fixture->endpoint + strlen("unix://");
    fixture->reactor = reactor_create();
    *ctx = fixture;
    return 0;
}

static int tear_down(void **ctx)
{
    struct fixture *fixture = *ctx;

    reactor_destroy(fixture->reactor);
    unlink(fixture->path);
    rmdir(fixture->folder);
    free(fixture);
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

static int connect_client(const struct fixture *fixture)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    strcpy(at.sun_path, fixture->path);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void run_loop(struct fixture *fixture)
{
    struct err err;

    reactor_once(fixture->reactor, 1, stop, fixture->reactor);
    assert_int_equal(reactor_run(fixture->reactor, &err), 0);
}

static void send_request(int fd, const char *question)
{
    assert_int_equal(send(fd, question, strlen(question), MSG_NOSIGNAL),
                     (ssize_t)strlen(question));
}

/* Reads until the server closes the connection. */
static void read_response(struct fixture *fixture, int fd, char *out, size_t room)
{
    size_t size = 0;
    ssize_t more;

    do {
        run_loop(fixture);
        more = recv(fd, out + size, room - 1 - size, MSG_DONTWAIT);
        size += more > 0 ? (size_t)more : 0;
    } while (more != 0);
    out[size] = '\0';
    close(fd);
}

static void a_valid_request_gets_the_page(void **ctx)
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
    struct fixture *fixture = *ctx;
    struct metrics_http *scrape;
    char answer[4096];
    struct err err;
    int pages = 0;

    assert_int_equal(metrics_http_open(&scrape, fixture->reactor, fixture->endpoint,
                                       NULL, page, &pages, &err),
                     0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int fd = connect_client(fixture), before = pages;

        send_request(fd, cases[i].question);
        read_response(fixture, fd, answer, sizeof(answer));
        assert_int_equal(pages - before, cases[i].pages);
        assert_memory_equal(answer, cases[i].status, strlen(cases[i].status));
        assert_true((strstr(answer, "\r\n\r\nit_is_so 1\n# EOF\n") != NULL) ==
                    (cases[i].pages == 1));
    }
    metrics_http_close(scrape);
    assert_int_equal(access(fixture->path, F_OK), -1);
}

static void silent_clients_do_not_block_other_clients(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct metrics_http *scrape;
    char answer[4096], *long_one = xcalloc(1, 6000);
    int silent[20], pages = 0;
    struct err err;

    assert_int_equal(metrics_http_open(&scrape, fixture->reactor, fixture->endpoint,
                                       NULL, page, &pages, &err),
                     0);
    for (size_t i = 0; i < COUNT(silent); i++) {
        silent[i] = connect_client(fixture);
        send_request(silent[i], "GET /met");
        run_loop(fixture);
    }
    int fd = connect_client(fixture);
    send_request(fd, "GET /metrics HTTP/1.1\r\n\r\n");
    read_response(fixture, fd, answer, sizeof(answer));
    assert_non_null(strstr(answer, "200 OK"));
    fd = connect_client(fixture); /* a request that is too long is refused */
    memset(long_one, 'x', 5999);
    send(fd, long_one, 5999, MSG_NOSIGNAL);
    run_loop(fixture);
    while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
        continue;
    close(fd);
    assert_int_equal(pages, 1);
    for (size_t i = 0; i < COUNT(silent); i++)
        close(silent[i]);
    metrics_http_close(scrape);
    free(long_one);
}

static void without_a_token_the_server_listens_on_this_host_only(void **ctx)
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
    struct fixture *fixture = *ctx;
    struct metrics_http *scrape;
    struct err err;

    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(metrics_http_open(&scrape, fixture->reactor, wrong[i], NULL,
                                           page, NULL, &err),
                         -1);
    for (size_t i = 0; i < COUNT(right); i++) {
        assert_int_equal(metrics_http_open(&scrape, fixture->reactor, right[i], NULL,
                                           page, NULL, &err),
                         0);
        assert_null(strstr(metrics_http_endpoint(scrape), ":0"));
        metrics_http_close(scrape);
    }
}

static void a_token_opens_the_page_and_other_requests_are_refused(void **ctx)
{
    static const char token[] = "0123456789abcdef-token";
    static const struct {
        const char *question, *status;
        int pages;
    } cases[] = {
        {"GET /metrics HTTP/1.1\r\nAuthorization: Bearer "
         "0123456789abcdef-token\r\n\r\n",
         "HTTP/1.1 200 OK\r\n", 1},
        {"GET /metrics HTTP/1.1\r\nHost: x\r\nauthorization:bearer "
         "0123456789abcdef-token \r\nAccept: */*\r\n\r\n",
         "HTTP/1.1 200 OK\r\n", 1},
        {"GET /metrics HTTP/1.1\r\n\r\n",
         "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n", 0},
        {"GET /metrics HTTP/1.1\r\nAuthorization: Bearer "
         "0123456789abcdef-tokeN\r\n\r\n",
         "HTTP/1.1 401 ", 0},
        {"GET /metrics HTTP/1.1\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n",
         "HTTP/1.1 401 ", 0},
        {"GET /metrics HTTP/1.1\r\nAuthorization: Bearer "
         "0123456789abcdef-token0123456789abcdef-token\r\n\r\n",
         "HTTP/1.1 401 ", 0},
        {"GET /metrics HTTP/1.1\r\nAuthorization: Bearer \r\n\r\n", "HTTP/1.1 401 ", 0},
        {"GET /metrics HTTP/1.1\r\nAuthorization: Basic 0123456789abcdef-token\r\n\r\n",
         "HTTP/1.1 401 ", 0},
        {"GET /metrics?Authorization:Bearer%200123456789abcdef-token HTTP/1.1\r\n\r\n",
         "HTTP/1.1 401 ", 0},
        /* behind the head of the request */
        {"GET /metrics HTTP/1.1\r\n\r\nAuthorization: Bearer "
         "0123456789abcdef-token\r\n\r\n",
         "HTTP/1.1 401 ", 0},
        {"GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n", 0},
        {"GET /other HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n", 0},
    };
    struct fixture *fixture = *ctx;
    struct metrics_http *scrape;
    char answer[4096];
    struct err err;
    int pages = 0;

    assert_int_equal(metrics_http_open(&scrape, fixture->reactor, fixture->endpoint,
                                       token, page, &pages, &err),
                     0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        int fd = connect_client(fixture), before = pages;

        send_request(fd, cases[i].question);
        read_response(fixture, fd, answer, sizeof(answer));
        assert_memory_equal(answer, cases[i].status, strlen(cases[i].status));
        assert_int_equal(pages - before, cases[i].pages);
        assert_null(strstr(answer, token));
    }
    metrics_http_close(scrape);
    assert_int_equal(metrics_http_open(&scrape, fixture->reactor, "tcp://0.0.0.0:0",
                                       token, page, &pages, &err),
                     0);
    metrics_http_close(scrape);
}

static void a_token_file_is_private_and_has_one_long_word(void **ctx)
{
    static const struct {
        const char *content;
        mode_t mode;
        enum err_code code;
    } cases[] = {
        {"0123456789abcdef", 0600, ERR_NONE},
        {"0123456789abcdef\n", 0400, ERR_NONE},
        {"0123456789abcdef\n", 0640, ERR_DENIED},
        {"0123456789abcdef\n", 0604, ERR_DENIED},
        {"0123456789abcde\n", 0600, ERR_INPUT},
        {"", 0600, ERR_INPUT},
        {"0123456789abcdef 0123456789abcdef\n", 0600, ERR_INPUT},
        {"0123456789abcdef\x80", 0600, ERR_INPUT},
    };
    struct fixture *fixture = *ctx;
    char *path = xasprintf("%s/token", fixture->folder), *token;
    struct err err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        err.code = ERR_NONE;
        assert_int_equal(
            file_write(path, cases[i].content, strlen(cases[i].content), &err), 0);
        assert_int_equal(chmod(path, cases[i].mode), 0);
        int result = metrics_token_read(&token, path, &err);
        assert_int_equal(result, cases[i].code == ERR_NONE ? 0 : -1);
        if (result == 0) {
            assert_string_equal(token, "0123456789abcdef");
            free(token);
        } else {
            assert_int_equal(err.code, cases[i].code);
        }
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(metrics_token_read(&token, path, &err), -1);
    free(path);
}

static void a_stale_socket_is_replaced_and_a_used_one_is_an_error(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct metrics_http *scrape, *other;
    struct stat about;
    struct err err;
    int left = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    strcpy(at.sun_path, fixture->path);
    assert_int_equal(bind(left, (struct sockaddr *)&at, sizeof(at)), 0);
    close(left);
    assert_int_equal(metrics_http_open(&scrape, fixture->reactor, fixture->endpoint,
                                       NULL, page, NULL, &err),
                     0);
    assert_int_equal(stat(fixture->path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0660);
    assert_int_equal(metrics_http_open(&other, fixture->reactor, fixture->endpoint,
                                       NULL, page, NULL, &err),
                     -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    metrics_http_close(scrape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_valid_request_gets_the_page, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(silent_clients_do_not_block_other_clients,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            without_a_token_the_server_listens_on_this_host_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_token_opens_the_page_and_other_requests_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_token_file_is_private_and_has_one_long_word,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_stale_socket_is_replaced_and_a_used_one_is_an_error, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
