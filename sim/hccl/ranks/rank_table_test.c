#include "sim/hccl/ranks/rank_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

#define TABLE(status, version, count, servers)                                         \
    "{\"status\":\"" status "\",\"version\":\"" version "\",\"server_count\":\"" count \
    "\",\"server_list\":[" servers "]}"
#define SERVER(devices) "{\"server_id\":\"node_0\",\"device\":[" devices "]}"
#define DEVICE(card, rank)                                                             \
    "{\"device_id\":\"" card "\",\"device_ip\":\"192.0.2.1\",\"rank_id\":\"" rank "\"" \
    "}"

static const char good[] =
    TABLE("completed", "1.0", "1", SERVER(DEVICE("3", "1") ", " DEVICE("5", "0")));

#define BASE 60000

static HcclResult parse(struct roster *roster, const char *text)
{
    return rank_table_parse(roster, text, BASE);
}

static void assert_place(const struct roster *roster,
                         uint32_t rank,
                         uint32_t host,
                         const char *ip,
                         uint16_t port)
{
    const struct roster_entry *entry = &roster->entries[rank];
    char text[ADDRESS_TEXT];

    assert_int_equal(entry->host, host);
    address_text(&entry->address, text);
    assert_string_equal(text, ip);
    assert_int_equal(address_port(&entry->address), port);
}

static void a_table_maps_ranks_to_cards(void **ctx)
{
    struct roster roster;

    (void)ctx;
    assert_int_equal(parse(&roster, good), HCCL_SUCCESS);
    assert_int_equal(roster.ranks, 2);
    assert_int_equal(roster.hosts, 1);
    assert_int_equal(roster.entries[0].card, 5);
    assert_int_equal(roster.entries[1].card, 3);
}

static void an_incomplete_table_returns_again(void **ctx)
{
    struct roster roster;

    (void)ctx;
    assert_int_equal(parse(&roster, TABLE("initializing", "1.0", "0", "")),
                     HCCL_E_AGAIN);
    assert_int_equal(parse(&roster, "{\"status\":\"initializing\"}"), HCCL_E_AGAIN);
}

static void device_addresses_are_read_for_each_server(void **ctx)
{
    static const char text[] =
        "{\"status\":\"completed\",\"version\":\"1.0\",\"server_count\":\"2\","
        "\"server_list\":[{\"server_id\":\"a\",\"device\":["
        "{\"device_id\":\"0\",\"device_ip\":\"10.0.0.1\",\"rank_id\":\"0\"},"
        "{\"device_id\":\"1\",\"device_ip\":\"10.0.0.2\",\"device_port\":\"16667\","
        "\"rank_id\":\"1\"}]},"
        "{\"device\":[{\"device_id\":\"0\",\"device_ip\":\"10.0.1.1\","
        "\"rank_id\":\"2\"}],\"server_id\":\"b\"}]}";
    struct roster roster;

    (void)ctx;
    assert_int_equal(parse(&roster, text), HCCL_SUCCESS);
    assert_int_equal(roster.ranks, 3);
    assert_int_equal(roster.hosts, 2);
    assert_place(&roster, 0, 0, "10.0.0.1", BASE);
    assert_place(&roster, 1, 0, "10.0.0.2", 16667);
    assert_place(&roster, 2, 1, "10.0.1.1", BASE);
}

