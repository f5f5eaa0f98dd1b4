#include "lib/base/bytes16.h"

#include <stdbool.h>

#include "tests/support/unit.h"

static uint32_t expected(const unsigned char *bytes, bool (*is)(unsigned char c))
{
    uint32_t bits = 0;

    for (int i = 0; i < BYTES16_SIZE; i++)
        bits |= (uint32_t)is(bytes[i]) << i;
    return bits;
}

static bool is_comma(unsigned char c)
{
    return c == ',';
}

static bool is_nul(unsigned char c)
{
    return c == '\0';
}

static bool is_unprintable(unsigned char c)
{
    return c < 32 || c >= 128;
}

/* Tests every byte at every position, between neighbours that differ by one. */
static void every_byte_is_found_at_every_position(void **ctx)
{
    (void)ctx;
    for (int byte = 0; byte < 256; byte++)
        for (int around = -1; around <= 1; around++)
            for (int lane = 0; lane < BYTES16_SIZE; lane++) {
                unsigned char bytes[BYTES16_SIZE];

                memset(bytes, byte + around, sizeof(bytes));
                bytes[lane] = (unsigned char)byte;
                bytes16 loaded = bytes16_load(bytes);
                assert_int_equal(bytes16_bits(bytes16_equal(loaded, ',')),
                                 expected(bytes, is_comma));
                assert_int_equal(bytes16_bits(bytes16_equal(loaded, '\0')),
                                 expected(bytes, is_nul));
                assert_int_equal(bytes16_bits(bytes16_unprintable(loaded)),
                                 expected(bytes, is_unprintable));
            }
}

static void the_bits_of_a_mask_are_counted(void **ctx)
{
    static const struct {
        uint64_t mask, count;
    } cases[] = {
        {0, 0},           {1, 1},
        {UINT64_MAX, 64}, {(uint64_t)1 << 63, 1},
        {0x8421, 4},      {0xfedcba9876543210, 32},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(bytes16_count(cases[i].mask), cases[i].count);
    assert_int_equal(
        bytes16_bits(bytes16_equal(
            bytes16_or(bytes16_load("[{]}AaZz09,;:. -"), bytes16_all(0x20)), '{')),
        0x3);
}

static void results_of_two_comparisons_can_be_combined(void **ctx)
{
    bytes16 bytes = bytes16_load("a,b\nc,d\ne,f\ng,h");

    (void)ctx;
    assert_int_equal(
        bytes16_bits(bytes16_or(bytes16_equal(bytes, ','), bytes16_equal(bytes, '\n'))),
        0x2aaa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_found_at_every_position),
        cmocka_unit_test(the_bits_of_a_mask_are_counted),
        cmocka_unit_test(results_of_two_comparisons_can_be_combined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
