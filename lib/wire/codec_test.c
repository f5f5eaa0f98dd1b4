#include "lib/wire/codec.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "lib/base/mem.h"
#include "tests/support/sample_messages.h"
#include "tests/support/unit.h"

static struct codec_zone *zone;

static void pack_sample(struct text *out, const struct message *kind)
{
    union any_message message;

    memset(&message, 0, sizeof(message));
    sample_fill(kind, &message);
    codec_pack(out, kind->type, &message);
}

/* Requires that an unpacked message, packed and unpacked once more, is the same. */
static void must_survive_another_round(const struct message *kind,
                                       const union any_message *message)
{
    struct codec_zone *second_zone = codec_zone_create();
    struct text first = {0}, second = {0};
    const struct message *second_kind;
    union any_message again;
    struct err err;

    codec_pack(&first, kind->type, message);
    assert_int_equal(codec_unpack(&second_kind, &again, first.bytes, first.length,
                                  second_zone, &err),
                     0);
    assert_ptr_equal(second_kind, kind);
    codec_pack(&second, kind->type, &again);
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.bytes, second.bytes, first.length);
    text_clear(&first);
    text_clear(&second);
    codec_zone_destroy(second_zone);
}

/* Returns true when the bytes were accepted; then they must survive another round. A
 * rejection must have a code and a text. The bytes are copied into memory of their own
 * size, so that a sanitizer sees a byte that is read behind the end. */
static bool accepts(const void *packet, size_t size)
{
    void *copy = xmemdup(packet, size ? size : 1);
    const struct message *kind;
    union any_message message;
    struct err err = {0};
    int result = codec_unpack(&kind, &message, copy, size, zone, &err);

    if (result == 0) {
        must_survive_another_round(kind, &message);
    } else {
        assert_int_equal(result, -1);
        assert_int_not_equal(err.code, ERR_NONE);
        assert_string_not_equal(err.text, "");
    }
    free(copy);
    return result == 0;
}

static void an_unpacked_message_is_equal_to_the_packed_one(void **ctx)
{
    (void)ctx;
    for (const struct message *kind = messages; kind->type; kind++) {
        struct text first = {0}, second = {0};
        const struct message *seen;
        union any_message message;
        struct err err;

        pack_sample(&first, kind);
        assert_int_equal(
            codec_unpack(&seen, &message, first.bytes, first.length, zone, &err), 0);
        assert_ptr_equal(seen, kind);
        codec_pack(&second, kind->type, &message);
        assert_int_equal(first.length, second.length);
        assert_memory_equal(first.bytes, second.bytes, first.length);
        text_clear(&first);
        text_clear(&second);
    }
}

static void every_prefix_is_rejected(void **ctx)
{
    (void)ctx;
    for (const struct message *kind = messages; kind->type; kind++) {
        struct text packet = {0};

        pack_sample(&packet, kind);
        for (size_t size = 0; size < packet.length; size++)
            assert_false(accepts(packet.bytes, size));
        text_clear(&packet);
    }
}

/* Some flips change only a value; then accepts() compares two rounds. */
static void every_flipped_bit_is_rejected_or_changes_a_value(void **ctx)
{
    size_t accepted = 0, rejected = 0;

    (void)ctx;
    for (const struct message *kind = messages; kind->type; kind++) {
        struct text packet = {0};

        pack_sample(&packet, kind);
        for (size_t bit = 0; bit < packet.length * 8; bit++) {
            packet.bytes[bit / 8] ^= (char)(1 << bit % 8);
            *(accepts(packet.bytes, packet.length) ? &accepted : &rejected) += 1;
            packet.bytes[bit / 8] ^= (char)(1 << bit % 8);
        }
        text_clear(&packet);
    }
    assert_true(accepted > 0 && rejected > 0);
}

/* Packets that codec_pack() does not write */

static int add_bytes(void *arg, const char *bytes, size_t size)
{
    text_add_bytes(arg, bytes, size);
    return 0;
}

