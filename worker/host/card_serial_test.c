/* card_serial_test.c - serial numbers of boards with one chip and with two */
#include "worker/host/card_serial.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/unit.h"

/* A folder with the library as libdcmi.so. */
static char folder[] = "/tmp/muster-serial-XXXXXX", place[64];

static int set_up(void **ctx)
{
    (void)ctx;
    if (!mkdtemp(folder))
        return -1;
    snprintf(place, sizeof(place), "%s/libdcmi.so", folder);
    return symlink(FAKE_DCMI, place);
}

static int tear_down(void **ctx)
{
    (void)ctx;
    return unlink(place) + rmdir(folder);
}

static void a_board_with_one_chip_has_its_own_number(void **ctx)
{
    char serial[CARD_SERIAL_BYTES];

    (void)ctx;
    setenv("FAKE_DCMI_SERIAL", "2102314NMV10N4000012", 1);
    assert_true(card_serial_find(serial, folder, 1));
    assert_string_equal(serial, "2102314NMV10N4000012");
}

static void chips_of_one_board_have_different_numbers(void **ctx)
{
    char serial[CARD_SERIAL_BYTES];

    (void)ctx;
    setenv("FAKE_DCMI_SERIAL", "S1", 1);
    setenv("FAKE_DCMI_CHIPS", "2", 1);
    assert_true(card_serial_find(serial, folder, 0));
    assert_string_equal(serial, "S1/0");
    assert_true(card_serial_find(serial, folder, 1));
    assert_string_equal(serial, "S1/1");
    unsetenv("FAKE_DCMI_CHIPS");
}

static void a_driver_without_the_number_gives_none(void **ctx)
{
    static const char *const texts[] = {"NA", "", "two words", "bell\a"};
    char serial[CARD_SERIAL_BYTES];

    (void)ctx;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        setenv("FAKE_DCMI_SERIAL", texts[i], 1);
        assert_false(card_serial_find(serial, folder, 0));
        assert_string_equal(serial, "");
    }
    setenv("FAKE_DCMI_SERIAL",
           "a-number-that-is-longer-than-the-sixty-four-bytes-of-a-serial-number", 1);
    assert_false(card_serial_find(serial, folder, 0));
    assert_string_equal(serial, "");
    setenv("FAKE_DCMI_SERIAL", "S1", 1);
    setenv("FAKE_DCMI_INIT", "-8001", 1);
    assert_false(card_serial_find(serial, folder, 0));
    unsetenv("FAKE_DCMI_INIT");
    assert_false(card_serial_find(serial, "/nowhere", 0));
    assert_string_equal(serial, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_board_with_one_chip_has_its_own_number),
        cmocka_unit_test(chips_of_one_board_have_different_numbers),
        cmocka_unit_test(a_driver_without_the_number_gives_none),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
