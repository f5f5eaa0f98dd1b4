#include "sim/hccl/rank_table.h"

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

static void a_table_says_which_card_is_which_rank(void **ctx)
{
    struct rank_table table;

    (void)ctx;
    assert_int_equal(rank_table_parse(&table, good), HCCL_SUCCESS);
    assert_int_equal(table.ranks, 2);
    assert_int_equal(table.cards[0], 5);
    assert_int_equal(table.cards[1], 3);
}

static void a_table_that_is_not_ready_is_read_again(void **ctx)
{
    struct rank_table table;

    (void)ctx;
    assert_int_equal(rank_table_parse(&table, TABLE("initializing", "1.0", "0", "")),
                     HCCL_E_AGAIN);
}

static void more_than_one_server_is_not_supported(void **ctx)
{
    struct rank_table table;

    (void)ctx;
    assert_int_equal(rank_table_parse(&table, TABLE("completed", "1.0", "2",
                                                    SERVER(DEVICE("0", "0")) "," SERVER(
                                                        DEVICE("0", "1")))),
                     HCCL_E_NOT_SUPPORT);
    assert_int_equal(rank_table_parse(&table, TABLE("completed", "1.2", "1",
                                                    SERVER(DEVICE("0", "0")))),
                     HCCL_E_NOT_SUPPORT);
    assert_int_equal(rank_table_parse(&table, "{\"version\":\"2.0\",\"rank_count\":4}"),
                     HCCL_E_NOT_SUPPORT);
}

static void what_does_not_add_up_is_refused(void **ctx)
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
        TABLE("gone", "1.0", "1", SERVER(DEVICE("0", "0"))),
        TABLE("completed", "1.0", "1", SERVER(DEVICE("0", "0"))) "x",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]}",
    };
    struct rank_table table;

    (void)ctx;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(rank_table_parse(&table, bad[i]), HCCL_E_PARA);
}

static void every_beginning_of_a_table_is_refused(void **ctx)
{
    struct rank_table table;

    (void)ctx;
    for (size_t length = 0; length + 1 < sizeof(good); length++) {
        char *text = strndup(good, length);

        assert_int_not_equal(rank_table_parse(&table, text), HCCL_SUCCESS);
        free(text);
    }
}

static void a_file_that_is_not_there_cannot_be_opened(void **ctx)
{
    struct rank_table table;

    (void)ctx;
    assert_int_equal(rank_table_read(&table, "/nowhere/rank_table.json"),
                     HCCL_E_OPEN_FILE_FAILURE);
    assert_int_equal(rank_table_read(&table, "/dev/null"), HCCL_E_PARA);
    assert_int_equal(rank_table_read(&table, "/dev/zero"), HCCL_E_PARA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_says_which_card_is_which_rank),
        cmocka_unit_test(a_table_that_is_not_ready_is_read_again),
        cmocka_unit_test(more_than_one_server_is_not_supported),
        cmocka_unit_test(what_does_not_add_up_is_refused),
        cmocka_unit_test(every_beginning_of_a_table_is_refused),
        cmocka_unit_test(a_file_that_is_not_there_cannot_be_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
