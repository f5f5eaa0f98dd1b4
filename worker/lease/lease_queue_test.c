#include "worker/lease/lease_queue.h"

#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static bool put(struct lease_queue *queue, uint64_t run_id)
{
    const struct msg_lease lease = {.run_id = run_id};

    return lease_queue_put(queue, &lease);
}

static uint64_t take(struct lease_queue *queue)
{
    const struct msg_lease *lease = lease_queue_take(queue);

    return lease ? lease->run_id : 0;
}

static void leases_leave_in_the_order_of_arrival(void **ctx)
{
    struct lease_queue *queue = lease_queue_create();

    (void)ctx;
    assert_int_equal(take(queue), 0);
    for (uint64_t round = 0; round < 3; round++) { /* slots are reused */
        for (uint64_t id = 1; id <= LEASE_QUEUE_MAX; id++)
            assert_true(put(queue, id));
        assert_false(put(queue, 99));
        for (uint64_t id = 1; id <= LEASE_QUEUE_MAX; id++) {
            assert_true(lease_queue_has(queue, id));
            assert_int_equal(take(queue), id);
            assert_false(lease_queue_has(queue, id));
        }
        assert_int_equal(take(queue), 0);
    }
    lease_queue_destroy(queue);
}

static void a_lease_can_be_dropped_from_any_position(void **ctx)
{
    struct lease_queue *queue = lease_queue_create();

    (void)ctx;
    for (uint64_t id = 1; id <= 4; id++)
        assert_true(put(queue, id));
    assert_true(lease_queue_drop(queue, 2));
    assert_false(lease_queue_drop(queue, 2));
    assert_true(put(queue, 5));
    assert_true(lease_queue_drop(queue, 5));
    assert_int_equal(take(queue), 1);
    assert_int_equal(take(queue), 3);
    lease_queue_drop_all(queue);
    assert_int_equal(take(queue), 0);
    assert_false(lease_queue_has(queue, 4));
    lease_queue_destroy(queue);
    lease_queue_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leases_leave_in_the_order_of_arrival),
        cmocka_unit_test(a_lease_can_be_dropped_from_any_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
