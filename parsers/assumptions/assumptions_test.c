/* assumptions_test.c - replays the archive of a self-test, and finds planted violations
 *
 * samples/simulated.iidb was written on the simulated NPU by
 * `muster selftest --hardware --simulated --archive FILE`. */
#include "parsers/assumptions/assumptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/capture/format/channels.h"
#include "lib/capture/format/records.h"
#include "parsers/assumptions/selftest_archive.h"
#include "tests/support/unit.h"

static const char sample[] = "samples/simulated.iidb";
static const struct assumption_program program = {.operations = 16384};

static void add_result(const struct assumption_result *result, void *arg)
{
    assert_true(strlen(result->seen) > 0);
    assert_true(strlen(result->assumed) > 0 && strlen(result->otherwise) > 0);
    if (result->verdict != ASSUMPTION_CONFIRMED)
        text_printf(arg, "%s:%s ", result->name,
                    assumption_verdict_name(result->verdict));
}

/* Returns the checks that are not confirmed; the caller frees the text. */
static char *not_confirmed(const char *path, const struct assumption_program *of)
{
    struct text found = {0};
    struct err err;

    if (assumptions_check(path, of, add_result, &found, &err) < 0)
        fail_msg("%s", err.text);
    text_add(&found, "");
    return text_take(&found);
}

static void the_sample_confirms_all_assumptions(void **ctx)
{
    char *found = not_confirmed(sample, &program);

    (void)ctx;
    assert_string_equal(found, "");
    free(found);
}

static void an_archive_has_its_text_and_no_user_data(void **ctx)
{
    struct text text = {0};
    struct err err;

    (void)ctx;
    assert_int_equal(selftest_archive_text(sample, &text, &err), 0);
    assert_true(text_has_prefix(text_get(&text), "#operations\t16384\n"));
    assert_non_null(strstr(text_get(&text), "\nknown-kernel\tconfirmed\t"));
    assert_non_null(strstr(text_get(&text), "\nserial\tby-hand\t(left out)\t"));
    text_clear(&text);
}

static bool has_no_user_data(unsigned kind, uint8_t *record, size_t size, void *arg)
{
    struct record_run_rank rank;

    (void)arg;
    if (kind != RECORD_RUN_RANK)
        return true;
    memcpy(&rank, record, size);
    assert_string_equal(rank.host, "");
    assert_string_equal(rank.program, "");
    assert_string_equal(rank.job, "");
    assert_string_equal(rank.card_serial, "");
    assert_true(rank.pid == 0 && rank.started_wall_ns == 0);
    return true;
}

#define PLANT(name, type, wanted, change)                                              \
    static bool name(unsigned kind, uint8_t *bytes, size_t size, void *arg)            \
    {                                                                                  \
        struct type *record = (void *)bytes;                                           \
                                                                                       \
        (void)size;                                                                    \
        (void)arg;                                                                     \
        if (kind == (wanted)) {                                                        \
            change;                                                                    \
        }                                                                              \
        return true;                                                                   \
    }

PLANT(unknown_launch, record_launch, RECORD_LAUNCH, record->kind = LAUNCH_UNKNOWN)
PLANT(missing_pass, record_launch_end, RECORD_LAUNCH_END, record->passes_done--;
      record->complete = 0)
PLANT(other_memory,
      record_pass,
      RECORD_PASS,
      record->input_checksum += record->pass == 7)
PLANT(other_clock, record_pass, RECORD_PASS, record->core_mhz = 18)
PLANT(other_frequency,
      record_run_clock,
      RECORD_RUN_CLOCK,
      record->ticks_khz += record->ticks_khz / 20)
PLANT(other_origin,
      record_run_clock,
      RECORD_RUN_CLOCK,
      record->device_ticks += 1000000000000)
PLANT(no_power,
      record_run_health,
      RECORD_RUN_HEALTH,
      record->known &= ~(uint32_t)HEALTH_HAS_POWER)
PLANT(no_firmware,
      record_run_environment,
      RECORD_RUN_ENVIRONMENT,
      memset(record->firmware, 0, sizeof(record->firmware)))
PLANT(late_release, record_barrier, RECORD_BARRIER, record->released_ns += 5000000)
PLANT(aborted_barrier,
      record_barrier,
      RECORD_BARRIER,
      record->reason = record->phase == BARRIER_START && record->execution == 3)

/* The bytes of a channel in counter pass 4 of any launch. */
static uint8_t *
channel_of_pass(unsigned kind, uint8_t *bytes, unsigned channel, uint32_t *count)
{
    struct record_channel_bytes *record = (void *)bytes;

    if (kind != RECORD_CHANNEL_BYTES || record->channel != channel || record->pass != 4)
        return NULL;
    *count = record->bytes;
    return bytes + sizeof(*record);
}

static bool no_counters(unsigned kind, uint8_t *bytes, size_t size, void *arg)
{
    uint32_t count;

    (void)size;
    (void)arg;
    return !channel_of_pass(kind, bytes, CHANNEL_COUNTERS, &count);
}

