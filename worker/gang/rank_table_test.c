#include "worker/gang/rank_table.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static void each_host_is_a_server_and_each_rank_a_device(void **ctx)
{
    static const char *const hosts[] = {"a", "a", "b"};
    static const char *const addresses[] = {"10.0.0.1", "10.0.0.1", "10.0.0.2"};
    static const uint64_t cards[] = {0, 3, 0};
    const struct msg_lease lease = {.run_id = 77,
                                    .world_size = 3,
                                    .hosts = {hosts, 3},
                                    .addresses = {addresses, 3},
                                    .cards = {cards, 3}};
    struct text out = {0};
    struct err err;

    (void)ctx;
    assert_int_equal(rank_table_make(&out, &lease, &err), 0);
    assert_string_equal(
        text_get(&out),
        "{\"status\":\"completed\",\"version\":\"1.0\",\"muster_run\":\"77\","
        "\"server_count\":\"2\",\"server_list\":["
        "{\"server_id\":\"10.0.0.1\",\"host_ip\":\"10.0.0.1\",\"device\":["
        "{\"device_id\":\"0\",\"device_ip\":\"10.0.0.1\",\"device_port\":\"16666\","
        "\"rank_id\":\"0\"},"
        "{\"device_id\":\"3\",\"device_ip\":\"10.0.0.1\",\"device_port\":\"16669\","
        "\"rank_id\":\"1\"}]},"
        "{\"server_id\":\"10.0.0.2\",\"host_ip\":\"10.0.0.2\",\"device\":["
        "{\"device_id\":\"0\",\"device_ip\":\"10.0.0.2\",\"device_port\":\"16666\","
        "\"rank_id\":\"2\"}]}]}");
    text_clear(&out);
}

static void the_address_of_the_card_precedes_that_of_the_host(void **ctx)
{
    static const char *const hosts[] = {"a", "a"};
    static const char *const addresses[] = {"10.0.0.1", "10.0.0.1"};
    static const char *const own[] = {"192.168.1.8", ""};
    static const uint64_t cards[] = {0, 1};
    const struct msg_lease lease = {.run_id = 1,
                                    .world_size = 2,
                                    .hosts = {hosts, 2},
                                    .addresses = {addresses, 2},
                                    .card_addresses = {own, 2},
                                    .cards = {cards, 2}};
    struct text out = {0};
    struct err err;

    (void)ctx;
    assert_int_equal(rank_table_make(&out, &lease, &err), 0);
    assert_non_null(strstr(text_get(&out), "\"server_id\":\"10.0.0.1\""));
    assert_non_null(
        strstr(text_get(&out), "\"device_id\":\"0\",\"device_ip\":\"192.168.1.8\""));
    assert_non_null(
        strstr(text_get(&out), "\"device_id\":\"1\",\"device_ip\":\"10.0.0.1\""));
    text_clear(&out);
}

static void a_lease_with_missing_ranks_is_refused(void **ctx)
{
    const struct msg_lease lease = {.run_id = 1, .world_size = 2};
    struct text out = {0};
    struct err err;

    (void)ctx;
    assert_int_equal(rank_table_make(&out, &lease, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_host_is_a_server_and_each_rank_a_device),
        cmocka_unit_test(the_address_of_the_card_precedes_that_of_the_host),
        cmocka_unit_test(a_lease_with_missing_ranks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