static void pack(msgpack_packer *packer, const char *text)
{
    msgpack_pack_str(packer, strlen(text));
    msgpack_pack_str_body(packer, text, strlen(text));
}

static void
begin(msgpack_packer *packer, struct text *out, size_t fields, uint64_t type)
{
    msgpack_packer_init(packer, out, add_bytes);
    msgpack_pack_map(packer, fields + 1);
    pack(packer, "type");
    msgpack_pack_uint64(packer, type);
}

static void must_reject(struct text *packet, const char *why)
{
    const struct message *kind;
    union any_message message;
    struct err err;

    assert_int_equal(
        codec_unpack(&kind, &message, packet->bytes, packet->length, zone, &err), -1);
    assert_string_equal(err.text, why);
    assert_int_equal(err.code, ERR_INPUT);
    text_clear(packet);
}

static void the_error_about_a_missing_field_names_it(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 1, MSG_LEASE_TAKEN);
    pack(&packer, "run_id");
    msgpack_pack_uint64(&packer, 7);
    must_reject(&packet, "message lease_taken: field rank is missing");
}

static void the_error_about_a_wrong_type_names_message_and_field(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 1, MSG_HEARTBEAT);
    pack(&packer, "run_id");
    msgpack_pack_int64(&packer, -1);
    must_reject(&packet, "message heartbeat: field run_id must be a number");
}

static void a_field_that_appears_twice_is_rejected(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 2, MSG_HEARTBEAT);
    for (int i = 0; i < 2; i++) {
        pack(&packer, "run_id");
        msgpack_pack_uint64(&packer, 7);
    }
    must_reject(&packet, "message heartbeat: field run_id appears twice");
}

static void a_text_with_a_nul_is_rejected(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 1, MSG_OK);
    pack(&packer, "text");
    msgpack_pack_str(&packer, 3);
    msgpack_pack_str_body(&packer, "a\0b", 3);
    must_reject(&packet, "message ok: field text must be a text without NUL");
}

static void an_unknown_message_number_is_rejected(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 0, 9999);
    must_reject(&packet,
                "message type 9999 is unknown; the sender may be a newer muster");
}

static void a_packet_without_a_message_is_rejected(void **ctx)
{
    struct text packet = {0};

    (void)ctx;
    text_add_bytes(&packet, "\x93\x01\x02\x03", 4);
    must_reject(&packet, "the packet is not a msgpack map with fields");
    text_add_bytes(&packet, "\x81\xa1x\x01", 4);
    must_reject(&packet, "the first key of the message is not its type");
}

static void an_unknown_key_is_skipped(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;
    const struct message *kind;
    union any_message message;
    struct err err;

    (void)ctx;
    begin(&packer, &packet, 3, MSG_HEARTBEAT);
    pack(&packer, "later");
    msgpack_pack_array(&packer, 2);
    msgpack_pack_nil(&packer);
    msgpack_pack_map(&packer, 1);
    pack(&packer, "deep");
    msgpack_pack_double(&packer, 1.5);
    pack(&packer, "run_id");
    msgpack_pack_uint64(&packer, 7);
    msgpack_pack_uint64(&packer, 3); /* a key need not be a text */
    msgpack_pack_true(&packer);
    assert_int_equal(
        codec_unpack(&kind, &message, packet.bytes, packet.length, zone, &err), 0);
    assert_int_equal(message.heartbeat.run_id, 7);
    text_clear(&packet);
}

static void an_optional_field_may_be_missing(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;
    const struct message *kind;
    union any_message message;
    struct err err;

    (void)ctx;
    memset(&message, 0x55, sizeof(message));
    begin(&packer, &packet, 1, MSG_CANCEL);
    pack(&packer, "job_id");
    msgpack_pack_uint64(&packer, 7);
    assert_int_equal(
        codec_unpack(&kind, &message, packet.bytes, packet.length, zone, &err), 0);
    assert_false(message.cancel.now);
    text_clear(&packet);
}

