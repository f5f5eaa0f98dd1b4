/* instrumented_test.c - the buffer contents of an instrumented kernel, byte by byte
 *
 * The offsets are written out. They are those of the published layout and do not depend
 * on the simulator's structures. */
#include "sim/tests/instrumented.h"

#include <dlfcn.h>
#include <link.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define STRIDE 4096u
#define HEAD   176u
#define WORDS  4096u /* of in and of out */

struct args {
    float *in, *out;
    void *buffer;
};

static float *in, *out;
static uint8_t *buffer, seen[16 * STRIDE];

static int open_all(void **state)
{
    float host[WORDS];

    for (uint32_t i = 0; i < WORDS; i++)
        host[i] = (float)i;
    return device_open(state) ||
           aclrtMalloc((void **)&in, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST) ||
           aclrtMalloc((void **)&out, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST) ||
           aclrtMalloc((void **)&buffer, sizeof(seen), ACL_MEM_MALLOC_HUGE_FIRST) ||
           aclrtMemcpy(in, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
}

static int close_all(void **state)
{
    return aclrtFree(in) || aclrtFree(out) || aclrtFree(buffer) || device_close(state);
}

static aclError run(aclrtBinHandle binary, const char *kernel, uint32_t blocks)
{
    struct args args = {in, out, buffer};
    aclrtFuncHandle function;
    aclError error;

    assert_non_null(binary);
    assert_int_equal(aclrtBinaryGetFunction(binary, kernel, &function), 0);
    assert_int_equal(aclrtMemset(buffer, sizeof(seen), 0, sizeof(seen)), 0);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(function, blocks, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    error = aclrtSynchronizeStream(NULL);
    assert_int_equal(aclrtMemcpy(seen, sizeof(seen), buffer, sizeof(seen),
                                 ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
    return error;
}

static void expect_bytes(const uint8_t *record, size_t size, const char *hex)
{
    for (size_t i = 0; i < size; i++) {
        char two[3];

        snprintf(two, sizeof(two), "%02x", record[i]);
        assert_memory_equal(two, hex + 2 * i, 2);
    }
    assert_int_equal(strlen(hex), 2 * size);
}

/* Checks the head of a record and its base: type, mark, destination, source, counter,
 * id. */
static const uint8_t *expect_base(const uint8_t *at,
                                  uint32_t type,
                                  uint64_t dst,
                                  uint64_t src,
                                  uint64_t number)
{
    assert_int_equal(U32(at, 0), type);
    assert_int_equal(U32(at, 4), 0x5A5A5A5A);
    assert_int_equal(U64(at, 8), dst);
    assert_int_equal(U64(at, 16), src);
    assert_int_equal(U64(at, 32), number);
    return at + 8;
}

static void each_record_type_has_its_published_layout(void **ctx)
{
    aclrtBinHandle binary = instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, 4, STRIDE);
    const uint8_t *at = seen + HEAD;
    uint64_t gm_in = (uintptr_t)in, gm_out = (uintptr_t)out;

    (void)ctx;
    assert_int_equal(run(binary, "five_copies", 1), 0);
    assert_int_equal(U64(seen, 0), 5);
    assert_int_equal(U64(seen, 8), 5 * 8 + 48 + 56 + 56 + 44 + 60);
    assert_int_equal(U64(seen, 16), 1); /* one matrix, no strides between matrices */
    for (size_t word = 24; word < HEAD; word += 8)
        assert_int_equal(U64(seen, word), 0);
    /* core 0; UB 4, GM 6, L1 0, L0A 1, L0C 3 */
    expect_base(at, 3, 64, gm_in, 0);
    expect_bytes(at + 8 + 32, 16,
                 "03000200"
                 "05000700"
                 "0000"
                 "0406"
                 "0000"
                 "0000");
    at += 8 + 48;
    expect_base(at, 4, gm_out + 4096, 0, 1);
    expect_bytes(at + 8 + 32, 24,
                 "01000000"
                 "09000000"
                 "46000000"
                 "0200"
                 "0000"
                 "0604"
                 "01"
                 "0000"
                 "000000");
    at += 8 + 56;
    expect_base(at, 7, 512, gm_in, 2);
    expect_bytes(at + 8 + 32, 24,
                 "0100"
                 "0600"
                 "1400"
                 "0000"
                 "1800"
                 "1000"
                 "0100"
                 "0000"
                 "0000"
                 "0600"
                 "06"
                 "000000");
    at += 8 + 56;
    expect_base(at, 6, 1024, 0, 3);
    expect_bytes(at + 8 + 32, 12,
                 "0000"
                 "0100"
                 "0200"
                 "0400"
                 "03"
                 "0100"
                 "00");
    at += 8 + 44;
    expect_base(at, 10, gm_out, 0, 4);
    expect_bytes(at + 8 + 32, 28,
                 "20000000"
                 "1000"
                 "1200"
                 "0500"
                 "0000"
                 "0100"
                 "0000"
                 "0000"
                 "2000"
                 "00"
                 "000000"
                 "01"
                 "000000");
    at += 8 + 60;
    assert_int_equal(U64(at, 0), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void the_counter_is_an_address_in_the_kernel_file(void **ctx)
{
    aclrtBinHandle binary = instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, 4, STRIDE);
    void *file = dlopen(COPIES_KERNEL, RTLD_NOW | RTLD_LOCAL);
    const uint8_t *body = dlsym(file, "five_copies"), *at = seen + HEAD;
    uint64_t last = 0;
    const ElfW(Sym) * symbol;
    struct link_map *map;
    Dl_info info;

    (void)ctx;
    assert_non_null(body);
    assert_int_equal(dlinfo(file, RTLD_DI_LINKMAP, &map), 0);
    assert_int_not_equal(dladdr1(body, &info, (void **)&symbol, RTLD_DL_SYMENT), 0);
    assert_int_equal(run(binary, "five_copies", 1), 0);
    for (int i = 0; i < 5; i++) {
        static const size_t sizes[] = {48, 56, 56, 44, 60};
        uint64_t pc = U64(at, 8 + 16);

        assert_int_not_equal(pc, last);
        assert_in_range(pc, symbol->st_value, symbol->st_value + symbol->st_size - 1);
        last = pc;
        at += 8 + sizes[i];
    }
    dlclose(file);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void each_block_fills_its_own_part(void **ctx)
{
    aclrtBinHandle binary = instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, 8, STRIDE);
    uint64_t number = 0;

    (void)ctx;
    assert_int_equal(run(binary, "loop_copies", 6), 0);
    for (uint32_t block = 0; block < 8; block++) {
        const uint8_t *part = seen + block * STRIDE;
        uint64_t count = block < 6 ? block + 1 : 0;

        assert_int_equal(U64(part, 0), count);
        assert_int_equal(U64(part, 8), count * 56);
        for (uint64_t i = 0; i < count; i++)
            expect_base(part + HEAD + i * 56, 3, 0, (uintptr_t)in, number++);
    }
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void a_block_beyond_the_parts_is_not_written(void **ctx)
{
    aclrtBinHandle binary = instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, 2, STRIDE);

    (void)ctx;
    assert_int_equal(run(binary, "loop_copies", 5), 0);
    assert_int_equal(U64(seen, 0), 1);
    assert_int_equal(U64(seen + STRIDE, 0), 2);
    for (size_t i = 2 * STRIDE; i < sizeof(seen); i++)
        assert_int_equal(seen[i], 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

/* room for two records of 56 bytes, and some bytes that are too few for a third */
static void a_full_part_counts_the_lost_bytes(void **ctx)
{
    uint64_t stride = HEAD + 64 + 2 * 56 + 40;
    aclrtBinHandle binary = instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, 8, stride);

    (void)ctx;
    assert_int_equal(run(binary, "loop_copies", 6), 0);
    for (uint32_t block = 0; block < 6; block++) {
        const uint8_t *part = seen + block * stride;
        uint64_t wanted = block + 1;

        assert_int_equal(U64(part, 0), wanted < 2 ? wanted : 2);
        assert_int_equal(U64(part, 8),
                         wanted <= 2 ? wanted * 56 : (1ull << 63 | wanted));
        for (size_t i = HEAD + 2 * 56; i < stride; i++)
            assert_int_equal(part[i], 0);
    }
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void a_buffer_that_is_too_small_ends_the_launch(void **ctx)
{
    aclrtBinHandle binary =
        instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, 108, 100ull << 20);

    (void)ctx;
    assert_int_equal(run(binary, "loop_copies", 1), ACL_ERROR_RT_AICORE_EXCEPTION);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

/* Counts all blocks in the file; a launch runs only some of them. */
static void executions_of_basic_blocks_are_counted(void **ctx)
{
    aclrtBinHandle binary = instrumented_load(COPIES_KERNEL, BLOCK_COUNTS, 0, 0);
    uint32_t once = 0, loop = 0, others = 0;

    (void)ctx;
    assert_int_equal(run(binary, "loop_copies", 6), 0);
    for (size_t i = 0; i < sizeof(seen) / 4; i++) {
        uint64_t count = U32(seen, i * 4);

        once += count == 6;  /* once per block of the launch */
        loop += count == 21; /* 1 + 2 + ... + 6 */
        others += count > 0 && count != 6 && count != 21 && count != 15;
    }
    assert_true(once > 0);
    assert_true(loop > 0);
    assert_int_equal(others, 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void the_result_is_the_same_without_a_trace(void **ctx)
{
    float watched[WORDS], alone[WORDS];
    struct args args = {in, out, NULL};
    aclrtBinHandle binary = instrumented_load(COPIES_KERNEL, MEMORY_RECORDS, 4, STRIDE);
    aclrtFuncHandle function;

    (void)ctx;
    assert_int_equal(aclrtMemset(out, sizeof(alone), 0, sizeof(alone)), 0);
    assert_int_equal(run(binary, "five_copies", 2), 0);
    assert_int_equal(aclrtMemcpy(watched, sizeof(watched), out, sizeof(watched),
                                 ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
    assert_int_equal(aclrtMemset(out, sizeof(alone), 0, sizeof(alone)), 0);
    assert_int_equal(aclrtBinaryLoadFromFile(COPIES_KERNEL, NULL, &binary), 0);
    assert_int_equal(aclrtBinaryGetFunction(binary, "five_copies", &function), 0);
    assert_int_equal(
        aclrtLaunchKernelWithHostArgs(function, 2, NULL, NULL, &args, 16, NULL, 0), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtMemcpy(alone, sizeof(alone), out, sizeof(alone),
                                 ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
    assert_memory_equal(alone, watched, sizeof(alone));
    /* a row of the accumulator: columns of 16, 16 rows apart */
    assert_true(alone[0] == 0 && alone[15] == 15 && alone[16] == 256);
    assert_true(alone[32] == 16 && alone[4 * 32 + 17] == 256 + 64 + 1);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_type_has_its_published_layout),
        cmocka_unit_test(the_counter_is_an_address_in_the_kernel_file),
        cmocka_unit_test(each_block_fills_its_own_part),
        cmocka_unit_test(a_block_beyond_the_parts_is_not_written),
        cmocka_unit_test(a_full_part_counts_the_lost_bytes),
        cmocka_unit_test(executions_of_basic_blocks_are_counted),
        cmocka_unit_test(the_result_is_the_same_without_a_trace),
        /* this test is last: an exception ends its stream */
        cmocka_unit_test(a_buffer_that_is_too_small_ends_the_launch),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
