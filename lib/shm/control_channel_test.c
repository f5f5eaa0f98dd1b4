#include "lib/shm/control_channel.h"

#include <string.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void a_message_arrives_with_its_descriptors(void **ctx)
{
    union control_message sent, got;
    int ends[2], fds[CONTROL_FDS_MAX], pipe_ends[2];
    char byte = 0;

    (void)ctx;
    assert_int_equal(control_pair(ends), 0);
    assert_int_equal(pipe(pipe_ends), 0);
    control_message_init(&sent, CONTROL_HELLO);
    strcpy(sent.hello.program, "add_custom");
    sent.hello.pid = 17;
    assert_int_equal(control_send(ends[0], &sent, pipe_ends, 2), 0);

    assert_true(control_wait(ends[1], 1000));
    ssize_t received = control_receive(ends[1], &got, fds);
    assert_true(control_message_fits(&got, (size_t)received, CONTROL_HELLO));
    assert_int_equal(got.hello.pid, 17);
    assert_string_equal(got.hello.program, "add_custom");
    assert_int_equal(write(fds[1], "x", 1), 1);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    assert_int_equal(byte, 'x');

    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        close(fds[i]);
        close(pipe_ends[i]);
    }
}

static void a_closed_peer_reads_as_the_end(void **ctx)
{
    union control_message got;
    int ends[2], fds[CONTROL_FDS_MAX];

    (void)ctx;
    assert_int_equal(control_pair(ends), 0);
    close(ends[0]);
    assert_true(control_wait(ends[1], 1000));
    assert_int_equal(control_receive(ends[1], &got, fds), 0);
    close(ends[1]);
}

static void receive_without_a_message_fails_at_once(void **ctx)
{
    union control_message got;
    int ends[2], fds[CONTROL_FDS_MAX];

    (void)ctx;
    assert_int_equal(control_pair(ends), 0);
    assert_false(control_wait(ends[1], 0));
    assert_int_equal(control_receive(ends[1], &got, fds), -1);
    close(ends[0]);
    close(ends[1]);
}

static void every_prefix_of_a_message_is_refused(void **ctx)
{
    (void)ctx;
    for (int kind = CONTROL_HELLO; kind < CONTROL_KIND_END; kind++) {
        union control_message message;

        control_message_init(&message, (enum control_kind)kind);
        if (kind == CONTROL_CONFIG)
            message.config.ring_lanes = 1;
        for (size_t size = 0; size < message.head.size; size++)
            assert_false(control_message_fits(&message, size, (enum control_kind)kind));
        assert_true(
            control_message_fits(&message, message.head.size, (enum control_kind)kind));
    }
}

static void counts_out_of_range_are_refused(void **ctx)
{
    union control_message m;

    (void)ctx;
    control_message_init(&m, CONTROL_DECISION);
    m.decision.pass_count = CONTROL_PASSES_MAX;
    assert_true(control_message_fits(&m, sizeof(m.decision), CONTROL_DECISION));
    m.decision.pass[3].event_count = CONTROL_EVENTS_MAX + 1;
    assert_false(control_message_fits(&m, sizeof(m.decision), CONTROL_DECISION));
    m.decision.pass[3].event_count = 0;
    m.decision.pass_count = CONTROL_PASSES_MAX + 1;
    assert_false(control_message_fits(&m, sizeof(m.decision), CONTROL_DECISION));
    control_message_init(&m, CONTROL_CONFIG);
    assert_false(control_message_fits(&m, sizeof(m.config), CONTROL_CONFIG));
    m.config.ring_lanes = RING_LANES_MAX;
    assert_true(control_message_fits(&m, sizeof(m.config), CONTROL_CONFIG));
    m.config.ring_lanes++;
    assert_false(control_message_fits(&m, sizeof(m.config), CONTROL_CONFIG));
}

static void another_kind_or_version_is_refused(void **ctx)
{
    union control_message m;

    (void)ctx;
    control_message_init(&m, CONTROL_HELLO);
    assert_false(control_message_fits(&m, sizeof(m.hello), CONTROL_CONFIG));
    m.head.version++;
    assert_false(control_message_fits(&m, sizeof(m.hello), CONTROL_HELLO));
    m.head.version--;
    m.head.magic ^= 1;
    assert_false(control_message_fits(&m, sizeof(m.hello), CONTROL_HELLO));
}

static void a_text_without_a_null_byte_is_terminated(void **ctx)
{
    union control_message m;

    (void)ctx;
    control_message_init(&m, CONTROL_PREPARE);
    memset(m.prepare.kernel, 'k', sizeof(m.prepare.kernel));
    assert_true(control_message_fits(&m, sizeof(m.prepare), CONTROL_PREPARE));
    assert_int_equal(strlen(m.prepare.kernel), sizeof(m.prepare.kernel) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_with_its_descriptors),
        cmocka_unit_test(a_closed_peer_reads_as_the_end),
        cmocka_unit_test(receive_without_a_message_fails_at_once),
        cmocka_unit_test(every_prefix_of_a_message_is_refused),
        cmocka_unit_test(counts_out_of_range_are_refused),
        cmocka_unit_test(another_kind_or_version_is_refused),
        cmocka_unit_test(a_text_without_a_null_byte_is_terminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