/* Formats. msgpack-c writes and reads the bytes; these tests guard the wire format, and
 * the range of each field type. */

static void a_heartbeat_has_the_same_bytes_as_in_protocol_2(void **ctx)
{
    static const char expected[] = "\x82\xa4type\x02\xa6run_id\xcd\x01\x02";
    const struct msg_heartbeat heartbeat = {.run_id = 258};
    struct text packet = {0};

    (void)ctx;
    codec_pack(&packet, MSG_HEARTBEAT, &heartbeat);
    assert_int_equal(packet.length, sizeof(expected) - 1);
    assert_memory_equal(packet.bytes, expected, packet.length);
    text_clear(&packet);
}

/* Other packers may use a wider format than necessary, or a signed one. */
static void an_unsigned_field_accepts_every_integer_format(void **ctx)
{
    static const struct {
        const char *bytes;
        size_t size;
    } formats[] = {
        {"\x07", 1},
        {"\xcc\x07", 2},
        {"\xcd\0\x07", 3},
        {"\xce\0\0\0\x07", 5},
        {"\xcf\0\0\0\0\0\0\0\x07", 9},
        {"\xd0\x07", 2},
        {"\xd1\0\x07", 3},
        {"\xd2\0\0\0\x07", 5},
        {"\xd3\0\0\0\0\0\0\0\x07", 9},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct text packet = {0};
        const struct message *kind;
        union any_message message;
        struct err err;

        text_add_bytes(&packet, "\x82\xa4type\x02\xa6run_id", 14);
        text_add_bytes(&packet, formats[i].bytes, formats[i].size);
        assert_int_equal(
            codec_unpack(&kind, &message, packet.bytes, packet.length, zone, &err), 0);
        assert_int_equal(message.heartbeat.run_id, 7);
        text_clear(&packet);
    }
}

/* Numbers around each power of two, and sizes around each width of a length. */
static void borders_of_all_formats_survive(void **ctx)
{
    static const size_t sizes[] = {0, 1, 15, 16, 31, 32, 255, 256, 65535, 65536};
    const struct message *result = message_find(MSG_RANK_RESULT);
    const struct message *group = message_find(MSG_GROUP);
    char *long_text = xcalloc(1, 65537);
    union any_message message;

    (void)ctx;
    for (unsigned bit = 0; bit < 64; bit++)
        for (int step = -1; step <= 1; step++) {
            uint64_t value = (1ull << bit) + (uint64_t)(int64_t)step;

            memset(&message, 0, sizeof(message));
            message.rank_result.run_id = value;
            message.rank_result.exit_code = (int64_t)(0 - value);
            must_survive_another_round(result, &message);
        }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        memset(long_text, 'x', sizes[i]);
        memset(&message, 0, sizeof(message));
        message.rank_result.reason = long_text;
        must_survive_another_round(result, &message);
        memset(&message, 0, sizeof(message));
        message.group.data = (struct bytes){long_text, sizes[i]};
        must_survive_another_round(group, &message);
    }
    free(long_text);
}

static void a_float_of_32_bits_is_accepted(void **ctx)
{
    const struct message *row = message_find(MSG_RESULT_ROW), *kind;
    struct text packet = {0};
    union any_message message;
    struct err err;

    (void)ctx;
    memset(&message, 0, sizeof(message));
    message.result_row.value = 0.25;
    codec_pack(&packet, MSG_RESULT_ROW, &message);
    char *value = memmem(packet.bytes, packet.length, "value\xcb", 6);
    assert_non_null(value);
    /* 0xca and the four bytes of 0.25f instead of 0xcb and eight bytes */
    memcpy(value + 5, "\xca\x3e\x80\0\0", 5);
    size_t tail = packet.length - (size_t)(value + 14 - packet.bytes);
    memmove(value + 10, value + 14, tail);
    assert_int_equal(
        codec_unpack(&kind, &message, packet.bytes, packet.length - 4, zone, &err), 0);
    assert_ptr_equal(kind, row);
    assert_true(message.result_row.value == 0.25);
    text_clear(&packet);
}

