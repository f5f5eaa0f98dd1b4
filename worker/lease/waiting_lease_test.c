#include "worker/lease/waiting_lease.h"

#include <string.h>

#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static void a_lease_outlives_the_message_that_brought_it(void **ctx)
{
    char program[] = "sim/bin/add_custom", word[] = "--n";
    const char *command[] = {program, word};
    struct msg_lease lease = {
        .run_id = 7, .job_name = "job", .command = {command, 2}, .warmup = 3};
    struct waiting_lease *slot = waiting_lease_create();
    const struct msg_lease *taken;

    (void)ctx;
    waiting_lease_put(slot, &lease);
    memset(program, 'x', sizeof(program) - 1);
    memset(word, 'x', sizeof(word) - 1);
    assert_int_equal(waiting_lease_run_id(slot), 7);
    taken = waiting_lease_take(slot);
    assert_non_null(taken);
    assert_int_equal(taken->run_id, 7);
    assert_int_equal(taken->warmup, 3);
    assert_int_equal(taken->command.count, 2);
    assert_string_equal(taken->command.items[0], "sim/bin/add_custom");
    assert_string_equal(taken->command.items[1], "--n");
    waiting_lease_destroy(slot);
}

static void a_lease_is_taken_once_or_dropped(void **ctx)
{
    struct msg_lease lease = {.run_id = 7};
    struct waiting_lease *slot = waiting_lease_create();

    (void)ctx;
    assert_null(waiting_lease_take(slot));
    waiting_lease_put(slot, &lease);
    assert_non_null(waiting_lease_take(slot));
    assert_null(waiting_lease_take(slot));
    waiting_lease_put(slot, &lease);
    waiting_lease_drop(slot);
    assert_int_equal(waiting_lease_run_id(slot), 0);
    assert_null(waiting_lease_take(slot));
    waiting_lease_destroy(slot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lease_outlives_the_message_that_brought_it),
        cmocka_unit_test(a_lease_is_taken_once_or_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