static void a_super_pod_table_uses_host_addresses(void **ctx)
{
    static const char text[] =
        "{\"status\":\"completed\",\"version\":\"1.2\",\"server_count\":\"2\","
        "\"server_list\":[{\"server_id\":\"10.0.0.9\",\"device\":["
        "{\"device_id\":\"4\",\"super_device_id\":\"4\",\"rank_id\":\"0\"}]},"
        "{\"server_id\":\"node_1\",\"host_ip\":\"10.0.0.8\",\"device\":["
        "{\"device_id\":\"4\",\"device_ip\":\"10.9.9.9\",\"super_device_id\":\"5\","
        "\"device_port\":\"1\",\"host_port\":\"777\",\"rank_id\":\"1\"}]}],"
        "\"super_pod_list\":[{\"super_pod_id\":\"0\",\"server_list\":["
        "{\"server_id\":\"10.0.0.9\"},{\"server_id\":\"node_1\"}]}]}";
    struct roster roster;

    (void)ctx;
    assert_int_equal(parse(&roster, text), HCCL_SUCCESS);
    assert_place(&roster, 0, 0, "10.0.0.9", BASE + 4);
    assert_place(&roster, 1, 1, "10.0.0.8", 777);
}

#define RANK2(rank, card, port, instance, ip)                                          \
    "{\"rank_id\":" rank ",\"local_id\":" card ",\"device_id\":" card port             \
    ",\"level_list\":[{\"net_layer\":0,\"net_instance_id\":\"" instance                \
    "\",\"net_type\":\"TOPO_FILE_DESC\",\"net_attr\":\"\",\"rank_addr_list\":[]},"     \
    "{\"net_layer\":1,\"net_instance_id\":\"all\",\"rank_addr_list\":["                \
    "{\"addr_type\":\"IPV4\",\"addr\":\"" ip "\",\"ports\":[\"1/0\"],"                 \
    "\"plane_id\":\"p\"}]}]}"
#define TABLE2(count, ranks)                                                           \
    "{\"status\":\"completed\",\"version\":\"2.0\",\"rank_count\":" count              \
    ",\"rank_list\":[" ranks "]}"

static void version_2_uses_the_address_of_the_highest_level(void **ctx)
{
    static const char text[] =
        TABLE2("3", RANK2("0", "0", "", "x", "10.0.0.1") "," RANK2(
                        "2", "1", ",\"device_port\":16666", "y",
                        "10.0.0.3") "," RANK2("1", "1", "", "x", "10.0.0.2"));
    struct roster roster;

    (void)ctx;
    assert_int_equal(parse(&roster, text), HCCL_SUCCESS);
    assert_int_equal(roster.ranks, 3);
    assert_int_equal(roster.hosts, 2);
    assert_place(&roster, 0, 0, "10.0.0.1", BASE);
    assert_place(&roster, 1, 0, "10.0.0.2", BASE + 1);
    assert_place(&roster, 2, 1, "10.0.0.3", 16666);
}

static void the_older_form_numbers_ranks_in_order(void **ctx)
{
    static const char text[] =
        "{\"status\":\"completed\",\"group_count\":\"1\",\"group_list\":[{"
        "\"group_name\":\"g\",\"instance_count\":\"2\",\"device_count\":\"3\","
        "\"instance_list\":[{\"pod_name\":\"p0\",\"server_id\":\"10.0.0.1\","
        "\"devices\":[{\"device_id\":\"4\",\"device_ip\":\"10.1.0.1\"},"
        "{\"device_id\":\"2\",\"device_ip\":\"10.1.0.2\"}]},"
        "{\"pod_name\":\"p1\",\"server_id\":\"10.0.0.2\","
        "\"devices\":[{\"device_id\":\"0\",\"device_ip\":\"10.1.0.3\"}]}]}]}";
    struct roster roster;

    (void)ctx;
    assert_int_equal(parse(&roster, text), HCCL_SUCCESS);
    assert_int_equal(roster.ranks, 3);
    assert_int_equal(roster.entries[0].card, 4);
    assert_int_equal(roster.entries[1].card, 2);
    assert_int_equal(roster.entries[2].card, 0);
    assert_place(&roster, 2, 1, "10.0.0.2", BASE);
}

