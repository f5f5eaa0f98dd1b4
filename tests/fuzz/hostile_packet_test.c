/* hostile_packet_test.c - the generator covers each message, field and defect */
#include "tests/fuzz/hostile_packet.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/wire/codec.h"
#include "tests/support/unit.h"

static struct hostile_values *values;
static struct codec_zone *zone;
static struct hostile_packet packet;
static union any_message unpacked;

static int set_up(void **ctx)
{
    (void)ctx;
    values = hostile_values_create(1);
    zone = codec_zone_create();
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    hostile_values_destroy(values);
    codec_zone_destroy(zone);
    text_clear(&packet.bytes);
    return 0;
}

/* Writes the packet of a case and unpacks it. */
static int unpack(const struct hostile_case *of, struct err *err)
{
    const struct message *kind;

    hostile_packet_write(&packet, of, values, false);
    return codec_unpack(&kind, &unpacked, packet.bytes.bytes, packet.bytes.length, zone,
                        err);
}

/* Returns the number of cases with this defect, of a field or of the message. */
static size_t
count_cases(const struct message *kind, enum hostile_defect defect, size_t field)
{
    struct hostile_case at = {0};
    size_t count = 0;

    while (hostile_case_next(&at))
        count += at.kind == kind && at.defect == defect && at.field == field;
    return count;
}

static void each_field_has_each_defect_once(void **ctx)
{
    (void)ctx;
    for (const struct message *kind = messages; kind->type != MSG_NONE; kind++) {
        assert_int_equal(count_cases(kind, HOSTILE_NONE, 0), 1);
        for (size_t i = 0; kind->fields[i].type != FIELD_END; i++) {
            assert_int_equal(count_cases(kind, HOSTILE_MISSING, i), 1);
            assert_int_equal(count_cases(kind, HOSTILE_DOUBLED, i), 1);
            assert_int_equal(count_cases(kind, HOSTILE_WRONG_TYPE, i), 10);
            assert_true(count_cases(kind, HOSTILE_LIMIT, i) >= 2);
        }
    }
}

/* The codec's error for a defect of a field; NULL: none. */
static void assert_error(const struct hostile_case *at, const char *text)
{
    const struct field *field = &at->kind->fields[at->field];
    char expected[240];
    struct err err;
    int result = unpack(at, &err);

    if (!text) {
        if (result < 0)
            fail_msg("%s, defect %d: %s", at->kind->name, at->defect, err.text);
        return;
    }
    snprintf(expected, sizeof(expected), "message %s: field %s %s", at->kind->name,
             field->name, text);
    assert_int_equal(result, -1);
    assert_string_equal(err.text, expected);
}

static void the_codec_names_the_defect_of_a_field(void **ctx)
{
    (void)ctx;
    for (struct hostile_case at = {0}; hostile_case_next(&at);) {
        if (at.defect == HOSTILE_NONE || at.defect == HOSTILE_PARTS)
            assert_error(&at, NULL);
        else if (at.defect == HOSTILE_MISSING)
            assert_error(&at, at.kind->fields[at.field].optional ? NULL : "is missing");
        else if (at.defect == HOSTILE_DOUBLED)
            assert_error(&at, "appears twice");
    }
}

/* Of the ten wrong types, at most two are a value of the field's type. */
static void a_field_of_a_wrong_type_is_rejected(void **ctx)
{
    size_t accepted = 0;
    struct err err;

    (void)ctx;
    for (struct hostile_case at = {0}; hostile_case_next(&at);) {
        if (at.defect != HOSTILE_WRONG_TYPE)
            continue;
        accepted = at.variant == 0 ? 0 : accepted;
        accepted += unpack(&at, &err) == 0;
        assert_true(accepted <= 2);
    }
}

static void limits_and_unknown_keys_are_accepted(void **ctx)
{
    (void)ctx;
    for (struct hostile_case at = {0}; hostile_case_next(&at);)
        if (at.defect == HOSTILE_LIMIT || at.defect == HOSTILE_UNKNOWN)
            assert_error(&at, NULL);
}

static void a_broken_frame_or_type_is_rejected(void **ctx)
{
    struct err err;

    (void)ctx;
    for (struct hostile_case at = {0}; hostile_case_next(&at);)
        if (at.defect == HOSTILE_TYPE || at.defect == HOSTILE_CUT ||
            at.defect == HOSTILE_FRAME)
            assert_int_equal(unpack(&at, &err), -1);
}

/* Returns a checksum of the first random packets. */
static uint64_t sum_of_random_packets(uint64_t seed)
{
    struct hostile_values *own = hostile_values_create(seed);
    struct hostile_case at;
    uint64_t sum = 0;

    for (size_t i = 0; i < 2000; i++) {
        hostile_case_random(&at, &messages[i % 40], own);
        hostile_packet_write(&packet, &at, own, true);
        for (size_t j = 0; j < packet.bytes.length; j++)
            sum = sum * 31 + (uint8_t)packet.bytes.bytes[j];
    }
    hostile_values_destroy(own);
    return sum;
}

static void a_seed_decides_the_packets(void **ctx)
{
    (void)ctx;
    assert_int_equal(sum_of_random_packets(5), sum_of_random_packets(5));
    assert_int_not_equal(sum_of_random_packets(5), sum_of_random_packets(6));
}

static void half_of_the_random_packets_are_valid(void **ctx)
{
    enum { MANY = 4000 };
    struct hostile_case at;
    size_t valid = 0;

    (void)ctx;
    for (size_t i = 0; i < MANY; i++) {
        hostile_case_random(&at, messages, values);
        valid += at.defect == HOSTILE_NONE;
    }
    assert_in_range(valid, MANY / 2, MANY * 6 / 10);
}

static void a_learned_value_appears_in_its_field_only(void **ctx)
{
    const struct message *lease = message_find(MSG_LEASE);
    const struct message *taken = message_find(MSG_LEASE_TAKEN);
    union any_message message = {.lease = {.run_id = 4711, .job_name = "", .cwd = ""}};
    struct hostile_case at = {.kind = taken};
    size_t runs = 0, ranks = 0;
    struct err err;

    (void)ctx;
    hostile_values_learn(values, lease, &message);
    for (size_t i = 0; i < 200; i++) {
        const struct message *kind;

        hostile_packet_write(&packet, &at, values, true);
        assert_int_equal(codec_unpack(&kind, &unpacked, packet.bytes.bytes,
                                      packet.bytes.length, zone, &err),
                         0);
        runs += unpacked.lease_taken.run_id == 4711;
        ranks += unpacked.lease_taken.rank == 4711;
    }
    assert_in_range(runs, 80, 180);
    assert_int_equal(ranks, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_field_has_each_defect_once),
        CASE(the_codec_names_the_defect_of_a_field),
        CASE(a_field_of_a_wrong_type_is_rejected),
        CASE(limits_and_unknown_keys_are_accepted),
        CASE(a_broken_frame_or_type_is_rejected),
        CASE(a_seed_decides_the_packets),
        CASE(half_of_the_random_packets_are_valid),
        CASE(a_learned_value_appears_in_its_field_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
