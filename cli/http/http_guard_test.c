#include "cli/http/http_guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/http/http_listen.h"
#include "cli/http/http_token.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const char *const names[] = {"gpu-01.example", NULL};
static const struct http_guard guard = {.names = names,
                                        .token = "0123456789abcdefghijABCD",
                                        .port = 8470};

static int check(const char *host, const char *origin)
{
    const struct http_headers headers = {.host = host, .origin = origin};
    const char *reason;
    int status = http_guard_check_host(&guard, &headers, &reason);

    assert_true((status == 0) == (reason == NULL));
    return status;
}

static void the_host_header_names_this_server(void **ctx)
{
    (void)ctx;
    assert_int_equal(check("localhost:8470", NULL), 0);
    assert_int_equal(check("LOCALHOST:8470", NULL), 0);
    assert_int_equal(check("127.0.0.1:8470", NULL), 0);
    assert_int_equal(check("[::1]:8470", NULL), 0);
    assert_int_equal(check("10.1.2.3:8470", NULL), 0);
    assert_int_equal(check("gpu-01.example:8470", NULL), 0);
    assert_int_equal(check("attacker.example:8470", NULL), 421);
    assert_int_equal(check("127.0.0.1.attacker.example:8470", NULL), 421);
    assert_int_equal(check("localhost", NULL), 421); /* port 80 */
    assert_int_equal(check("localhost:8471", NULL), 421);
    assert_int_equal(check("[attacker]:8470", NULL), 421);
    assert_int_equal(check(NULL, NULL), 400);
    assert_int_equal(check("", NULL), 400);
    assert_int_equal(check(":8470", NULL), 400);
    assert_int_equal(check("localhost:x", NULL), 400);
    assert_int_equal(check("localhost:65536", NULL), 400);
    assert_int_equal(check("[::1", NULL), 400);
}

static void the_origin_header_is_this_server(void **ctx)
{
    (void)ctx;
    assert_int_equal(check("localhost:8470", "http://localhost:8470"), 0);
    assert_int_equal(check("localhost:8470", "http://127.0.0.1:8470"), 403);
    assert_int_equal(check("localhost:8470", "https://localhost:8470"), 403);
    assert_int_equal(check("localhost:8470", "http://localhost:8470.example"), 403);
    assert_int_equal(check("localhost:8470", "null"), 403);
}

static bool has_token(const char *cookie, const char *authorization)
{
    const struct http_headers headers = {.cookie = cookie,
                                         .authorization = authorization};

    return http_guard_has_token(&guard, &headers);
}

static void the_token_is_in_the_cookie_or_the_header(void **ctx)
{
    const struct http_guard open = {.port = 8470};
    const struct http_headers none = {0};

    (void)ctx;
    assert_true(has_token("muster_8470=0123456789abcdefghijABCD", NULL));
    assert_true(has_token("a=1; muster_8470=0123456789abcdefghijABCD; b=2", NULL));
    assert_true(
        has_token("muster_8470=old; muster_8470=0123456789abcdefghijABCD", NULL));
    assert_true(has_token(NULL, "Bearer 0123456789abcdefghijABCD"));
    assert_false(has_token(NULL, NULL));
    assert_false(has_token("", ""));
    assert_false(has_token("muster_8471=0123456789abcdefghijABCD", NULL));
    assert_false(has_token("muster_8470=0123456789abcdefghijABC", NULL));
    assert_false(has_token("muster_8470=0123456789abcdefghijABCDE", NULL));
    assert_false(has_token("muster_8470=", NULL));
    assert_false(has_token("muster_8470", NULL));
    assert_false(has_token("xmuster_8470=0123456789abcdefghijABCD", NULL));
    assert_false(has_token(NULL, "Bearer 0123456789abcdefghijABCX"));
    assert_false(has_token(NULL, "Basic 0123456789abcdefghijABCD"));
    /* a wrong header is not saved by a cookie */
    assert_false(has_token("muster_8470=0123456789abcdefghijABCD", "Bearer x"));
    assert_true(http_guard_has_token(&open, &none));
}