static void duplicate_ranks_are_refused(void **ctx)
{
    static const char *const bad[] = {
        /* several hosts without addresses */
        TABLE(
            "completed", "1.0", "2",
            "{\"server_id\":\"a\",\"device\":[{\"device_id\":\"0\",\"rank_id\":\"0\"}]}"
            ",{\"server_id\":\"b\",\"device\":[{\"device_id\":\"0\",\"rank_id\":\"1\"}"
            "]}"),
        /* the same address and port twice */
        TABLE("completed", "1.0", "2",
              "{\"server_id\":\"a\",\"device\":[" DEVICE(
                  "0", "0") "]},"
                            "{\"server_id\":\"b\",\"device\":[" DEVICE("0", "1") "]}"),
        TABLE2("2", RANK2("0", "0", "", "x", "10.0.0.1") "," RANK2("0", "1", "", "x",
                                                                   "10.0.0.2")),
        TABLE2("3", RANK2("0", "0", "", "x", "10.0.0.1") "," RANK2("1", "1", "", "x",
                                                                   "10.0.0.2")),
        TABLE2("1", RANK2("0", "0", ",\"device_port\":99999", "x", "10.0.0.1")),
    };
    struct roster roster;

    (void)ctx;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(parse(&roster, bad[i]), HCCL_E_PARA);
    assert_int_equal(
        parse(&roster, TABLE("completed", "3.0", "1", SERVER(DEVICE("0", "0")))),
        HCCL_E_NOT_SUPPORT);
}

static void contradictory_tables_are_refused(void **ctx)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        TABLE("completed", "1.0", "2", SERVER(DEVICE("0", "0"))),
        TABLE("completed", "1.0", "1", SERVER("")),
        TABLE("completed", "1.0", "1", SERVER(DEVICE("0", "1"))),
        TABLE("completed", "1.0", "1", SERVER(DEVICE("0", "0") "," DEVICE("1", "0"))),
        TABLE("completed", "1.0", "1", SERVER(DEVICE("x", "0"))),
        TABLE("completed", "1.0", "1", SERVER(DEVICE("0", "-1"))),
        TABLE("completed", "1.0", "1", SERVER(DEVICE("0", "64"))),
        TABLE("completed", "1.0", "1", "{\"device\":[" DEVICE("0", "0") "]}"),
        TABLE("gone", "1.0", "1", SERVER(DEVICE("0", "0"))),
        TABLE("completed", "1.0", "1", SERVER(DEVICE("0", "0"))) "x",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]}",
    };
    struct roster roster;

    (void)ctx;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(parse(&roster, bad[i]), HCCL_E_PARA);
}

static void every_truncated_table_is_refused(void **ctx)
{
    struct roster roster;

    (void)ctx;
    for (size_t length = 0; length + 1 < sizeof(good); length++) {
        char *text = strndup(good, length);

        assert_int_not_equal(parse(&roster, text), HCCL_SUCCESS);
        free(text);
    }
}

static void a_missing_file_cannot_be_opened(void **ctx)
{
    struct roster roster;
    struct token token;
    uint64_t hash;

    (void)ctx;
    assert_int_equal(rank_table_read(&roster, &hash, &token, "/nowhere/table", BASE),
                     HCCL_E_OPEN_FILE_FAILURE);
    assert_int_equal(rank_table_read(&roster, &hash, &token, "/dev/null", BASE),
                     HCCL_E_PARA);
    assert_int_equal(rank_table_read(&roster, &hash, &token, "/dev/zero", BASE),
                     HCCL_E_PARA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_maps_ranks_to_cards),
        cmocka_unit_test(an_incomplete_table_returns_again),
        cmocka_unit_test(device_addresses_are_read_for_each_server),
        cmocka_unit_test(a_super_pod_table_uses_host_addresses),
        cmocka_unit_test(version_2_uses_the_address_of_the_highest_level),
        cmocka_unit_test(the_older_form_numbers_ranks_in_order),
        cmocka_unit_test(duplicate_ranks_are_refused),
        cmocka_unit_test(contradictory_tables_are_refused),
        cmocka_unit_test(every_truncated_table_is_refused),
        cmocka_unit_test(a_missing_file_cannot_be_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
