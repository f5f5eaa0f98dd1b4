#include "coordinator/ledger/task_queue.h"

#include "tests/support/unit.h"

static void lower_places_go_first(void **ctx)
{
    struct waiting a = {.place = 2, .card = -1}, b = {.place = 1, .card = -1},
                   c = {.place = 3, .card = -1};
    struct task_queue *queue = task_queue_create();

    (void)ctx;
    assert_null(task_queue_first(queue, 0));
    task_queue_push(queue, &a);
    task_queue_push(queue, &b);
    task_queue_push(queue, &c);
    assert_ptr_equal(task_queue_first(queue, 0), &b);
    task_queue_remove(queue, &b);
    assert_ptr_equal(task_queue_first(queue, 7), &a);
    task_queue_remove(queue, &c);
    task_queue_push(queue, &b);
    assert_ptr_equal(task_queue_first(queue, 0), &b);
    task_queue_destroy(queue);
}

static void a_task_for_a_card_waits_for_that_card(void **ctx)
{
    struct waiting own = {.place = 1, .card = 3}, any = {.place = 2, .card = -1};
    struct task_queue *queue = task_queue_create();

    (void)ctx;
    task_queue_push(queue, &own);
    assert_null(task_queue_first(queue, 2));
    task_queue_push(queue, &any);
    assert_ptr_equal(task_queue_first(queue, 2), &any);
    assert_ptr_equal(task_queue_first(queue, 3), &own);
    task_queue_remove(queue, &own);
    assert_ptr_equal(task_queue_first(queue, 3), &any);
    task_queue_destroy(queue);
}

static void the_end_stays_right_when_the_last_leaves(void **ctx)
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
    assert_ptr_equal(task_queue_first(queue, 0), &c);
    task_queue_remove(queue, &c);
    assert_null(task_queue_first(queue, 0));
    task_queue_push(queue, &b);
    assert_ptr_equal(task_queue_first(queue, 0), &b);
    task_queue_destroy(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_places_go_first),
        cmocka_unit_test(a_task_for_a_card_waits_for_that_card),
        cmocka_unit_test(the_end_stays_right_when_the_last_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
