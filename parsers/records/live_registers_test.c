#include "parsers/records/live_registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

static char *read_sample(const char *name, size_t *size)
{
    char path[256];
    struct err err;
    char *bytes;

    snprintf(path, sizeof(path), "../samples/lrm/%s", name);
    if (file_read(&bytes, size, path, 1 << 20, &err) < 0)
        fail_msg("%s", err.text);
    return bytes;
}

/* The expected contents of the vendor's three samples. */
static void the_vendors_samples_are_read_completely(void **ctx)
{
    static const struct {
        const char *name;
        size_t kinds;
        uint64_t sizes[REGISTER_KINDS];
        size_t lines, functions;
        uint64_t first_lines[3];
        size_t counts[4]; /* of the first lines */
        uint64_t address;
    } cases[] = {
        {"lrm.data", 2, {128, 96}, 4, 3, {0, 0, 2}, {2, 3, 1, 1}, 0x2710},
        {"lrm2.data", 3, {64, 96, 64}, 3, 3, {0, 1, 2}, {6, 9, 3}, 0x2710},
        {"lrm3.data", 1, {128}, 149, 3, {0, 53, 148}, {0}, 0},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct live_registers registers;
        struct err err;
        size_t size;
        char *bytes = read_sample(cases[i].name, &size);

        if (live_registers_read(&registers, (uint8_t *)bytes, size, &err) < 0)
            fail_msg("%s: %s", cases[i].name, err.text);
        assert_int_equal(registers.kind_count, cases[i].kinds);
        for (size_t k = 0; k < cases[i].kinds; k++)
            assert_int_equal(registers.sizes[k], cases[i].sizes[k]);
        assert_int_equal(registers.line_count, cases[i].lines);
        assert_int_equal(registers.function_count, cases[i].functions);
        for (size_t k = 0; k < cases[i].functions; k++)
            assert_int_equal(registers.functions[k].first_line,
                             cases[i].first_lines[k]);
        for (size_t k = 0; i < 2 && k < cases[i].lines; k++) {
            assert_int_equal(registers.lines[k].count, cases[i].counts[k]);
            assert_int_equal(registers.lines[k].address, cases[i].address + k);
        }
        live_registers_clear(&registers);
        free(bytes);
    }
}

static void counts_of_a_large_sample_are_consistent(void **ctx)
{
    struct live_registers registers;
    struct err err;
    size_t size, filled = 0, most = 0, sum = 0;
    char *bytes = read_sample("lrm3.data", &size);
    (void)ctx;
    assert_int_equal(live_registers_read(&registers, (uint8_t *)bytes, size, &err), 0);
    for (size_t i = 0; i < registers.line_count; i++) {
        size_t count = registers.lines[i].count;

        assert_int_equal(registers.lines[i].address % 4, 0);
        assert_int_equal(registers.lines[i].first, sum);
        filled += count > 0;
        most = count > most ? count : most;
        sum += count;
    }
    assert_int_equal(registers.lines[0].address, 0);
    assert_int_equal(registers.lines[1].address, 4);
    assert_int_equal(filled, 95);
    assert_int_equal(most, 8);
    assert_int_equal(sum, 648);
    assert_int_equal(registers.entry_count, 648);
    live_registers_clear(&registers);
    free(bytes);
}

static void entries_are_sorted_by_line(void **ctx)
{
    struct live_registers registers;
    struct err err;
    size_t size;
    char *bytes = read_sample("lrm.data", &size);
    (void)ctx;
    assert_int_equal(live_registers_read(&registers, (uint8_t *)bytes, size, &err), 0);
    assert_string_equal(registers.functions[1].name, "func2");
    const struct register_entry *entry = &registers.entries[registers.lines[1].first];

    for (uint16_t i = 0; i < 3; i++) {
        assert_int_equal(entry[i].number, 2 * i);
        assert_int_equal(entry[i].kind, REGISTER_X);
    }
    assert_int_equal(entry[0].use, REGISTER_READ);
    assert_int_equal(entry[1].use, REGISTER_WRITE);
    assert_int_equal(entry[2].use, REGISTER_IN_USE);
    live_registers_clear(&registers);
    free(bytes);
}

/* Truncation, a wrong length, an unknown tag and different addresses are refused. */
static void a_damaged_file_is_refused(void **ctx)
{
    struct live_registers registers;
    struct err err;
    size_t size;
    char *bytes = read_sample("lrm.data", &size);
    (void)ctx;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = xcalloc(cut + 1, 1);

        memcpy(copy, bytes, cut);
        assert_int_equal(live_registers_read(&registers, copy, cut, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        free(copy);
    }
    bytes[4]++;
    assert_int_equal(live_registers_read(&registers, (uint8_t *)bytes, size, &err), -1);
    bytes[4]--;
    bytes[0xdf] ^= 13; /* the tag of the first instruction */
    assert_int_equal(live_registers_read(&registers, (uint8_t *)bytes, size, &err), -1);
    free(bytes);
    bytes = read_sample("lrm2.data", &size);
    for (size_t at = 0; at < size;
         at++) { /* a changed byte must not crash the reader */
        bytes[at] ^= 0x55;
        if (live_registers_read(&registers, (uint8_t *)bytes, size, &err) == 0)
            live_registers_clear(&registers);
        bytes[at] ^= 0x55;
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vendors_samples_are_read_completely),
        cmocka_unit_test(counts_of_a_large_sample_are_consistent),
        cmocka_unit_test(entries_are_sorted_by_line),
        cmocka_unit_test(a_damaged_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
