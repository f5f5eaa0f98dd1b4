#include "sim/hccl/ranks/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void an_address_is_ipv4_or_ipv6(void **ctx)
{
    static const char *const good[] = {"127.0.0.1", "10.1.2.3", "::1", "fe80::1"};
    static const char *const bad[] = {"", "node_0", "1.2.3", "1.2.3.4.5", "1.2.3.256"};
    struct address address, other;
    char text[ADDRESS_TEXT];

    (void)ctx;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(address_parse(&address, good[i], 5000));
        address_text(&address, text);
        assert_string_equal(text, good[i]);
        assert_int_equal(address_port(&address), 5000);
        assert_true(address_parse(&other, good[i], 5001));
        assert_false(address_is_same(&address, &other));
        address_set_port(&other, 5000);
        assert_true(address_is_same(&address, &other));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(address_parse(&address, bad[i], 1));
}

static void a_list_of_ports_is_read_whole_or_not_at_all(void **ctx)
{
    static const char *const bad[] = {"",    "x",      "0",  "70000",  "5-4",
                                      "1,",  "1,,2",   "1-", "1-2-3",  ",1",
                                      "1 2", "auto,1", "-1", "1-99999"};
    struct ports ports;

    (void)ctx;
    assert_true(ports_parse(&ports, "auto"));
    assert_int_equal(ports.count, 0);
    assert_true(ports_parse(&ports, "57000,61000-61050"));
    assert_int_equal(ports.count, 2);
    assert_int_equal(ports.ranges[0].first, 57000);
    assert_int_equal(ports.ranges[0].last, 57000);
    assert_int_equal(ports.ranges[1].first, 61000);
    assert_int_equal(ports.ranges[1].last, 61050);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(ports_parse(&ports, bad[i]));
    assert_false(ports_parse(&ports, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"));
}

static void a_host_has_an_address_only_when_the_environment_sets_one(void **ctx)
{
    struct address address;
    char text[ADDRESS_TEXT];

    (void)ctx;
    unsetenv("HCCL_IF_IP");
    unsetenv("HCCL_SOCKET_IFNAME");
    assert_true(address_of_host(&address));
    assert_int_equal(address.size, 0);
    setenv("HCCL_SOCKET_IFNAME", "no-such,=lo", 1);
    assert_true(address_of_host(&address));
    address_text(&address, text);
    assert_string_equal(text, "127.0.0.1");
    setenv("HCCL_SOCKET_IFNAME", "=l", 1);
    assert_false(address_of_host(&address));
    setenv("HCCL_IF_IP", "127.0.0.9", 1);
    assert_true(address_of_host(&address));
    address_text(&address, text);
    assert_string_equal(text, "127.0.0.9");
    setenv("HCCL_IF_IP", "here", 1);
    assert_false(address_of_host(&address));
    unsetenv("HCCL_IF_IP");
    unsetenv("HCCL_SOCKET_IFNAME");
}

static void a_port_in_use_is_skipped(void **ctx)
{
    struct address first, second, third, foreign;
    struct ports any = {.count = 0}, two;
    int fds[2];

    (void)ctx;
    assert_true(address_parse(&first, "127.0.0.1", 0));
    second = third = first;
    fds[0] = address_listen(&first, &any);
    assert_true(fds[0] >= 0);
    memset(&two, 0, sizeof(two));
    two.count = 2;
    two.ranges[0].first = two.ranges[0].last = address_port(&first);
    fds[1] = address_listen(&second, &any);
    assert_true(fds[1] >= 0);
    assert_false(address_is_same(&first, &second));
    two.ranges[1] = two.ranges[0];
    errno = 0;
    assert_int_equal(address_listen(&third, &two), -1);
    assert_int_equal(errno, EADDRINUSE);
    assert_true(address_parse(&foreign, "192.0.2.1",
                              0)); /* reserved for documentation: no host has it */
    assert_int_equal(address_listen(&foreign, &any), -1);
    assert_int_equal(errno, EADDRNOTAVAIL);
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_ipv4_or_ipv6),
        cmocka_unit_test(a_list_of_ports_is_read_whole_or_not_at_all),
        cmocka_unit_test(a_host_has_an_address_only_when_the_environment_sets_one),
        cmocka_unit_test(a_port_in_use_is_skipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
