#include "parsers/view_file/view_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "parsers/view_file/view_timeline.h"
#include "tests/support/unit.h"

#define SAMPLE "../../tests/viewer/golden/mix.bin"

static struct view_file *open_sample(void)
{
    struct view_file *file;
    struct err err;

    assert_int_equal(view_file_open(&file, SAMPLE, "/mix.bin", &err), 0);
    return file;
}

static void close_sample(struct view_file *file)
{
    view_timeline_drop(file);
    view_file_close(file);
}

static void blocks_are_found_without_reading_them(void **ctx)
{
    struct view_file *file = open_sample();
    const struct view_block *source;
    struct text text = {0};
    struct err err;

    (void)ctx;
    assert_int_equal(file->count, 11);
    assert_string_equal(file->problem, "");
    assert_int_equal(view_block_find(file, BIN_TRACE)->size, 3412);
    assert_null(view_block_find(file, BIN_STALLS));
    assert_int_equal(view_block_find(file, BIN_INSTRUCTIONS)->version, 0);
    source = view_block_source(file, "/data/mix/ops/matmul_custom_kernel.c");
    assert_int_equal(view_block_read(file, source, 1 << 20, &text, &err), 0);
    assert_int_equal(text.length, 10890);
    assert_int_equal(view_block_read(file, source, 10889, &text, &err), -1);
    assert_string_equal(err.text,
                        "the block 'code' has 10890 bytes, the limit is 10889");
    assert_null(view_block_source(file, "/other.c"));
    text_clear(&text);
    close_sample(file);
}

static void one_element_of_a_block_is_read(void **ctx)
{
    struct arena *arena = arena_create(4096);
    struct view_file *file = open_sample();
    const struct view_block *block = view_block_find(file, BIN_MEMORY_TABLE);
    const struct json_node *element;
    struct err err;

    (void)ctx;
    assert_int_equal(view_block_element(&element, file, block, "table_per_block",
                                        "block_id", "1", arena, &err),
                     0);
    assert_string_equal(view_scalar(json_tree_get(element, "block_id")), "1");
    assert_string_equal(
        view_scalar(json_tree_get(
            json_tree_at(json_tree_get(element, "table_detail"), 0), "table_name")),
        "Cache");
    assert_int_equal(view_block_element(&element, file, block, "table_per_block",
                                        "block_id", "2", arena, &err),
                     0);
    assert_null(element);
    assert_int_equal(
        view_block_element(&element, file, block, "other", "x", "2", arena, &err), -1);
    assert_string_equal(err.text, "the block has no list 'other'");
    assert_int_equal(view_block_member(&element, file, block, "x", arena, &err), 0);
    assert_null(element);
    arena_destroy(arena);
    close_sample(file);
}

static void a_dropped_timeline_is_read_again_with_the_same_ids(void **ctx)
{
    struct view_file *file = open_sample();
    const struct trace_index *index;
    struct trace_slice before[13];
    struct err err;

    (void)ctx;
    assert_int_equal(view_timeline_state(file), VIEW_TIMELINE_UNREAD);
    assert_int_equal(view_timeline_get(&index, file, &err), 0);
    assert_int_equal(index->slice_count, 13);
    assert_true(view_timeline_bytes(file) > sizeof(before));
    memcpy(before, index->slices, sizeof(before));
    view_timeline_drop(file);
    assert_int_equal(view_timeline_bytes(file), 0);
    assert_int_equal(view_timeline_get(&index, file, &err), 0);
    assert_int_equal(index->slice_count, 13);
    assert_memory_equal(index->slices, before, sizeof(before));
    close_sample(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_without_reading_them),
        cmocka_unit_test(one_element_of_a_block_is_read),
        cmocka_unit_test(a_dropped_timeline_is_read_again_with_the_same_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
