#include <acl/acl.h>

#include "tests/support/unit.h"

static void types_have_their_sizes(void **state)
{
    static const struct {
        aclDataType type;
        size_t size;
    } cases[] = {
        {ACL_FLOAT, 4},        {ACL_FLOAT16, 2}, {ACL_BF16, 2},
        {ACL_INT64, 8},        {ACL_BOOL, 1},    {ACL_STRING, 0},
        {ACL_COMPLEX128, 16},  {ACL_INT4, 0},    {ACL_DT_UNDEFINED, 0},
        {(aclDataType)999, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(aclDataTypeSize(cases[i].type), cases[i].size);
}

static void half_floats_convert_both_ways(void **state)
{
    (void)state;
    assert_int_equal(aclFloatToFloat16(1.0f), 0x3C00);
    assert_int_equal(aclFloatToFloat16(-2.5f), 0xC100);
    assert_int_equal(aclFloatToFloat16(1e6f), 0x7C00); /* too large: infinite */
    for (uint32_t half = 0; half < 0x7C00; half++)
        assert_int_equal(aclFloatToFloat16(aclFloat16ToFloat((aclFloat16)half)), half);
}

static void a_buffer_describes_memory_of_the_program(void **state)
{
    char memory[8];
    aclDataBuffer *buffer = aclCreateDataBuffer(memory, sizeof(memory));

    (void)state;
    assert_non_null(buffer);
    assert_ptr_equal(aclGetDataBufferAddr(buffer), memory);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), 8);
    assert_int_equal(aclUpdateDataBuffer(buffer, memory + 4, 4), 0);
    assert_ptr_equal(aclGetDataBufferAddr(buffer), memory + 4);
    assert_int_equal(aclDestroyDataBuffer(buffer), 0);
    assert_int_equal(aclDestroyDataBuffer(NULL), ACL_ERROR_INVALID_PARAM);
    assert_null(aclGetDataBufferAddr(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_their_sizes),
        cmocka_unit_test(half_floats_convert_both_ways),
        cmocka_unit_test(a_buffer_describes_memory_of_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