/* Limits */

static size_t heap_bytes(void)
{
    struct mallinfo2 heap = mallinfo2();

    return heap.uordblks + heap.hblkhd;
}

static void a_count_without_its_items_allocates_nothing(void **ctx)
{
    static const char *const headers[] = {
        "\xdd\xff\xff\xff\xff", "\xdf\xff\xff\xff\xff", "\xdb\xff\xff\xff\xff",
        "\xc6\xff\xff\xff\xff", "\xc9\xff\xff\xff\xff"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(headers); i++) {
        struct text packet = {0};
        const struct message *kind;
        union any_message message;
        struct err err;

        text_add_bytes(&packet,
                       "\x82\xa4type\x12\xa7"
                       "command",
                       15);
        text_add_bytes(&packet, headers[i], 5);
        size_t before = heap_bytes();
        assert_int_equal(
            codec_unpack(&kind, &message, packet.bytes, packet.length, zone, &err), -1);
        assert_int_equal(heap_bytes(), before);
        text_clear(&packet);
    }
}

/* The next message frees the extra memory of a long one. */
static void a_zone_is_reused_after_a_long_message(void **ctx)
{
    enum { ITEMS = 100000 };
    uint64_t *numbers = xcalloc(ITEMS, sizeof(*numbers));
    const struct msg_worker_hello hello = {.held_runs = {numbers, ITEMS}};
    const struct msg_heartbeat heartbeat = {.run_id = 1};
    struct text large = {0}, small = {0};
    const struct message *kind;
    union any_message message;
    struct err err;

    (void)ctx;
    codec_pack(&large, MSG_WORKER_HELLO, &hello);
    codec_pack(&small, MSG_HEARTBEAT, &heartbeat);
    size_t before = heap_bytes();
    assert_int_equal(
        codec_unpack(&kind, &message, large.bytes, large.length, zone, &err), 0);
    assert_int_equal(message.worker_hello.held_runs.count, ITEMS);
    assert_int_equal(
        codec_unpack(&kind, &message, small.bytes, small.length, zone, &err), 0);
    assert_int_equal(heap_bytes(), before);
    text_clear(&large);
    text_clear(&small);
    free(numbers);
}

static void numbers_and_names_of_messages_are_unique(void **ctx)
{
    (void)ctx;
    for (const struct message *a = messages; a->type; a++) {
        assert_true(a->size <= sizeof(union any_message));
        assert_ptr_equal(message_find(a->type), a);
        for (const struct message *b = a + 1; b->type; b++) {
            assert_int_not_equal(a->type, b->type);
            assert_string_not_equal(a->name, b->name);
        }
    }
}

static const struct field *find_field(const struct message *kind, const char *name)
{
    const struct field *field = kind->fields;

    while (field->type != FIELD_END && strcmp(field->name, name) != 0)
        field++;
    return field->type == FIELD_END ? NULL : field;
}

/* Compares a field with its text in the sample, such as `held_runs:u64s?`. */
static void check_field(const struct message *kind, const char *text)
{
    static const char *const types[] = {
        [FIELD_U64] = "u64",         [FIELD_I64] = "i64",      [FIELD_BOOL] = "bool",
        [FIELD_F64] = "f64",         [FIELD_TEXT] = "text",    [FIELD_BYTES] = "bytes",
        [FIELD_TEXT_LIST] = "texts", [FIELD_U64_LIST] = "u64s"};
    char name[64], now[128];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
    const struct field *field = find_field(kind, name);
    if (!field)
        fail_msg("%s has no field %s", kind->name, name);
    snprintf(now, sizeof(now), "%s:%s%s", field->name, types[field->type],
             field->optional ? "?" : "");
    assert_string_equal(now, text);
}

/* Programs of different versions exchange messages: a number and a field keep their
 * meaning, and a field that an old program does not send is optional. */
