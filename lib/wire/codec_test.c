#include "lib/wire/codec.h"

#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "lib/base/mem.h"
#include "lib/wire/cursor.h"
#include "lib/wire/pack.h"
#include "lib/wire/sample_messages.h"
#include "tests/support/unit.h"

static struct arena *arena;

static void pack_sample(struct text *out, const struct message *kind)
{
    union any_message message;

    memset(&message, 0, sizeof(message));
    sample_fill(kind, &message);
    codec_pack(out, kind->type, &message);
}

/* In memory of its own size, so that a sanitizer sees a byte read too much. */
static int unpack(const struct message **kind,
                  union any_message *message,
                  const void *packet,
                  size_t size,
                  struct err *err)
{
    void *copy = xmemdup(packet, size ? size : 1);
    struct text again = {0};

    int result = codec_unpack(kind, message, copy, size, arena, err);
    if (result == 0) /* what was taken can be said again */
        codec_pack(&again, (*kind)->type, message);
    text_clear(&again);
    free(copy);
    return result;
}

static void every_message_comes_back_as_it_was(void **ctx)
{
    (void)ctx;
    for (const struct message *kind = messages; kind->type; kind++) {
        struct text first = {0}, second = {0};
        const struct message *seen;
        union any_message message;
        struct err err;

        pack_sample(&first, kind);
        assert_int_equal(
            codec_unpack(&seen, &message, first.bytes, first.length, arena, &err), 0);
        assert_ptr_equal(seen, kind);
        codec_pack(&second, kind->type, &message);
        assert_int_equal(first.length, second.length);
        assert_memory_equal(first.bytes, second.bytes, first.length);
        text_clear(&first);
        text_clear(&second);
        arena_reset(arena);
    }
}

static void every_prefix_is_refused(void **ctx)
{
    (void)ctx;
    for (const struct message *kind = messages; kind->type; kind++) {
        struct text packet = {0};

        pack_sample(&packet, kind);
        for (size_t size = 0; size < packet.length; size++) {
            const struct message *seen;
            union any_message message;
            struct err err = {0};

            assert_int_equal(unpack(&seen, &message, packet.bytes, size, &err), -1);
            assert_int_not_equal(err.code, ERR_NONE);
            assert_string_not_equal(err.text, "");
        }
        text_clear(&packet);
        arena_reset(arena);
    }
}

static void every_flipped_bit_is_refused_or_read(void **ctx)
{
    (void)ctx;
    for (const struct message *kind = messages; kind->type; kind++) {
        struct text packet = {0};

        pack_sample(&packet, kind);
        for (size_t bit = 0; bit < packet.length * 8; bit++) {
            const struct message *seen;
            union any_message message;
            struct err err;

            packet.bytes[bit / 8] ^= (char)(1 << bit % 8);
            unpack(&seen, &message, packet.bytes, packet.length, &err);
            packet.bytes[bit / 8] ^= (char)(1 << bit % 8);
            arena_reset(arena);
        }
        text_clear(&packet);
    }
}

/* Hand-made packets */

static int add_bytes(void *arg, const char *bytes, size_t size)
{
    text_add_bytes(arg, bytes, size);
    return 0;
}

static void say(msgpack_packer *packer, const char *text)
{
    msgpack_pack_str(packer, strlen(text));
    msgpack_pack_str_body(packer, text, strlen(text));
}

static void
begin(msgpack_packer *packer, struct text *out, size_t fields, uint64_t type)
{
    msgpack_packer_init(packer, out, add_bytes);
    msgpack_pack_map(packer, fields + 1);
    say(packer, "type");
    msgpack_pack_uint64(packer, type);
}

static void refuses(struct text *packet, const char *why)
{
    const struct message *kind;
    union any_message message;
    struct err err;

    assert_int_equal(
        codec_unpack(&kind, &message, packet->bytes, packet->length, arena, &err), -1);
    assert_string_equal(err.text, why);
    assert_int_equal(err.code, ERR_INPUT);
    text_clear(packet);
    arena_reset(arena);
}

static void a_missing_field_is_named(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 1, MSG_LEASE_TAKEN);
    say(&packer, "run_id");
    msgpack_pack_uint64(&packer, 7);
    refuses(&packet, "message lease_taken: field rank is missing");
}

static void a_wrong_type_names_message_and_field(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 1, MSG_HEARTBEAT);
    say(&packer, "run_id");
    msgpack_pack_int64(&packer, -1);
    refuses(&packet, "message heartbeat: field run_id must be a number");
}

static void a_field_that_comes_twice_is_refused(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 2, MSG_HEARTBEAT);
    for (int i = 0; i < 2; i++) {
        say(&packer, "run_id");
        msgpack_pack_uint64(&packer, 7);
    }
    refuses(&packet, "message heartbeat: field run_id comes twice");
}

static void a_text_with_a_nul_is_refused(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 1, MSG_OK);
    say(&packer, "text");
    msgpack_pack_str(&packer, 3);
    msgpack_pack_str_body(&packer, "a\0b", 3);
    refuses(&packet, "message ok: field text must be a text without NUL");
}

static void an_unknown_number_is_refused(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    begin(&packer, &packet, 0, 9999);
    refuses(&packet, "no message has type 9999");
}

static void what_is_no_message_is_refused(void **ctx)
{
    struct text packet = {0};

    (void)ctx;
    text_add_bytes(&packet, "\x93\x01\x02\x03", 4);
    refuses(&packet, "the packet holds no message");
    text_add_bytes(&packet, "\x81\xa1x\x01", 4);
    refuses(&packet, "the message does not begin with its type");
}

