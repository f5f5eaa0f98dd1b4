#include "coordinator/workers.h"

#include "tests/support/coordinator_ground.h"

static struct worker *add(struct workers *workers, uint8_t number, uint64_t card)
{
    const struct msg_worker_hello hello = ground_hello(card);
    const struct peer peer = ground_peer(number);

    return workers_add(workers, &peer, &hello);
}

static void one_is_found_by_its_connection_and_by_its_card(void **ctx)
{
    struct workers workers = {0};
    struct worker *first = add(&workers, 1, 4), *second = add(&workers, 2, 5);
    struct peer peer = ground_peer(2), nobody = ground_peer(3);

    (void)ctx;
    assert_int_equal(workers.count, 2);
    assert_ptr_equal(workers_find(&workers, &peer), second);
    assert_null(workers_find(&workers, &nobody));
    assert_ptr_equal(workers_find_card(&workers, "here", 4), first);
    assert_null(workers_find_card(&workers, "here", 6));
    assert_null(workers_find_card(&workers, "there", 4));
    workers_clear(&workers);
    assert_int_equal(workers.count, 0);
    assert_null(workers.first);
}

static void it_keeps_what_hello_said_when_the_message_has_gone(void **ctx)
{
    char host[] = "here", model[] = "Ascend910B2";
    struct workers workers = {0};
    struct msg_worker_hello hello = ground_hello(1);
    struct peer peer = ground_peer(1);

    (void)ctx;
    hello.host = host;
    hello.model = model;
    hello.simulated = true;
    struct worker *worker = workers_add(&workers, &peer, &hello);
    host[0] = model[0] = 'x';
    assert_string_equal(worker->host, "here");
    assert_string_equal(worker->model, "Ascend910B2");
    assert_int_equal(worker->pid, hello.pid);
    assert_true(worker->simulated);
    assert_null(worker->parts);
    workers_clear(&workers);
}

static void they_stay_in_the_order_in_which_they_came(void **ctx)
{
    struct workers workers = {0};
    struct worker *first = add(&workers, 1, 1), *second = add(&workers, 2, 2);
    struct worker *third = add(&workers, 3, 3);

    (void)ctx;
    workers_remove(&workers, second);
    assert_ptr_equal(workers.first, first);
    assert_ptr_equal(first->next, third);
    assert_null(third->next);
    workers_remove(&workers, first);
    assert_ptr_equal(workers.first, third);
    assert_int_equal(workers.count, 1);
    workers_clear(&workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_found_by_its_connection_and_by_its_card),
        cmocka_unit_test(it_keeps_what_hello_said_when_the_message_has_gone),
        cmocka_unit_test(they_stay_in_the_order_in_which_they_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
