/* blank_test.c - large blocks use no memory until they are written, also when moved */
#include "sim/card/blank.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/support/unit.h"

enum { MIB = 1 << 20, SIZE = 12 * MIB };

struct blocks {
    unsigned char *to, *from, *expected;
};

static int set_up(void **ctx)
{
    struct blocks *blocks = malloc(sizeof(*blocks));

    assert_non_null(blocks);
    blocks->to = blank_alloc(SIZE);
    blocks->from = blank_alloc(SIZE);
    blocks->expected = malloc(SIZE);
    assert_true(blank_is_shared(SIZE));
    assert_non_null(blocks->to);
    assert_non_null(blocks->from);
    assert_non_null(blocks->expected);
    *ctx = blocks;
    return 0;
}

static int tear_down(void **ctx)
{
    struct blocks *blocks = *ctx;

    blank_free(blocks->to, SIZE);
    blank_free(blocks->from, SIZE);
    free(blocks->expected);
    free(blocks);
    return 0;
}

static long faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static void moving_unwritten_pages_touches_nothing(void **ctx)
{
    struct blocks *blocks = *ctx;
    long before = faults();

    blank_move(blocks->to, blocks->from, SIZE);
    assert_true(faults() - before < SIZE / BLANK_PAGE / 8);
    memset(blocks->expected, BLANK_PATTERN, SIZE);
    assert_memory_equal(blocks->to, blocks->expected, SIZE);
}

static void written_pages_of_either_side_are_moved(void **ctx)
{
    static const size_t written[] = {
        0, 1, BLANK_PAGE - 1, 2 * MIB - 1, 5 * MIB + 77, 9 * MIB};
    static const size_t shifts[] = {0, 1, 100, BLANK_PAGE, BLANK_PAGE + 7};
    struct blocks *blocks = *ctx;

    for (size_t s = 0; s < sizeof(shifts) / sizeof(shifts[0]); s++)
        for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
            size_t shift = shifts[s], size = SIZE - shift;

            blocks->from[written[i]] = (unsigned char)(s * 7 + i);
            blocks->to[SIZE - 1 - written[i]] = (unsigned char)(s * 5 + i);
            memcpy(blocks->expected, blocks->to, SIZE);
            memcpy(blocks->expected + shift, blocks->from, size);
            blank_move(blocks->to + shift, blocks->from, size);
            assert_memory_equal(blocks->to, blocks->expected, SIZE);
        }
}

/* Reading a page does not count as writing it. */
static void pages_that_were_only_read_are_not_moved(void **ctx)
{
    struct blocks *blocks = *ctx;
    volatile unsigned char seen = 0;
    long before;

    for (size_t at = 0; at < SIZE; at += BLANK_PAGE)
        seen ^= blocks->from[at] ^ blocks->to[at];
    before = faults();
    blank_move(blocks->to, blocks->from, SIZE);
    assert_true(faults() - before < SIZE / BLANK_PAGE / 8);
}

static void overlapping_blocks_move_like_memmove(void **ctx)
{
    struct blocks *blocks = *ctx;
    size_t size = SIZE - 3 * BLANK_PAGE - 5;

    for (size_t at = 0; at < SIZE; at += 1000)
        blocks->to[at] = (unsigned char)(at / 1000);
    memcpy(blocks->expected, blocks->to, SIZE);
    memmove(blocks->expected + 3 * BLANK_PAGE + 5, blocks->expected, size);
    blank_move(blocks->to + 3 * BLANK_PAGE + 5, blocks->to, size);
    assert_memory_equal(blocks->to, blocks->expected, SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(moving_unwritten_pages_touches_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(written_pages_of_either_side_are_moved, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(pages_that_were_only_read_are_not_moved, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(overlapping_blocks_move_like_memmove, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