static bool missing_row(unsigned kind, uint8_t *bytes, size_t size, void *arg)
{
    uint32_t count;

    (void)size;
    (void)arg;
    if (channel_of_pass(kind, bytes, CHANNEL_COUNTERS, &count))
        ((struct record_channel_bytes *)(void *)bytes)->bytes -= 128;
    return true;
}

static bool half_record(unsigned kind, uint8_t *bytes, size_t size, void *arg)
{
    uint32_t count;

    (void)size;
    (void)arg;
    if (channel_of_pass(kind, bytes, CHANNEL_TASK_LOG, &count))
        ((struct record_channel_bytes *)(void *)bytes)->bytes -= 8;
    return true;
}

/* Ends the tasks of the pass ten microseconds later. */
static bool long_pass(unsigned kind, uint8_t *bytes, size_t size, void *arg)
{
    uint32_t count = 0;
    uint8_t *log = channel_of_pass(kind, bytes, CHANNEL_TASK_LOG, &count);

    (void)size;
    (void)arg;
    for (uint32_t at = 0; log && at + 64 <= count; at += 64) {
        uint64_t ticks;

        if ((log[at] & 63) != 1)
            continue;
        memcpy(&ticks, log + at + 8, sizeof(ticks));
        ticks += 500;
        memcpy(log + at + 8, &ticks, sizeof(ticks));
    }
    return true;
}

static bool no_l2(unsigned kind, uint8_t *bytes, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    return kind != RECORD_CHANNEL_BYTES ||
           ((struct record_channel_bytes *)(void *)bytes)->channel != CHANNEL_L2;
}

static bool no_group(unsigned kind, uint8_t *bytes, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    return kind != RECORD_RUN_RANK ||
           ((struct record_run_rank *)(void *)bytes)->world_size == 1;
}

static const struct {
    archive_edit_fn *edit;
    const char *found;
} plants[] = {
    {has_no_user_data, ""},
    {unknown_launch, "hooks:differs "},
    {missing_pass, "passes:differs "},
    {no_counters, "counter-bytes:differs counter-rows:differs operations:not-here "},
    {missing_row, "counter-rows:differs operations:differs "},
    {other_clock, "core-time:differs "},
    {half_record, "pass-times:differs durations:differs "},
    {long_pass, "durations:differs "},
    {no_l2, "l2-channel:differs "},
    {other_memory, "restore:differs "},
    {other_frequency, "clock-pairs:differs "},
    {other_origin, "task-clock:differs "},
    {no_power, "health:differs "},
    {no_firmware, "versions:differs "},
    {late_release, "barrier:differs "},
    {aborted_barrier, "barrier:differs "},
    {no_group, "barrier:not-here "},
};

static void each_planted_violation_is_found(void **ctx)
{
    const char *const captures[] = {sample};
    char path[] = "/tmp/assumptions_test.XXXXXX";
    struct err err;

    (void)ctx;
    close(mkstemp(path));
    for (size_t i = 0; i < COUNT(plants); i++) {
        char *found;

        assert_int_equal(
            selftest_archive_write(path, captures, 1, "", plants[i].edit, NULL, &err),
            0);
        found = not_confirmed(path, &program);
        assert_string_equal(found, plants[i].found);
        free(found);
    }
    unlink(path);
}

static void another_number_of_operations_is_found(void **ctx)
{
    const struct assumption_program more = {.operations = 17000}, unknown = {0};
    char *found = not_confirmed(sample, &more);

    (void)ctx;
    assert_string_equal(found, "operations:differs ");
    free(found);
    found = not_confirmed(sample, &unknown);
    assert_string_equal(found, "operations:not-here ");
    free(found);
}

static void damaged_and_other_files_are_named(void **ctx)
{
    char path[] = "/tmp/assumptions_test.XXXXXX", *found;
    struct text text = {0};
    FILE *in = fopen(sample, "rb"), *out = fdopen(mkstemp(path), "wb");
    struct err err;
    int byte;

    (void)ctx;
    assert_non_null(in);
    for (long at = 0; (byte = getc(in)) != EOF; at++)
        putc(at == 20000 ? byte ^ 1 : byte, out);
    fclose(in);
    fclose(out);
    found = not_confirmed(path, &program);
    assert_non_null(strstr(found, "capture:differs "));
    free(found);
    out = fopen(path, "wb");
    fputs("no capture", out);
    fclose(out);
    assert_int_equal(selftest_archive_text(path, &text, &err), -1);
    assert_non_null(strstr(err.text, "is no archive of muster selftest"));
    found = not_confirmed(path, &program);
    assert_non_null(strstr(found, "capture:differs hooks:differs "));
    free(found);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_confirms_all_assumptions),
        cmocka_unit_test(an_archive_has_its_text_and_no_user_data),
        cmocka_unit_test(each_planted_violation_is_found),
        cmocka_unit_test(another_number_of_operations_is_found),
        cmocka_unit_test(damaged_and_other_files_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
