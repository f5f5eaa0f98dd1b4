#include "lib/capture/format/report.h"

#include <string.h>

#include "lib/capture/format/format.h"
#include "tests/support/unit.h"

static struct record_report make(uint16_t level, uint32_t type, uint32_t bytes)
{
    struct record_report report = {.source = REPORT_ADDITIONAL, .bytes = REPORT_BYTES};

    store_u16(report.envelope, 0x5A5A);
    store_u16(report.envelope + 2, level);
    store_u32(report.envelope + 4, type);
    store_u32(report.envelope + 12, bytes);
    memset(report.envelope + 24, 7, 232);
    return report;
}

static void stamps_are_the_payload(void **ctx)
{
    struct record_report report = make(3000, 0, 9 * 24);
    const uint8_t *stamps;
    (void)ctx;
    assert_int_equal(report_stamps(&report, &stamps), 216);
    assert_ptr_equal(stamps, report.envelope + 24);
}

static void other_reports_carry_none(void **ctx)
{
    struct record_report cases[] = {
        make(6000, 0, 24),  make(3000, 1, 24), make(3000, 0, 233),
        make(3000, 0, ~0u), make(3000, 0, 24), make(3000, 0, 24),
    };
    const uint8_t *stamps;
    (void)ctx;
    cases[4].envelope[0] = 0;
    cases[5].bytes = 64;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(report_stamps(&cases[i], &stamps), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stamps_are_the_payload),
        cmocka_unit_test(other_reports_carry_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
