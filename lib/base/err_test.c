#include "lib/base/err.h"

#include <errno.h>
#include <string.h>

#include "tests/support/unit.h"

static void err_wrap_prepends_the_text_of_each_level(void **ctx)
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

static void err_errno_adds_the_text_and_a_code(void **ctx)
{
    const struct {
        int number;
        enum err_code code;
    } cases[] = {
        {ENOENT, ERR_NOT_FOUND}, {EACCES, ERR_DENIED},      {EPERM, ERR_DENIED},
        {EIO, ERR_SYSTEM},       {ENOTDIR, ERR_INPUT},      {ENOSPC, ERR_NO_SPACE},
        {EDQUOT, ERR_NO_SPACE},  {EMFILE, ERR_NO_RESOURCE}, {ENOMEM, ERR_NO_RESOURCE},
    };
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        errno = cases[i].number;
        assert_int_equal(err_errno(&err, "opening %s", "x"), -1);
        assert_int_equal(err.code, cases[i].code);
        assert_int_equal(errno, cases[i].number);
        assert_memory_equal(err.text, "opening x: ", 11);
        assert_string_equal(err.text + 11, strerror(cases[i].number));
    }
}

static void a_long_text_is_cut(void **ctx)
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
        cmocka_unit_test(err_wrap_prepends_the_text_of_each_level),
        cmocka_unit_test(err_errno_adds_the_text_and_a_code),
        cmocka_unit_test(a_long_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
