#include "worker/lease/waiting_lease.h"

#include <string.h>

#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static void it_waits_whole_when_its_message_has_gone(void **ctx)
{
    char program[] = "sim/bin/add_custom", word[] = "--n";
    const char *command[] = {program, word};
    struct msg_lease lease = {
        .run_id = 7, .job_name = "job", .command = {command, 2}, .warmup = 3};
    struct waiting_lease *next = waiting_lease_create();
    const struct msg_lease *taken;

    (void)ctx;
    waiting_lease_put(next, &lease);
    memset(program, 'x', sizeof(program) - 1);
    memset(word, 'x', sizeof(word) - 1);
    assert_int_equal(waiting_lease_run_id(next), 7);
    taken = waiting_lease_take(next);
    assert_non_null(taken);
    assert_int_equal(taken->run_id, 7);
    assert_int_equal(taken->warmup, 3);
    assert_int_equal(taken->command.count, 2);
    assert_string_equal(taken->command.items[0], "sim/bin/add_custom");
    assert_string_equal(taken->command.items[1], "--n");
    waiting_lease_destroy(next);
}

static void it_is_taken_once_or_dropped(void **ctx)
{
    struct msg_lease lease = {.run_id = 7};
    struct waiting_lease *next = waiting_lease_create();

    (void)ctx;
    assert_null(waiting_lease_take(next));
    waiting_lease_put(next, &lease);
    assert_non_null(waiting_lease_take(next));
    assert_null(waiting_lease_take(next));
    waiting_lease_put(next, &lease);
    waiting_lease_drop(next);
    assert_int_equal(waiting_lease_run_id(next), 0);
    assert_null(waiting_lease_take(next));
    waiting_lease_destroy(next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_waits_whole_when_its_message_has_gone),
        cmocka_unit_test(it_is_taken_once_or_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
