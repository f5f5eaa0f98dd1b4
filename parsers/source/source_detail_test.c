#include "parsers/source/source_detail.h"

#include <string.h>

#include "parsers/source/source_launches.h"
#include "tests/support/unit.h"

static struct record_file_piece piece_of(uint64_t offset, uint32_t bytes)
{
    struct record_file_piece head = {.launch = 1, .offset = offset, .bytes = bytes};

    memcpy(head.name, "bbcount", 8);
    return head;
}

static struct record_kernel_binary
binary_piece(uint64_t offset, uint32_t bytes, uint64_t total)
{
    return (struct record_kernel_binary){
        .hash = 42, .offset = offset, .bytes = bytes, .total = total};
}

static void pieces_are_joined_by_their_offsets(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct record_file_piece first = piece_of(0, 4), second = piece_of(4, 2);

    (void)ctx;
    source_add_piece(launch, 7, &first, (const uint8_t *)"abcd");
    source_add_piece(launch, 8, &second, (const uint8_t *)"ef");
    assert_string_equal(text_get(&launch->block_counts), "abcdef");
    assert_int_equal(launch->notes.count, 0);
    source_destroy(source);
}

static void a_gap_between_pieces_is_reported_with_its_block(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct record_file_piece late = piece_of(4, 2);

    (void)ctx;
    source_add_piece(launch, 8, &late, (const uint8_t *)"ef");
    assert_int_equal(launch->block_counts.length, 0);
    assert_int_equal(launch->notes.count, 1);
    assert_int_equal(launch->notes.notes[0].block, 8);
    assert_non_null(strstr(launch->notes.notes[0].text, "bytes 0 to 4 are missing"));
    source_destroy(source);
}

/* A refused piece is not read, so the test needs no bytes for it. */
static void a_part_above_the_limit_is_not_reported_as_a_gap(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct record_file_piece large = piece_of(0, 200 << 20);

    (void)ctx;
    source_add_piece(launch, 7, &large, NULL);
    assert_int_equal(launch->notes.count, 1);
    assert_non_null(strstr(launch->notes.notes[0].text, "more than 104857664 bytes"));
    source_destroy(source);
}

static void a_binary_recorded_twice_is_stored_once(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct record_kernel_binary head = binary_piece(0, 4, 4);

    (void)ctx;
    launch->binary_hash = 42;
    source_add_binary_piece(source, 1, &head, (const uint8_t *)"\177ELF");
    source_add_binary_piece(source, 2, &head, (const uint8_t *)"\177ELF");
    source_link_binaries(source);
    assert_non_null(launch->binary);
    assert_int_equal(launch->binary->length, 4);
    assert_int_equal(source->notes.count + launch->notes.count, 0);
    source_destroy(source);
}

static void an_incomplete_binary_is_reported_and_not_used(void **ctx)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct record_kernel_binary head = binary_piece(0, 4, 8);

    (void)ctx;
    launch->binary_hash = 42;
    source_add_binary_piece(source, 1, &head, (const uint8_t *)"\177ELF");
    source_link_binaries(source);
    assert_null(launch->binary);
    assert_int_equal(launch->notes.count, 1);
    assert_non_null(strstr(launch->notes.notes[0].text, "is not complete"));
    source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_joined_by_their_offsets),
        cmocka_unit_test(a_gap_between_pieces_is_reported_with_its_block),
        cmocka_unit_test(a_part_above_the_limit_is_not_reported_as_a_gap),
        cmocka_unit_test(a_binary_recorded_twice_is_stored_once),
        cmocka_unit_test(an_incomplete_binary_is_reported_and_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
