#include "worker/lease/lease_queue.h"

#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static bool put(struct lease_queue *line, uint64_t run_id)
{
    const struct msg_lease lease = {.run_id = run_id};

    return lease_queue_put(line, &lease);
}

static uint64_t take(struct lease_queue *line)
{
    const struct msg_lease *lease = lease_queue_take(line);

    return lease ? lease->run_id : 0;
}

static void who_came_first_goes_first(void **ctx)
{
    struct lease_queue *line = lease_queue_create();

    (void)ctx;
    assert_int_equal(take(line), 0);
    for (uint64_t round = 0; round < 3; round++) { /* places are used again */
        for (uint64_t id = 1; id <= LEASE_QUEUE_MAX; id++)
            assert_true(put(line, id));
        assert_false(put(line, 99));
        for (uint64_t id = 1; id <= LEASE_QUEUE_MAX; id++) {
            assert_true(lease_queue_has(line, id));
            assert_int_equal(take(line), id);
            assert_false(lease_queue_has(line, id));
        }
        assert_int_equal(take(line), 0);
    }
    lease_queue_destroy(line);
}

static void one_may_leave_from_anywhere(void **ctx)
{
    struct lease_queue *line = lease_queue_create();

    (void)ctx;
    for (uint64_t id = 1; id <= 4; id++)
        assert_true(put(line, id));
    assert_true(lease_queue_drop(line, 2));
    assert_false(lease_queue_drop(line, 2));
    assert_true(put(line, 5));
    assert_true(lease_queue_drop(line, 5));
    assert_int_equal(take(line), 1);
    assert_int_equal(take(line), 3);
    lease_queue_drop_all(line);
    assert_int_equal(take(line), 0);
    assert_false(lease_queue_has(line, 4));
    lease_queue_destroy(line);
    lease_queue_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_came_first_goes_first),
        cmocka_unit_test(one_may_leave_from_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
