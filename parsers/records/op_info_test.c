#include "parsers/records/op_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

static int parse(struct op_info *info, const char *text, struct err *err)
{
    size_t unknown_lines;

    return op_info_parse(info, text, strlen(text), &unknown_lines, err);
}

static void the_genuine_samples_are_read(void **ctx)
{
    static const struct {
        const char *path;
        enum chip chip;
        uint32_t block_dim, ticks_khz;
        uint32_t rated;
    } rows[] = {
        {"../samples/basic_info/910B/op_basic_info.txt", CHIP_A2, 1, 50000, 0},
        {"../samples/basic_info/310P/op_basic_info.txt", CHIP_310P, 3, 38400, 0},
        {"../samples/basic_info/A5/op_basic_info.txt", CHIP_A5, 1, 1000000, 1650},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct op_info info;
        struct err err;
        char *text;
        size_t size, unknown_lines;

        assert_int_equal(file_read(&text, &size, rows[i].path, 4096, &err), 0);
        assert_int_equal(op_info_parse(&info, text, size, &unknown_lines, &err), 0);
        assert_int_equal(info.chip, rows[i].chip);
        assert_int_equal(info.block_dim, rows[i].block_dim);
        assert_int_equal(info.ticks_khz, rows[i].ticks_khz);
        assert_int_equal(info.current_mhz, 0); /* N/A, or missing */
        assert_int_equal(info.rated_mhz, rows[i].rated);
        assert_string_equal(info.name, "add");
        assert_int_equal(unknown_lines, 0);
        free(text);
    }
}

/* The vendor's tool writes no number of cores, and application replay no clock. */
static void the_card_model_gives_the_facts_that_the_text_leaves_out(void **ctx)
{
    static const struct {
        const char *soc;
        uint32_t core_count, mhz, ticks_khz;
    } rows[] = {
        {"Ascend910B1", 24, 1850, 50000},        {"Ascend910B3", 20, 1800, 50000},
        {"Ascend910B4", 20, 1650, 50000},        {"Ascend910_9362", 20, 1850, 50000},
        {"Ascend910_9392", 24, 1850, 50000},     {"Ascend310P3", 8, 1060, 38400},
        {"Ascend950PR_9599", 32, 1800, 1000000},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct op_info info;
        struct err err;
        char text[80];

        snprintf(text, sizeof(text), "Op Name=a\nRun Soc Version=%s\n", rows[i].soc);
        assert_int_equal(parse(&info, text, &err), 0);
        assert_int_equal(info.core_count, rows[i].core_count);
        assert_int_equal(op_info_clock_mhz(&info), rows[i].mhz);
        assert_int_equal(op_info_rated_mhz(&info), rows[i].mhz);
        assert_int_equal(info.ticks_khz, rows[i].ticks_khz);
        strcat(text, "Core Count=9\nCurrent Freq=1000\n");
        assert_int_equal(parse(&info, text, &err), 0);
        assert_int_equal(info.core_count, 9);
        assert_int_equal(op_info_clock_mhz(&info), 1000);
    }
}

static void an_unknown_chip_is_refused_by_its_name(void **ctx)
{
    struct op_info info;
    struct err err;
    (void)ctx;
    assert_int_equal(parse(&info, "Op Name=a\nRun Soc Version=Ascend310\n", &err), -1);
    assert_non_null(strstr(err.text, "'Ascend310' is not supported"));
    assert_int_equal(parse(&info, "Op Name=a\n", &err), -1);
    assert_non_null(strstr(err.text, "missing"));
}

static void unknown_lines_are_counted_and_ignored(void **ctx)
{
    static const char text[] = "no equals\na=b=c\n\nNew Key=1\nRun Soc Version="
                               "Ascend910B1\nCurrent Freq=NA\nRated Freq=1850";
    struct op_info info;
    struct err err;
    size_t unknown_lines;
    (void)ctx;
    assert_int_equal(op_info_parse(&info, text, strlen(text), &unknown_lines, &err), 0);
    assert_int_equal(unknown_lines, 2);
    assert_int_equal(op_info_clock_mhz(&info), 1850);
    assert_int_equal(parse(&info, "Block Dim=many\n", &err), -1);
}

static void a_mangled_name_is_cut_to_its_first_component(void **ctx)
{
    struct op_info info;
    (void)ctx;
    op_info_set_name(&info, "_Z10add_customPhS_S_");
    assert_string_equal(info.name, "add_custom");
    op_info_set_name(&info, "_Z99short");
    assert_string_equal(info.name, "_Z99short");
    op_info_set_name(&info, "plain_Zebra");
    assert_string_equal(info.name, "plain_Zebra");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_genuine_samples_are_read),
        cmocka_unit_test(the_card_model_gives_the_facts_that_the_text_leaves_out),
        cmocka_unit_test(an_unknown_chip_is_refused_by_its_name),
        cmocka_unit_test(unknown_lines_are_counted_and_ignored),
        cmocka_unit_test(a_mangled_name_is_cut_to_its_first_component),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