static int read_token(char **token, const char *content, mode_t mode, struct err *err)
{
    char path[] = "/tmp/muster-token-XXXXXX";
    int fd = mkstemp(path), result;

    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, content, strlen(content)), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    *token = NULL;
    result = http_token_read(token, path, err);
    unlink(path);
    return result;
}

static void a_token_is_a_line_or_comes_from_a_key(void **ctx)
{
    struct err err = {0};
    char *token;

    (void)ctx;
    assert_int_equal(read_token(&token,
                                "# a comment of a file\n0123456789abcdefghij-_AB\r\n",
                                0600, &err),
                     0);
    assert_string_equal(token, "0123456789abcdefghij-_AB");
    free(token);
    /* printf 'muster serve token 1:SECRET' | sha256sum */
    assert_int_equal(read_token(&token, "secret SECRET\npublic X\n", 0600, &err), 0);
    assert_string_equal(
        token, "7a87b61ee67efc236e615faa5dff6e750377503eda1433ef42e4d765d2f3fba7");
    free(token);
    assert_int_equal(read_token(&token, "0123456789abcdefghij-_AB\n", 0640, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
    assert_non_null(strstr(err.text, "(mode 0640); run chmod 600 on it"));
    assert_int_equal(
        read_token(&token, "too-short\nwith blank 0123456789abcdefg\n", 0600, &err),
        -1);
    assert_non_null(strstr(err.text, "has no token: a line of 24 to 200 letters"));
    assert_int_equal(read_token(&token, "", 0600, &err), -1);
    assert_int_equal(http_token_read(&token, "/tmp/muster/none", &err), -1);
    assert_non_null(strstr(err.text, "reading the token /tmp/muster/none: No such"));
}

static void an_address_to_listen_on_is_parsed(void **ctx)
{
    static const struct {
        const char *at, *host;
        unsigned port;
        bool is_private;
    } good[] = {
        {"127.0.0.1:8470", "127.0.0.1", 8470, true},
        {"localhost:1", "127.0.0.1", 1, true},
        {":80", "127.0.0.1", 80, true},
        {"127.9.9.9:0", "127.9.9.9", 0, true},
        {"[::1]:65535", "[::1]", 65535, true},
        {"0.0.0.0:8470", "0.0.0.0", 8470, false},
        {"[::]:8470", "[::]", 8470, false},
        {"10.0.0.1:8470", "10.0.0.1", 8470, false},
    };
    static const char *const bad[] = {"",
                                      "8470",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:65536",
                                      "1.2.3:80",
                                      "host.example:80",
                                      "::1:80",
                                      "[::1:80",
                                      "[]:80"};
    struct http_listen listen;
    struct err err = {0};

    (void)ctx;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(http_listen_parse(&listen, good[i].at, &err), 0);
        assert_string_equal(listen.host, good[i].host);
        assert_int_equal(listen.port, good[i].port);
        assert_int_equal(listen.is_private, good[i].is_private);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(http_listen_parse(&listen, bad[i], &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
    }
}

static void a_port_in_use_is_an_error_that_names_it(void **ctx)
{
    struct http_listen first, second;
    struct err err = {0};
    char at[64];

    (void)ctx;
    assert_int_equal(http_listen_open(&first, "127.0.0.1:0", &err), 0);
    assert_true(first.port > 0);
    snprintf(at, sizeof(at), "127.0.0.1:%u", first.port);
    assert_int_equal(http_listen_open(&second, at, &err), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_non_null(strstr(err.text, "another program listens on 127.0.0.1:"));
    http_listen_close(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_header_names_this_server),
        cmocka_unit_test(the_origin_header_is_this_server),
        cmocka_unit_test(the_token_is_in_the_cookie_or_the_header),
        cmocka_unit_test(a_token_is_a_line_or_comes_from_a_key),
        cmocka_unit_test(an_address_to_listen_on_is_parsed),
        cmocka_unit_test(a_port_in_use_is_an_error_that_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
