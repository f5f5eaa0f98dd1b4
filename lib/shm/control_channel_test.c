#include "lib/shm/control_channel.h"

#include <string.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void a_message_arrives_with_its_descriptors(void **ctx)
{
    union channel_message sent, got;
    int ends[2], fds[CHANNEL_FDS_MAX], pipe_ends[2];
    char byte = 0;

    (void)ctx;
    assert_int_equal(channel_pair(ends), 0);
    assert_int_equal(pipe(pipe_ends), 0);
    channel_message_init(&sent, CHANNEL_HELLO);
    strcpy(sent.hello.program, "add_custom");
    sent.hello.pid = 17;
    assert_int_equal(channel_send(ends[0], &sent, pipe_ends, 2), 0);

    assert_true(channel_wait(ends[1], 1000));
    ssize_t received = channel_receive(ends[1], &got, fds);
    assert_true(channel_message_fits(&got, (size_t)received, CHANNEL_HELLO));
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

static void an_end_that_has_gone_reads_as_the_end(void **ctx)
{
    union channel_message got;
    int ends[2], fds[CHANNEL_FDS_MAX];

    (void)ctx;
    assert_int_equal(channel_pair(ends), 0);
    close(ends[0]);
    assert_true(channel_wait(ends[1], 1000));
    assert_int_equal(channel_receive(ends[1], &got, fds), 0);
    close(ends[1]);
}

static void nothing_to_receive_is_told_at_once(void **ctx)
{
    union channel_message got;
    int ends[2], fds[CHANNEL_FDS_MAX];

    (void)ctx;
    assert_int_equal(channel_pair(ends), 0);
    assert_false(channel_wait(ends[1], 0));
    assert_int_equal(channel_receive(ends[1], &got, fds), -1);
    close(ends[0]);
    close(ends[1]);
}

static void every_prefix_of_a_message_is_refused(void **ctx)
{
    (void)ctx;
    for (int kind = CHANNEL_HELLO; kind < CHANNEL_KIND_END; kind++) {
        union channel_message message;

        channel_message_init(&message, (enum channel_kind)kind);
        for (size_t size = 0; size < message.head.size; size++)
            assert_false(channel_message_fits(&message, size, (enum channel_kind)kind));
        assert_true(
            channel_message_fits(&message, message.head.size, (enum channel_kind)kind));
    }
}

static void counts_out_of_range_are_refused(void **ctx)
{
    union channel_message m;

    (void)ctx;
    channel_message_init(&m, CHANNEL_DECISION);
    m.decision.pass_count = CHANNEL_PASSES_MAX;
    assert_true(channel_message_fits(&m, sizeof(m.decision), CHANNEL_DECISION));
    m.decision.pass[3].event_count = CHANNEL_EVENTS_MAX + 1;
    assert_false(channel_message_fits(&m, sizeof(m.decision), CHANNEL_DECISION));
    m.decision.pass[3].event_count = 0;
    m.decision.pass_count = CHANNEL_PASSES_MAX + 1;
    assert_false(channel_message_fits(&m, sizeof(m.decision), CHANNEL_DECISION));
}

static void another_kind_or_version_is_refused(void **ctx)
{
    union channel_message m;

    (void)ctx;
    channel_message_init(&m, CHANNEL_HELLO);
    assert_false(channel_message_fits(&m, sizeof(m.hello), CHANNEL_CONFIG));
    m.head.version++;
    assert_false(channel_message_fits(&m, sizeof(m.hello), CHANNEL_HELLO));
    m.head.version--;
    m.head.magic ^= 1;
    assert_false(channel_message_fits(&m, sizeof(m.hello), CHANNEL_HELLO));
}

static void a_text_without_an_end_gets_one(void **ctx)
{
    union channel_message m;

    (void)ctx;
    channel_message_init(&m, CHANNEL_PREPARE);
    memset(m.prepare.kernel, 'k', sizeof(m.prepare.kernel));
    assert_true(channel_message_fits(&m, sizeof(m.prepare), CHANNEL_PREPARE));
    assert_int_equal(strlen(m.prepare.kernel), sizeof(m.prepare.kernel) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_with_its_descriptors),
        cmocka_unit_test(an_end_that_has_gone_reads_as_the_end),
        cmocka_unit_test(nothing_to_receive_is_told_at_once),
        cmocka_unit_test(every_prefix_of_a_message_is_refused),
        cmocka_unit_test(counts_out_of_range_are_refused),
        cmocka_unit_test(another_kind_or_version_is_refused),
        cmocka_unit_test(a_text_without_an_end_gets_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