static void what_a_newer_program_adds_is_skipped(void **ctx)
{
    struct text packet = {0};
    msgpack_packer packer;
    const struct message *kind;
    union any_message message;
    struct err err;

    (void)ctx;
    begin(&packer, &packet, 3, MSG_HEARTBEAT);
    say(&packer, "later");
    msgpack_pack_array(&packer, 2);
    msgpack_pack_nil(&packer);
    msgpack_pack_map(&packer, 1);
    say(&packer, "deep");
    msgpack_pack_double(&packer, 1.5);
    say(&packer, "run_id");
    msgpack_pack_uint64(&packer, 7);
    msgpack_pack_uint64(&packer, 3); /* a key need not be a text */
    msgpack_pack_true(&packer);
    assert_int_equal(
        codec_unpack(&kind, &message, packet.bytes, packet.length, arena, &err), 0);
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
    say(&packer, "job_id");
    msgpack_pack_uint64(&packer, 7);
    assert_int_equal(
        codec_unpack(&kind, &message, packet.bytes, packet.length, arena, &err), 0);
    assert_false(message.cancel.now);
    text_clear(&packet);
}

/* What another program's library makes of a number, a text, a list: byte for byte. */
static void values_are_packed_as_the_library_does(void **ctx)
{
    static const size_t sizes[] = {0, 1, 15, 16, 31, 32, 255, 256, 65535, 65536};
    struct text ours = {0}, theirs = {0};
    char *long_text = xcalloc(1, 65537);
    msgpack_packer packer;

    (void)ctx;
    msgpack_packer_init(&packer, &theirs, add_bytes);
    for (unsigned bit = 0; bit < 64; bit++)
        for (int step = -1; step <= 1; step++) {
            uint64_t value = (1ull << bit) + (uint64_t)(int64_t)step;

            pack_u64(&ours, value);
            msgpack_pack_uint64(&packer, value);
            pack_i64(&ours, (int64_t)(0 - value));
            msgpack_pack_int64(&packer, (int64_t)(0 - value));
            pack_f64(&ours, (double)value / 3);
            msgpack_pack_double(&packer, (double)value / 3);
        }
    for (size_t i = 0; i < COUNT(sizes); i++) {
        memset(long_text, 'x', sizes[i]);
        long_text[sizes[i]] = '\0';
        pack_text(&ours, long_text);
        say(&packer, long_text);
        pack_bytes(&ours, long_text, sizes[i]);
        msgpack_pack_bin(&packer, sizes[i]);
        msgpack_pack_bin_body(&packer, long_text, sizes[i]);
        pack_array(&ours, sizes[i]);
        msgpack_pack_array(&packer, sizes[i]);
        pack_map(&ours, sizes[i]);
        msgpack_pack_map(&packer, sizes[i]);
    }
    pack_bool(&ours, true);
    msgpack_pack_true(&packer);
    pack_bool(&ours, false);
    msgpack_pack_false(&packer);
    assert_int_equal(ours.length, theirs.length);
    assert_memory_equal(ours.bytes, theirs.bytes, ours.length);
    text_clear(&ours);
    text_clear(&theirs);
    free(long_text);
}

/* The borders of all number formats, from the library's packer through our reader. */
static void the_librarys_values_are_read(void **ctx)
{
    static const int64_t values[] = {
        0,         127,           128,           255,          256,
        65535,     65536,         1ll << 32,     -1,           -32,
        -33,       -128,          -129,          -32768,       -32769,
        INT64_MIN, -2147483648ll, -2147483649ll, 4294967295ll, INT64_MAX,
    };
    struct text packet = {0};
    msgpack_packer packer;

    (void)ctx;
    msgpack_packer_init(&packer, &packet, add_bytes);
    for (size_t i = 0; i < COUNT(values); i++) {
        msgpack_pack_int64(&packer, values[i]);
        msgpack_pack_fix_int64(&packer, values[i]);
    }
    msgpack_pack_float(&packer, 0.25f);
    struct cursor cursor = {(const uint8_t *)packet.bytes};
    for (size_t i = 0; i < 2 * COUNT(values); i++) {
        struct value value = cursor_take(&cursor);

        assert_int_equal(value.type, values[i / 2] < 0 ? VALUE_NEGATIVE : VALUE_U64);
        assert_true(value.i64 == values[i / 2]);
    }
    struct value value = cursor_take(&cursor);
    assert_int_equal(value.type, VALUE_F64);
    assert_true(value.f64 == 0.25);
    assert_ptr_equal(cursor.at, packet.bytes + packet.length);
    text_clear(&packet);
}

static void no_two_messages_share_number_or_name(void **ctx)
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

static void words_come_back_as_their_values(void **ctx)
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
        cmocka_unit_test(every_message_comes_back_as_it_was),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused_or_read),
        cmocka_unit_test(a_missing_field_is_named),
        cmocka_unit_test(a_wrong_type_names_message_and_field),
        cmocka_unit_test(a_field_that_comes_twice_is_refused),
        cmocka_unit_test(a_text_with_a_nul_is_refused),
        cmocka_unit_test(an_unknown_number_is_refused),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(what_a_newer_program_adds_is_skipped),
        cmocka_unit_test(an_optional_field_may_be_missing),
        cmocka_unit_test(values_are_packed_as_the_library_does),
        cmocka_unit_test(the_librarys_values_are_read),
        cmocka_unit_test(no_two_messages_share_number_or_name),
        cmocka_unit_test(words_come_back_as_their_values),
    };

    arena = arena_create(4096);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_destroy(arena);
    return failed;
}