static void programs_of_protocol_2_understand_each_other(void **ctx)
{
    FILE *file = fopen("samples/protocol_2.txt", "r");
    const struct message *next = messages; /* the file has their order */
    char line[1000];

    (void)ctx;
    assert_int_equal(MSG_PROTOCOL, 2);
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        char *rest = line, *word;
        size_t required = 0, now_required = 0;

        if (*line == '#')
            continue;
        line[strcspn(line, "\n")] = '\0';
        const struct message *kind = message_find((uint64_t)atoi(strsep(&rest, " ")));
        if (kind != next)
            fail_msg("samples/protocol_2.txt has '%s' in place of message %s", line,
                     next->type ? next->name : "(none)");
        assert_string_equal(kind->name, strsep(&rest, " "));
        while ((word = strsep(&rest, " "))) {
            check_field(kind, word);
            required += word[strlen(word) - 1] != '?';
        }
        for (const struct field *field = kind->fields; field->type != FIELD_END;
             field++)
            now_required += !field->optional;
        assert_int_equal(now_required, required);
        next++;
    }
    if (next->type)
        fail_msg("samples/protocol_2.txt has no line for message %s", next->name);
    fclose(file);
}

/* Workers and coordinators of different versions exchange these numbers. */
static void the_votes_of_protocol_2_keep_their_numbers(void **ctx)
{
    (void)ctx;
    assert_int_equal(BARRIER_VOTE_RELEASED, 0);
    assert_int_equal(BARRIER_VOTE_FINISHED, 1);
    assert_int_equal(BARRIER_VOTE_MISMATCH, 3);
    assert_int_equal(BARRIER_VOTE_LATE, 10);
    assert_int_equal(BARRIER_VOTE_BUSY, 14);
    assert_int_equal(BARRIER_VOTE_ENDED, 15);
}

static void every_word_is_parsed_to_its_value(void **ctx)
{
    enum rank_status status;

    (void)ctx;
    for (int i = RANK_DONE; i <= RANK_LOST; i++) {
        assert_true(rank_status_parse(rank_status_word((enum rank_status)i), &status));
        assert_int_equal(status, i);
    }
    assert_false(rank_status_parse("good", &status));
    for (int code = ERR_NONE; code <= ERR_INTERNAL; code++)
        assert_int_equal(refusal_code(refusal_word((enum err_code)code)), code);
    assert_int_equal(refusal_code("?"), ERR_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unpacked_message_is_equal_to_the_packed_one),
        cmocka_unit_test(every_prefix_is_rejected),
        cmocka_unit_test(every_flipped_bit_is_rejected_or_changes_a_value),
        cmocka_unit_test(the_error_about_a_missing_field_names_it),
        cmocka_unit_test(the_error_about_a_wrong_type_names_message_and_field),
        cmocka_unit_test(a_field_that_appears_twice_is_rejected),
        cmocka_unit_test(a_text_with_a_nul_is_rejected),
        cmocka_unit_test(an_unknown_message_number_is_rejected),
        cmocka_unit_test(a_packet_without_a_message_is_rejected),
        cmocka_unit_test(an_unknown_key_is_skipped),
        cmocka_unit_test(an_optional_field_may_be_missing),
        cmocka_unit_test(a_heartbeat_has_the_same_bytes_as_in_protocol_2),
        cmocka_unit_test(an_unsigned_field_accepts_every_integer_format),
        cmocka_unit_test(borders_of_all_formats_survive),
        cmocka_unit_test(a_float_of_32_bits_is_accepted),
        cmocka_unit_test(a_count_without_its_items_allocates_nothing),
        cmocka_unit_test(a_zone_is_reused_after_a_long_message),
        cmocka_unit_test(numbers_and_names_of_messages_are_unique),
        cmocka_unit_test(programs_of_protocol_2_understand_each_other),
        cmocka_unit_test(the_votes_of_protocol_2_keep_their_numbers),
        cmocka_unit_test(every_word_is_parsed_to_its_value),
    };

    zone = codec_zone_create();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    codec_zone_destroy(zone);
    return failed;
}
