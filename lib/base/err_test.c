#include "lib/base/err.h"

#include <errno.h>
#include <string.h>

#include "tests/support/unit.h"

static void each_floor_puts_its_words_in_front(void **ctx)
{
    struct err err = {0};

    (void)ctx;
    assert_int_equal(err_set(&err, ERR_INPUT, "line %d: wrong", 12), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_int_equal(err_wrap(&err, "reading %s", "a.yaml"), -1);
    assert_int_equal(err_wrap(&err, "starting"), -1);
    assert_string_equal(err.text, "starting: reading a.yaml: line 12: wrong");
    assert_int_equal(err.code, ERR_INPUT);
}

static void errno_becomes_words_and_a_code(void **ctx)
{
    const struct {
        int number;
        enum err_code code;
    } cases[] = {
        {ENOENT, ERR_NOT_FOUND},
        {EACCES, ERR_DENIED},
        {EPERM, ERR_DENIED},
        {EIO, ERR_SYSTEM},
    };
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < 4; i++) {
        errno = cases[i].number;
        assert_int_equal(err_errno(&err, "opening %s", "x"), -1);
        assert_int_equal(err.code, cases[i].code);
        assert_int_equal(errno, cases[i].number);
        assert_memory_equal(err.text, "opening x: ", 11);
        assert_string_equal(err.text + 11, strerror(cases[i].number));
    }
}

static void what_is_too_long_is_cut(void **ctx)
{
    struct err err;
    char word[1000];

    (void)ctx;
    memset(word, 'x', sizeof(word));
    word[sizeof(word) - 1] = '\0';
    err_set(&err, ERR_LIMIT, "%s", word);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    err_wrap(&err, "%s", word);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    errno = EIO;
    err_errno(&err, "%s", word);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    err_set(&err, ERR_LIMIT, "short");
    err_wrap(&err, "%s", word + 999 - 230);
    assert_non_null(strstr(err.text, "x: short"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_floor_puts_its_words_in_front),
        cmocka_unit_test(errno_becomes_words_and_a_code),
        cmocka_unit_test(what_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
