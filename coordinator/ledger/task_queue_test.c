#include "coordinator/ledger/task_queue.h"

#include "tests/support/unit.h"

static struct waiting *first(const struct task_queue *queue, int32_t card)
{
    struct task_queue_cursor *cursor = task_queue_cursor_create(queue);
    struct waiting *waiting = task_queue_cursor_first(cursor, card);

    task_queue_cursor_destroy(cursor);
    return waiting;
}

static void lower_places_are_first(void **ctx)
{
    struct waiting a = {.place = 2, .card = -1}, b = {.place = 1, .card = -1},
                   c = {.place = 3, .card = -1};
    struct task_queue *queue = task_queue_create();

    (void)ctx;
    assert_null(first(queue, 0));
    task_queue_push(queue, &a);
    task_queue_push(queue, &b);
    task_queue_push(queue, &c);
    assert_ptr_equal(first(queue, 0), &b);
    task_queue_remove(queue, &b);
    assert_ptr_equal(first(queue, 7), &a);
    task_queue_remove(queue, &c);
    task_queue_push(queue, &b);
    assert_ptr_equal(first(queue, 0), &b);
    task_queue_destroy(queue);
}

static void a_task_for_one_card_is_returned_for_that_card_only(void **ctx)
{
    struct waiting own = {.place = 1, .card = 3}, any = {.place = 2, .card = -1};
    struct task_queue *queue = task_queue_create();

    (void)ctx;
    task_queue_push(queue, &own);
    assert_null(first(queue, 2));
    task_queue_push(queue, &any);
    assert_ptr_equal(first(queue, 2), &any);
    assert_ptr_equal(first(queue, 3), &own);
    task_queue_remove(queue, &own);
    assert_ptr_equal(first(queue, 3), &any);
    task_queue_destroy(queue);
}

static void a_task_is_appended_after_the_last_one_was_removed(void **ctx)
{
    struct waiting a = {.place = 1, .card = 0}, b = {.place = 2, .card = 0},
                   c = {.place = 3, .card = 0};
    struct task_queue *queue = task_queue_create();

    (void)ctx;
    task_queue_push(queue, &a);
    task_queue_push(queue, &b);
    task_queue_remove(queue, &b);
    task_queue_push(queue, &c);
    task_queue_remove(queue, &a);
    assert_ptr_equal(first(queue, 0), &c);
    task_queue_remove(queue, &c);
    assert_null(first(queue, 0));
    task_queue_push(queue, &b);
    assert_ptr_equal(first(queue, 0), &b);
    task_queue_destroy(queue);
}

static void a_cursor_steps_through_both_lines_and_leaves_the_queue_unchanged(void **ctx)
{
    struct waiting a = {.place = 1, .card = 3}, b = {.place = 2, .card = -1},
                   c = {.place = 3, .card = 3};
    struct task_queue *queue = task_queue_create();

    (void)ctx;
    task_queue_push(queue, &a);
    task_queue_push(queue, &b);
    task_queue_push(queue, &c);
    struct task_queue_cursor *cursor = task_queue_cursor_create(queue);
    struct waiting *const wanted[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(task_queue_cursor_first(cursor, 3), wanted[i]);
        task_queue_cursor_skip(cursor, wanted[i]);
    }
    assert_null(task_queue_cursor_first(cursor, 3));
    assert_ptr_equal(first(queue, 3), &a);
    task_queue_cursor_destroy(cursor);
    task_queue_destroy(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_places_are_first),
        cmocka_unit_test(a_task_for_one_card_is_returned_for_that_card_only),
        cmocka_unit_test(a_task_is_appended_after_the_last_one_was_removed),
        cmocka_unit_test(
            a_cursor_steps_through_both_lines_and_leaves_the_queue_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
