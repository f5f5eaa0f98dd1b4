#include "lib/base/arena.h"

#include <stdint.h>
#include <string.h>

#include "tests/support/unit.h"

static void allocations_are_aligned_and_do_not_overlap(void **ctx)
{
    struct arena *arena = arena_create(1024);
    unsigned char *pieces[200];

    (void)ctx;
    for (size_t i = 0; i < 200; i++) {
        pieces[i] = arena_alloc(arena, i);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        memset(pieces[i], (int)i, i);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_equal(pieces[i][j], i);
    arena_destroy(arena);
    arena_destroy(NULL);
}

static void a_reset_keeps_the_memory(void **ctx)
{
    struct arena *arena = arena_create(4096);
    size_t held = 0;

    (void)ctx;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 100; i++)
            memset(arena_alloc(arena, 1000), round, 1000);
        memset(arena_alloc(arena, 50000), round, 50000); /* larger than a block */
        if (round == 0)
            held = arena_held_bytes(arena);
        assert_int_equal(arena_held_bytes(arena), held);
        arena_reset(arena);
    }
    arena_destroy(arena);
}

static void an_empty_arena_can_be_reset(void **ctx)
{
    struct arena *arena = arena_create(0);

    (void)ctx;
    arena_reset(arena);
    assert_string_equal(arena_strdup(arena, "x"), "x");
    arena_destroy(arena);
}

static void copies_are_copies(void **ctx)
{
    struct arena *arena = arena_create(256);
    char bytes[] = "text and more";

    (void)ctx;
    char *whole = arena_strdup(arena, bytes), *part = arena_strndup(arena, bytes, 4);
    char *all = arena_strndup(arena, bytes, 1000);
    void *raw = arena_memdup(arena, bytes, sizeof(bytes));
    char *made = arena_printf(arena, "%s-%0500d", "n", 7);
    memset(bytes, 0, sizeof(bytes));
    assert_string_equal(whole, "text and more");
    assert_string_equal(part, "text");
    assert_string_equal(all, "text and more");
    assert_memory_equal(raw, "text and more", 14);
    assert_int_equal(strlen(made), 502);
    assert_non_null(arena_memdup(arena, NULL, 0));
    arena_destroy(arena);
}

static void cleared_memory_is_zero_after_a_reset_too(void **ctx)
{
    struct arena *arena = arena_create(256);
    static const char zeros[200];

    (void)ctx;
    memset(arena_alloc(arena, 200), 0xff, 200);
    arena_reset(arena);
    assert_memory_equal(arena_calloc(arena, 20, 10), zeros, 200);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_aligned_and_do_not_overlap),
        cmocka_unit_test(a_reset_keeps_the_memory),
        cmocka_unit_test(an_empty_arena_can_be_reset),
        cmocka_unit_test(copies_are_copies),
        cmocka_unit_test(cleared_memory_is_zero_after_a_reset_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
