/* stamps_test.c - the reports of time stamps, byte by byte */
#include <toolchain/prof_api.h>

#include "sim/tests/device.h"
#include "sim/tests/instrumented.h"
#include "tests/support/unit.h"

#ifndef LCCL_KERNEL
#define LCCL_KERNEL "lccl.o"
#endif

#define REPORTS_MAX 64
#define ADDITIONAL  5
#define STAMPS      0x100000000ull

static uint8_t reports[REPORTS_MAX][256];
static int report_count;

static int32_t on_report(uint32_t flag, const void *data, uint32_t length)
{
    (void)flag;
    assert_int_equal(length, 256);
    assert_true(report_count < REPORTS_MAX);
    memcpy(reports[report_count++], data, length);
    return 0;
}

static void ask(uint32_t type)
{
    struct MsprofCommandHandle command = {.profSwitch = STAMPS, .type = type};

    assert_int_equal(profSetProfCommand(&command, sizeof(command)), 0);
}

static int open_all(void **state)
{
    return device_open(state) ||
           MsprofRegisterProfileCallback(ADDITIONAL, (void *)on_report, 8);
}

static void run(const char *path, const char *kernel, uint32_t blocks)
{
    aclrtBinHandle binary;
    aclrtFuncHandle function;

    report_count = 0;
    assert_int_equal(aclrtBinaryLoadFromFile(path, NULL, &binary), 0);
    assert_int_equal(aclrtBinaryGetFunction(binary, kernel, &function), 0);
    assert_int_equal(
        aclrtLaunchKernelWithHostArgs(function, blocks, NULL, NULL, "", 0, NULL, 0), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void expect_envelopes(size_t record_bytes, size_t records)
{
    size_t seen = 0;

    for (int i = 0; i < report_count; i++) {
        const uint8_t *at = reports[i];
        uint64_t bytes = U32(at, 12);

        assert_int_equal(U16(at, 0), 0x5A5A);
        assert_int_equal(U16(at, 2), 3000);
        assert_int_equal(U32(at, 4), 0);
        assert_in_range(bytes, record_bytes, 232);
        assert_int_equal(bytes % record_bytes, 0);
        /* each report is filled before the next begins */
        if (i + 1 < report_count)
            assert_int_equal(bytes, 232 / record_bytes * record_bytes);
        seen += bytes / record_bytes;
    }
    assert_int_equal(seen, records);
}

/* Returns the n-th record of all reports. */
static const uint8_t *stamp(size_t n, size_t record_bytes)
{
    size_t each = 232 / record_bytes;

    return reports[n / each] + 24 + n % each * record_bytes;
}

static void no_stamps_are_reported_without_a_request(void **ctx)
{
    (void)ctx;
    run(COPIES_KERNEL, "stamped", 2);
    assert_int_equal(report_count, 0);
}

static void stamps_name_core_block_and_place(void **ctx)
{
    size_t n = 0;

    (void)ctx;
    ask(1);
    run(COPIES_KERNEL, "stamped", 2);
    ask(2);
    expect_envelopes(24, 2 * (2 + 6 + 7));
    for (uint64_t block = 0; block < 2; block++)
        for (uint64_t body = 0; body < 3; body++) {
            uint64_t core = body == 0 ? block : 25 + block * 2 + body - 1;
            uint64_t count = body == 0 ? 2 : 5 + body, last = 0;

            for (uint64_t i = 0; i < count; i++, n++) {
                const uint8_t *at = stamp(n, 24);

                assert_true(U64(at, 0) > 0 && U64(at, 0) >= last);
                last = U64(at, 0);
                assert_int_equal(U32(at, 8),
                                 core << 16 |
                                     (body == 0 ? block : block * 2 + body - 1));
                assert_int_equal(U32(at, 12), body == 0 ? 0x1000 + i : 0x20000 + i);
                assert_in_range(U64(at, 16), 1, 1 << 20);
            }
        }
    /* the INIT of a cube takes about 500 of its 503 cycles, which leaves time between
     * the stamps */
    assert_true(U64(stamp(1, 24), 0) > U64(stamp(0, 24), 0));
}

static void lightweight_collectives_have_their_own_format(void **ctx)
{
    static const uint32_t ids[] = {0, 1, 1, 2, 2, 0};
    uint64_t last = 0;

    (void)ctx;
    ask(1);
    run(LCCL_KERNEL, "lccl", 3);
    ask(2);
    expect_envelopes(32, 3 * 6);
    for (size_t n = 0; n < 3 * 6; n++) {
        const uint8_t *at = stamp(n, 32);

        assert_int_equal(U32(at, 0), ids[n % 6]);
        assert_int_equal(U32(at, 4), n / 6); /* a vector: below 50 */
        if (n % 6 > 0)
            assert_true(U64(at, 8) >= last);
        last = U64(at, 8);
        assert_in_range(U64(at, 16), 1, 1 << 20);
        assert_int_equal(U64(at, 24), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_stamps_are_reported_without_a_request),
        cmocka_unit_test(stamps_name_core_block_and_place),
        cmocka_unit_test(lightweight_collectives_have_their_own_format),
    };
    return cmocka_run_group_tests(tests, open_all, device_close);
}
