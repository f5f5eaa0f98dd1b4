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
    struct lease_queue *line;
    struct lease_reports *tidings;
    char said[512]; /* `t7 r7`: 7 was taken, and its result told */
    bool deaf;
    uint64_t next;     /* the run that is put into the line next */
    uint64_t told[64]; /* results that were heard, and are not acked yet */
    size_t told_count;
} at;

static bool hear(void *arg, enum message_type type, const void *message)
{
    const struct msg_lease_taken *taken = message;
    const struct msg_rank_result *result = message;
    size_t used = strlen(at.said);

    (void)arg;
    if (at.deaf)
        return false;
    if (type == MSG_LEASE_TAKEN)
        snprintf(at.said + used, sizeof(at.said) - used, "t%d ", (int)taken->run_id);
    else {
        at.told[at.told_count++] = result->run_id;
        snprintf(at.said + used, sizeof(at.said) - used, "r%d ", (int)result->run_id);
    }
    return true;
}

static int set_up(void **ctx)
{
    struct err err;

    (void)ctx;
    memset(&at, 0, sizeof(at));
    strcpy(at.folder, "/tmp/muster-tidings-XXXXXX");
    if (!mkdtemp(at.folder) || result_store_open(&at.results, at.folder, &err) < 0)
        return -1;
    at.reactor = reactor_create();
    at.line = lease_queue_create();
    at.tidings = lease_reports_create(at.reactor, at.results, at.line, hear, NULL);
    at.next = 1;
    return 0;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    lease_reports_destroy(at.tidings);
    lease_queue_destroy(at.line);
    result_store_close(at.results);
    reactor_destroy(at.reactor);
    return folder_remove(at.folder, &err);
}

/* So that none is due again, however slow this test is. */
static void ack(void)
{
    while (at.told_count > 0)
        assert_true(result_store_ack(at.results, at.told[--at.told_count], 0));
}

static void fill_line(int count)
{
    for (; count > 0; count--) {
        const struct msg_lease lease = {.run_id = at.next++};

        assert_true(lease_queue_put(at.line, &lease));
    }
}

static uint64_t take_next(void)
{
    uint64_t run_id = lease_queue_take(at.line)->run_id;

    lease_reports_taken(at.tidings, run_id, 0);
    ack();
    return run_id;
}

static void end(uint64_t run_id)
{
    const struct msg_rank_result result = {.run_id = run_id, .status = "done"};

    result_store_add(at.results, &result);
    lease_reports_results(at.tidings);
    ack();
}

static void stop(void *arg)
{
    reactor_stop(arg);
}

/* Until what may wait has waited long enough. */
static void let_time_pass(void)
{
    struct err err;

    reactor_once(at.reactor, 20, stop, at.reactor);
    assert_int_equal(reactor_run(at.reactor, &err), 0);
    ack();
}

static void what_is_alone_is_told_at_once(void **ctx)
{
    (void)ctx;
    fill_line(2);
    end(take_next());
    take_next();
    assert_string_equal(at.said, "t1 r1 t2 ");
}

static void while_many_wait_news_go_together(void **ctx)
{
    (void)ctx;
    fill_line(32);
    for (int i = 0; i < 15; i++)
        end(take_next());
    take_next();
    assert_string_equal(at.said, "");
    end(16);
    assert_string_equal(at.said,
                        "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 ");
}

static void when_the_line_gets_short_nothing_is_kept_back(void **ctx)
{
    (void)ctx;
    fill_line(10);
    end(take_next());
    end(take_next());
    assert_string_equal(at.said, "");
    take_next();
    assert_string_equal(at.said, "t3 r1 r2 ");
    end(3);
    assert_string_equal(at.said, "t3 r1 r2 r3 ");
}

static void nothing_is_kept_back_for_long(void **ctx)
{
    (void)ctx;
    fill_line(20);
    end(take_next());
    take_next(); /* and it takes long */
    let_time_pass();
    assert_string_equal(at.said, "t2 r1 ");
    let_time_pass();
    assert_string_equal(at.said, "t2 r1 ");
}

static void what_was_not_heard_is_told_again(void **ctx)
{
    (void)ctx;
    fill_line(1);
    at.deaf = true;
    end(take_next());
    assert_string_equal(at.said, "");
    at.deaf = false;
    lease_reports_results(at.tidings);
    lease_reports_now(at.tidings, true);
    assert_string_equal(at.said, "r1 r1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_alone_is_told_at_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(while_many_wait_news_go_together, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(when_the_line_gets_short_nothing_is_kept_back,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_kept_back_for_long, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_not_heard_is_told_again, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
