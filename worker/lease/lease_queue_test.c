#include "worker/lease/lease_queue.h"

#include <stdlib.h>
#include <string.h>

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

/* Leases of 1 MiB: at most 17 wait, and only the last one keeps its memory. */
static void large_leases_are_limited_by_their_bytes(void **ctx)
{
    enum { BYTES = 1 << 20 };
    struct lease_queue *queue = lease_queue_create();
    char *word = malloc(BYTES + 1);
    const char *words[] = {word};
    const struct msg_lease lease = {.run_id = 7, .command = {words, 1}};

    (void)ctx;
    memset(word, 'x', BYTES);
    word[BYTES] = '\0';
    for (int round = 0; round < 20; round++) {
        size_t waiting = 0;

        while (lease_queue_put(queue, &lease))
            waiting++;
        assert_in_range(waiting, 2, LEASE_QUEUE_BYTES / BYTES);
        assert_in_range(lease_queue_bytes(queue), LEASE_QUEUE_BYTES,
                        LEASE_QUEUE_BYTES + 4 * BYTES);
        while (waiting-- > 0) {
            const struct msg_lease *taken = lease_queue_take(queue);

            assert_int_equal(strlen(taken->command.items[0]), BYTES);
        }
        assert_true(lease_queue_bytes(queue) <= 4 * BYTES);
    }
    assert_true(put(queue, 1));
    assert_int_equal(take(queue), 1);
    free(word);
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
        cmocka_unit_test(large_leases_are_limited_by_their_bytes),
        cmocka_unit_test(a_lease_can_be_dropped_from_any_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
