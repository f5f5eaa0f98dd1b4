/* instrumented_950_test.c - on a 950 the buffer has one part per core: for each AI Core
 * its two vectors, then its cube */
#include <stdlib.h>

#include "sim/tests/device.h"
#include "sim/tests/instrumented.h"
#include "tests/support/unit.h"

enum { STRIDE = 4096, PARTS = 108, HEAD = 176, BLOCKS = 6 };

static uint8_t seen[PARTS * STRIDE];

static void run(const char *kernel, uint32_t blocks)
{
    struct {
        float *in, *out;
        uint8_t *buffer;
    } args;
    aclrtBinHandle binary =
        instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, PARTS, STRIDE);
    aclrtFuncHandle function;

    assert_non_null(binary);
    assert_int_equal(aclrtBinaryGetFunction(binary, kernel, &function), 0);
    assert_int_equal(aclrtMalloc((void **)&args.in, 65536, ACL_MEM_MALLOC_HUGE_FIRST),
                     0);
    assert_int_equal(aclrtMalloc((void **)&args.out, 65536, ACL_MEM_MALLOC_HUGE_FIRST),
                     0);
    assert_int_equal(
        aclrtMalloc((void **)&args.buffer, sizeof(seen), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemset(args.buffer, sizeof(seen), 0, sizeof(seen)), 0);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(function, blocks, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtMemcpy(seen, sizeof(seen), args.buffer, sizeof(seen),
                                 ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
    assert_int_equal(
        aclrtFree(args.in) || aclrtFree(args.out) || aclrtFree(args.buffer), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void each_vector_core_fills_its_own_part(void **ctx)
{
    (void)ctx;
    run("loop_copies", BLOCKS);
    for (uint32_t part = 0; part < PARTS; part++) {
        uint32_t core = part / 3, sub = part % 3, block = core * 2 + sub;
        uint64_t count = sub < 2 && block < BLOCKS ? block + 1 : 0;

        assert_int_equal(U64(seen, part * STRIDE), count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_vector_core_fills_its_own_part),
    };

    setenv("NPU_SIM_SOC", "Ascend950PR_9599", 1); /* before the first call reads it */
    return cmocka_run_group_tests(tests, device_open, device_close);
}
