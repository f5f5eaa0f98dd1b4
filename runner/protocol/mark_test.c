#include "runner/protocol/mark.h"

#include <string.h>

#include "tests/support/unit.h"

static void a_mark_is_found_in_the_output(void **ctx)
{
    char bytes[200] = "some words\n";
    size_t at = strlen(bytes), size = at + MARK_BYTES;
    uint64_t number = 0;

    (void)ctx;
    mark_make(bytes + at, 0xfedcba9876543210);
    memcpy(bytes + size, "more", 4);
    assert_int_equal(mark_find(bytes, size + 4), at);
    assert_false(mark_read(bytes, size, &number));
    assert_true(mark_read(bytes + at, MARK_BYTES + 4, &number));
    assert_true(number == 0xfedcba9876543210);
    for (size_t cut = at + 1; cut < size; cut++) { /* the beginning of a mark */
        assert_int_equal(mark_find(bytes, cut), at);
        assert_false(mark_read(bytes + at, cut - at, &number));
    }
    assert_int_equal(mark_find(bytes, at), at);
    assert_int_equal(mark_find(NULL, 0), 0);
}

static void a_changed_mark_is_not_found(void **ctx)
{
    char bytes[2 * MARK_BYTES + 1];
    uint64_t number;

    (void)ctx;
    for (size_t at = 0; at < MARK_BYTES; at++) {
        mark_make(bytes, 7);
        bytes[at] = '\n';
        assert_false(mark_read(bytes, MARK_BYTES, &number));
        assert_int_equal(mark_find(bytes, MARK_BYTES), MARK_BYTES);
        mark_make(bytes + at + 1, 7); /* a complete mark follows */
        assert_int_equal(mark_find(bytes, at + 1 + MARK_BYTES), at + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mark_is_found_in_the_output),
        cmocka_unit_test(a_changed_mark_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
