#include "sim/hccl/element.h"

#include <math.h>

#include "tests/support/unit.h"

static void every_half_survives_conversion(void **ctx)
{
    (void)ctx;
    for (uint32_t half = 0; half < 65536; half++)
        if (!isnan(element_from_half((uint16_t)half)))
            assert_int_equal(element_to_half(element_from_half((uint16_t)half)), half);
        else
            assert_true(isnan(
                element_from_half(element_to_half(element_from_half((uint16_t)half)))));
}

static void conversion_to_half_rounds_to_nearest(void **ctx)
{
    (void)ctx;
    assert_int_equal(element_to_half(1.0f), 0x3C00);
    assert_int_equal(element_to_half(-2.0f), 0xC000);
    assert_int_equal(element_to_half(2049.0f), 0x6800); /* a tie: to even */
    assert_int_equal(element_to_half(2051.0f), 0x6802);
    assert_int_equal(element_to_half(65519.0f), 0x7BFF);
    assert_int_equal(element_to_half(65520.0f), 0x7C00);
    assert_int_equal(element_to_half(5.9604645e-8f), 0x0001);
    assert_int_equal(element_to_half(2.0e-8f), 0x0000);
}

static void every_bfloat_survives_conversion(void **ctx)
{
    (void)ctx;
    for (uint32_t bits = 0; bits < 65536; bits++)
        if (!isnan(element_from_bfloat((uint16_t)bits)))
            assert_int_equal(element_to_bfloat(element_from_bfloat((uint16_t)bits)),
                             bits);
    assert_int_equal(element_to_bfloat(257.0f), 0x4380); /* a tie: to even */
    assert_int_equal(element_to_bfloat(259.0f), 0x4382);
}

static void integer_sums_wrap(void **ctx)
{
    int8_t small = 127, more = 1;
    int32_t large = INT32_MAX, factor = 2;

    (void)ctx;
    element_reduce(HCCL_DATA_TYPE_INT8, HCCL_REDUCE_SUM, &small, &more, 1);
    assert_int_equal(small, -128);
    element_reduce(HCCL_DATA_TYPE_INT32, HCCL_REDUCE_PROD, &large, &factor, 4);
    assert_int_equal(large, -2);
    element_reduce(HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX, &large, &factor, 4);
    assert_int_equal(large, 2);
}

static void unknown_types_have_size_zero(void **ctx)
{
    (void)ctx;
    assert_int_equal(element_size(HCCL_DATA_TYPE_FP64), 8);
    assert_int_equal(element_size(HCCL_DATA_TYPE_INT128), 16);
    assert_int_equal(element_size((HcclDataType)13), 0);
    assert_int_equal(element_size((HcclDataType)18), 0);
    assert_int_equal(element_size(HCCL_DATA_TYPE_RESERVED), 0);
    assert_true(element_can_reduce(HCCL_DATA_TYPE_BFP16));
    assert_false(element_can_reduce(HCCL_DATA_TYPE_INT128));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_survives_conversion),
        cmocka_unit_test(conversion_to_half_rounds_to_nearest),
        cmocka_unit_test(every_bfloat_survives_conversion),
        cmocka_unit_test(integer_sums_wrap),
        cmocka_unit_test(unknown_types_have_size_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
