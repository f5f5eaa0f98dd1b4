#include "worker/lease/lease_reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/reactor.h"
#include "tests/support/unit.h"
#include "worker/lease/lease_queue.h"
#include "worker/spool/result_store.h"

static struct {
    char folder[64];
    struct reactor *reactor;
    struct result_store *results;
    struct lease_queue *queue;
    struct lease_reports *reports;
    char sent[512];       /* "t7 r7": lease 7 was taken, its result was sent */
    bool refuses;         /* no message can be sent */
    uint64_t next;        /* id of the next lease */
    uint64_t unacked[64]; /* results that were sent and not acknowledged */
    size_t unacked_count;
} at;

static bool record_report(void *arg, enum message_type type, const void *message)
{
    const struct msg_lease_taken *taken = message;
    const struct msg_rank_result *result = message;
    size_t used = strlen(at.sent);

    (void)arg;
    if (at.refuses)
        return false;
    if (type == MSG_LEASE_TAKEN)
        snprintf(at.sent + used, sizeof(at.sent) - used, "t%d ", (int)taken->run_id);
    else {
        at.unacked[at.unacked_count++] = result->run_id;
        snprintf(at.sent + used, sizeof(at.sent) - used, "r%d ", (int)result->run_id);
    }
    return true;
}

static int set_up(void **ctx)
{
    struct err err;

    (void)ctx;
    memset(&at, 0, sizeof(at));
    strcpy(at.folder, "/tmp/muster-reports-XXXXXX");
    if (!mkdtemp(at.folder) || result_store_open(&at.results, at.folder, &err) < 0)
        return -1;
    at.reactor = reactor_create();
    at.queue = lease_queue_create();
    at.reports =
        lease_reports_create(at.reactor, at.results, at.queue, record_report, NULL);
    at.next = 1;
    return 0;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    lease_reports_destroy(at.reports);
    lease_queue_destroy(at.queue);
    result_store_close(at.results);
    reactor_destroy(at.reactor);
    return folder_remove(at.folder, &err);
}

/* Acknowledges all results, so that none is due again on a slow machine. */
static void ack(void)
{
    while (at.unacked_count > 0)
        assert_true(result_store_ack(at.results, at.unacked[--at.unacked_count], 0));
}

static void fill_queue(int count)
{
    for (; count > 0; count--) {
        const struct msg_lease lease = {.run_id = at.next++};

        assert_true(lease_queue_put(at.queue, &lease));
    }
}

static uint64_t take_next(void)
{
    uint64_t run_id = lease_queue_take(at.queue)->run_id;

    lease_reports_taken(at.reports, run_id, 0);
    ack();
    return run_id;
}

static void end(uint64_t run_id)
{
    const struct msg_rank_result result = {.run_id = run_id, .status = "done"};

    result_store_add(at.results, &result);
    lease_reports_results(at.reports);
    ack();
}

static void stop(void *arg)
{
    reactor_stop(arg);
}

/* Runs the loop for 20 ms, longer than the delay of a report. */
static void run_past_delay(void)
{
    struct err err;

    reactor_once(at.reactor, 20, stop, at.reactor);
    assert_int_equal(reactor_run(at.reactor, &err), 0);
    ack();
}

static void a_short_queue_reports_at_once(void **ctx)
{
    (void)ctx;
    fill_queue(2);
    end(take_next());
    take_next();
    assert_string_equal(at.sent, "t1 r1 t2 ");
}

static void a_long_queue_reports_in_batches(void **ctx)
{
    (void)ctx;
    fill_queue(32);
    for (int i = 0; i < 15; i++)
        end(take_next());
    take_next();
    assert_string_equal(at.sent, "");
    end(16);
    assert_string_equal(at.sent,
                        "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 ");
}

static void a_queue_that_becomes_short_sends_all_reports(void **ctx)
{
    (void)ctx;
    fill_queue(10);
    end(take_next());
    end(take_next());
    assert_string_equal(at.sent, "");
    take_next();
    assert_string_equal(at.sent, "t3 r1 r2 ");
    end(3);
    assert_string_equal(at.sent, "t3 r1 r2 r3 ");
}

static void a_report_is_delayed_by_some_milliseconds_at_most(void **ctx)
{
    (void)ctx;
    fill_queue(20);
    end(take_next());
    take_next(); /* runs longer than the delay */
    run_past_delay();
    assert_string_equal(at.sent, "t2 r1 ");
    run_past_delay();
    assert_string_equal(at.sent, "t2 r1 ");
}

static void a_report_that_could_not_be_sent_is_sent_later(void **ctx)
{
    (void)ctx;
    fill_queue(1);
    at.refuses = true;
    end(take_next());
    assert_string_equal(at.sent, "");
    at.refuses = false;
    lease_reports_results(at.reports);
    lease_reports_send_now(at.reports, true);
    assert_string_equal(at.sent, "r1 r1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_short_queue_reports_at_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_long_queue_reports_in_batches, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_queue_that_becomes_short_sends_all_reports,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_report_is_delayed_by_some_milliseconds_at_most, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_report_that_could_not_be_sent_is_sent_later,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
