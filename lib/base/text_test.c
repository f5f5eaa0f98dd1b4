#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void a_text_grows_and_ends_with_a_nul(void **ctx)
{
    struct text text = {0};

    (void)ctx;
    assert_string_equal(text_get(&text), "");
    for (int i = 0; i < 1000; i++) {
        text_add_char(&text, 'x');
        assert_int_equal(text.length, (size_t)i + 1);
        assert_int_equal(strlen(text_get(&text)), (size_t)i + 1);
    }
    text_reset(&text);
    assert_string_equal(text_get(&text), "");
    text_printf(&text, "%d %s", 42, "words");
    text_add(&text, " more");
    text_add_bytes(&text, "\0z", 2);
    assert_int_equal(text.length, 15);
    assert_memory_equal(text.bytes, "42 words more\0z", 16);
    char *taken = text_take(&text);
    assert_string_equal(taken, "42 words more");
    assert_string_equal(text_get(&text), "");
    free(taken);
    taken = text_take(&text);
    assert_string_equal(taken, "");
    free(taken);
}

static void a_long_printf_fits(void **ctx)
{
    struct text text = {0};

    (void)ctx;
    text_add(&text, "head ");
    text_printf(&text, "%5000d|", 7);
    assert_int_equal(text.length, 5006);
    assert_string_equal(text.bytes + 5003, " 7|");
    text_clear(&text);
}

static void prefixes_suffixes_and_patterns_match(void **ctx)
{
    (void)ctx;
    assert_true(text_has_prefix("muster", "mus"));
    assert_true(text_has_prefix("muster", ""));
    assert_false(text_has_prefix("mu", "mus"));
    assert_true(text_has_suffix("a.yaml", ".yaml"));
    assert_false(text_has_suffix("yaml", ".yaml"));
    assert_true(text_matches("MatmulAllReduce_1", "Matmul*"));
    assert_true(text_matches("card3", "card[0-3]"));
    assert_false(text_matches("card4", "card[0-3]"));
    assert_true(text_matches("a", "?"));
}

static void text_nearest_finds_a_near_word(void **ctx)
{
    const char *const known[] = {"matrix", "zip", "exclude", "repeat", "m", NULL};

    (void)ctx;
    assert_string_equal(text_nearest("matrx", known), "matrix");
    assert_string_equal(text_nearest("repeats", known), "repeat");
    assert_string_equal(text_nearest("zpi", known), "zip");
    assert_string_equal(text_nearest("mm", known), "m");
    assert_null(text_nearest("banana", known));
}

static void a_word_of_one_letter_has_no_nearest_word(void **ctx)
{
    const char *const known[] = {"m", "n", NULL};

    (void)ctx;
    assert_null(text_nearest("k", known));
    assert_null(text_nearest("", known));
    assert_string_equal(text_nearest("m", known), "m");
}

static void distances_count_changed_letters(void **ctx)
{
    (void)ctx;
    assert_int_equal(text_distance("", ""), 0);
    assert_int_equal(text_distance("abc", ""), 3);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_distance("same", "same"), 0);
}

static void parts_of_paths_are_checked_and_created(void **ctx)
{
    const char *const bad[] = {"",   ".",   "..",  ".hidden", "-rf",     "_x",
                               "=a", "a/b", "a b", "a\n",     "\xc3\xbc"};
    char long_name[202], out[8];

    (void)ctx;
    assert_true(text_is_path_part("Matmul_1.2=a,b+c-d"));
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(text_is_path_part(bad[i]));
    memset(long_name, 'x', 201);
    long_name[201] = '\0';
    assert_false(text_is_path_part(long_name));
    assert_true(text_is_path_part(long_name + 1));
    text_to_path_part(out, sizeof(out), "../a b:c");
    assert_string_equal(out, "_._a_b_");
    text_to_path_part(out, sizeof(out), "");
    assert_string_equal(out, "_");
}

static void a_csv_cell_is_quoted_when_needed(void **ctx)
{
    static const struct {
        const char *value, *cell;
    } cells[] = {
        {"", ""},
        {"a b;c", "a b;c"},
        {"a,b", "\"a,b\""},
        {"say \"a\"", "\"say \"\"a\"\"\""},
        {"two\nlines", "\"two\nlines\""},
        {"\r", "\"\r\""},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cells); i++) {
        struct text text = {0};

        text_add_csv(&text, cells[i].value);
        assert_string_equal(text_get(&text), cells[i].cell);
        text_clear(&text);
    }
}

static void control_characters_are_replaced_for_a_terminal(void **ctx)
{
    char out[8];

    (void)ctx;
    text_to_ascii(out, sizeof(out), "a\033[2J\n");
    assert_string_equal(out, "a?[2J?");
    text_to_ascii(out, sizeof(out), "longer than that");
    assert_string_equal(out, "longer ");
    text_to_ascii(out, sizeof(out), "\xc3\xa9");
    assert_string_equal(out, "??");
}

static void a_text_matches_any_pattern_of_a_list(void **ctx)
{
    (void)ctx;
    assert_true(text_matches_any("Add_1", "Mul*|Add*"));
    assert_true(text_matches_any("Mul", "Mul*|Add*"));
    assert_false(text_matches_any("Sub", "Mul*|Add*"));
    assert_false(text_matches_any("Mul|Add", "Mul|Add"));
    assert_true(text_matches_any("Mul", "Mul"));
    assert_true(text_matches_any("anything", "*"));
}

static void names_have_the_order_of_their_numbers(void **ctx)
{
    static const char *const sorted[] = {"",
                                         "a",
                                         "a0",
                                         "a01",
                                         "a1",
                                         "a2",
                                         "a10",
                                         "a10b",
                                         "b",
                                         "k=3 m=9",
                                         "k=3 m=9 n=100000000000000000000001",
                                         "k=3 m=9 n=100000000000000000000002",
                                         "k=3 m=1024",
                                         "k=3 m=10048",
                                         "k=20 m=1",
                                         "node9:1",
                                         "node10:0",
                                         "\xc3\xa9"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(sorted); i++)
        for (size_t j = 0; j < COUNT(sorted); j++) {
            int order = text_compare_names(sorted[i], sorted[j]);

            if ((i < j && order >= 0) || (i == j && order != 0) ||
                (i > j && order <= 0))
                fail_msg("'%s' and '%s': %d", sorted[i], sorted[j], order);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_grows_and_ends_with_a_nul),
        cmocka_unit_test(a_long_printf_fits),
        cmocka_unit_test(prefixes_suffixes_and_patterns_match),
        cmocka_unit_test(a_text_matches_any_pattern_of_a_list),
        cmocka_unit_test(names_have_the_order_of_their_numbers),
        cmocka_unit_test(text_nearest_finds_a_near_word),
        cmocka_unit_test(a_word_of_one_letter_has_no_nearest_word),
        cmocka_unit_test(distances_count_changed_letters),
        cmocka_unit_test(parts_of_paths_are_checked_and_created),
        cmocka_unit_test(a_csv_cell_is_quoted_when_needed),
        cmocka_unit_test(control_characters_are_replaced_for_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
