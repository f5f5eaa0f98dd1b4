/* card_list_test.c - lists of cards, and which source of a list decides */
#include "worker/host/card_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

/* Four cards; physical number 10 is card 0 of the driver, 7 is card 3. */
static int four(void *arg, struct card_list *out, struct err *err)
{
    (void)err;
    ++*(int *)arg;
    out->count = 4;
    for (uint32_t i = 0; i < 4; i++)
        out->numbers[i] = i;
    return 0;
}

static int backwards(void *arg, uint32_t physical, uint32_t *logical)
{
    (void)arg;
    if (physical < 7 || physical > 10)
        return -1;
    *logical = 10 - physical;
    return 0;
}

static int asked;
static const struct card_lookup lookup = {four, backwards, &asked};
static struct card_list cards;
static struct err err;

static void expect(const char *list)
{
    char text[512] = "";

    for (size_t i = 0; i < cards.count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", i ? "," : "",
                 cards.numbers[i]);
    assert_string_equal(text, list);
}

static void all_forms_of_a_list_are_parsed(void **ctx)
{
    static const char *const bad[] = {
        "",
        " ",
        ",",
        "x",
        "1-",
        "2-1",
        "-1",
        "1.5",
        "0,0",
        "0-64",
        "64",
        "0 1x",
        "Ascend910",
        "Ascend910-",
        "0-1,1",
        "0--1",
        "99999999999999999999999",
    };

    (void)ctx;
    assert_int_equal(card_list_parse("0,2-3", &cards, &err), 0);
    expect("0,2,3");
    assert_int_equal(card_list_parse("Ascend910-4,Ascend910-5", &cards, &err), 0);
    expect("4,5");
    assert_int_equal(card_list_parse(" 7 , 1 ,", &cards, &err), 0);
    expect("7,1");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(card_list_parse(bad[i], &cards, &err), -1);
        assert_true(err.code == ERR_INPUT || err.code == ERR_LIMIT);
    }
}

static void the_first_source_that_is_set_decides(void **ctx)
{
    static const char *const order[] = {"SLURM_JOB_NPUS", "SLURM_STEP_NPUS",
                                        "ASCEND_VISIBLE_DEVICES",
                                        "ASCEND_RT_VISIBLE_DEVICES"};
    static const char *const values[] = {"10", "9", "Ascend910-8", "3"};
    static const char *const expected[] = {"0", "1", "2", "3"};

    (void)ctx;
    for (size_t i = 0; i < 4; i++)
        unsetenv(order[i]);
    assert_int_equal(card_list_find(NULL, &lookup, &cards, &err), 0);
    expect("0,1,2,3");
    for (size_t i = 0; i < 4; i++) {
        setenv(order[i], values[i], 1);
        assert_int_equal(card_list_find(NULL, &lookup, &cards, &err), 0);
        expect(expected[i]);
        assert_string_equal(cards.from, order[i]);
    }
    assert_int_equal(card_list_find("1-2", &lookup, &cards, &err), 0);
    expect("1,2");
    for (size_t i = 0; i < 4; i++)
        unsetenv(order[i]);
}

/* A container that sees cards 20 to 23 as 0 to 3, and one with an unknown card. */
static void unknown_physical_numbers_mean_all_cards_if_the_count_fits(void **ctx)
{
    (void)ctx;
    setenv("ASCEND_VISIBLE_DEVICES", "20-23", 1);
    asked = 0;
    assert_int_equal(card_list_find(NULL, &lookup, &cards, &err), 0);
    expect("0,1,2,3");
    assert_int_equal(asked, 1);
    setenv("ASCEND_VISIBLE_DEVICES", "20-21", 1);
    assert_int_equal(card_list_find(NULL, &lookup, &cards, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "card 20"));
    unsetenv("ASCEND_VISIBLE_DEVICES");
}

static void a_missing_library_finds_no_card(void **ctx)
{
    struct card_lookup none = dcmi_cards_of_host("/nowhere/libdcmi.so");

    (void)ctx;
    assert_int_equal(card_list_find(NULL, &none, &cards, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_of_a_list_are_parsed),
        cmocka_unit_test(the_first_source_that_is_set_decides),
        cmocka_unit_test(unknown_physical_numbers_mean_all_cards_if_the_count_fits),
        cmocka_unit_test(a_missing_library_finds_no_card),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
