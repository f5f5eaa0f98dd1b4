#include "coordinator/parse/parse_queue.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/store/store.h"
#include "tests/support/unit.h"

/* What the queue told, as lines, and the loop that ends when all is told. */
struct told {
    struct reactor *reactor;
    char text[2000];
    size_t metrics;
    size_t waited_for;
};

static void say(struct told *told, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct told *told, const char *fmt, ...)
{
    size_t used = strlen(told->text);
    va_list args;

    va_start(args, fmt);
    vsnprintf(told->text + used, sizeof(told->text) - used, fmt, args);
    va_end(args);
    if (--told->waited_for == 0)
        reactor_stop(told->reactor);
}

static void on_metric(const struct store_metric *metric, void *arg)
{
    struct told *told = arg;

    (void)metric;
    told->metrics++;
}

static void on_output(uint64_t run_id, uint32_t rank, const char *path, void *arg)
{
    (void)run_id;
    (void)rank;
    (void)path;
    (void)arg;
}

static void
on_ended(uint64_t run_id, uint32_t rank, bool good, const char *error, void *arg)
{
    say(arg, "%d/%u %s %s\n", (int)run_id, rank, good ? "good" : "bad", error);
}

static void on_merged(uint64_t run_id, bool good, const char *error, void *arg)
{
    say(arg, "merge %d %s %s\n", (int)run_id, good ? "good" : "bad", error);
}

static void on_reported(uint64_t job_id, bool good, const char *error, void *arg)
{
    say(arg, "report %d %s %s\n", (int)job_id, good ? "good" : "bad", error);
}

static const struct parse_events events = {on_metric, on_output, on_ended, on_merged,
                                           on_reported};

/* A parser that does what this script says; $5 is the run. */
static struct parse_queue *
queue_with(struct told *told, const char *script, uint64_t time_limit_ms)
{
    static char path[64];
    char *text = xasprintf("#!/bin/sh\n%s\n", script);
    struct err err;

    snprintf(path, sizeof(path), "/tmp/muster-parser-%d", (int)getpid());
    assert_int_equal(file_write(path, text, strlen(text), &err), 0);
    free(text);
    chmod(path, 0700);
    *told = (struct told){.reactor = reactor_create()};
    return parse_queue_create(told->reactor,
                              &(struct parse_options){.program = path,
                                                      .store = "/tmp",
                                                      .parallel = 2,
                                                      .time_limit_ms = time_limit_ms},
                              &events, told);
}

static void add(struct parse_queue *queue, uint64_t run_id)
{
    parse_queue_add(queue,
                    &(struct parse_task){.job_id = 1, .run_id = run_id, .out = "/tmp"});
}

static void wait_for(struct told *told, size_t count)
{
    struct err err;

    told->waited_for = count;
    assert_int_equal(reactor_run(told->reactor, &err), 0);
}

static void end(struct told *told, struct parse_queue *queue)
{
    assert_int_equal(parse_queue_busy(queue), 0);
    parse_queue_destroy(queue);
    reactor_destroy(told->reactor);
    char path[64];
    snprintf(path, sizeof(path), "/tmp/muster-parser-%d", (int)getpid());
    unlink(path);
}

#define METRIC "echo '{\"metric\":\"duration_us\",\"value\":1}'; "

static void figures_come_before_the_end(void **ctx)
{
    struct told told;
    struct parse_queue *queue = queue_with(&told, METRIC METRIC, 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&told, 1);
    assert_string_equal(told.text, "7/0 good \n");
    assert_int_equal(told.metrics, 2);
    end(&told, queue);
}

static void a_crash_gives_its_reason_and_no_figures(void **ctx)
{
    struct told told;
    struct parse_queue *queue = queue_with(
        &told, METRIC "echo '{\"error\":\"bad\",\"block\":3}'; kill -SEGV $$", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&told, 1);
    assert_string_equal(told.text,
                        "7/0 bad the parser was killed by signal 11: block 3: bad\n");
    assert_int_equal(told.metrics, 0);
    end(&told, queue);
}

static void one_that_was_killed_is_started_again(void **ctx)
{
    char *script = xasprintf(METRIC "mkdir /tmp/muster-killed-%d 2>/dev/null && "
                                    "kill -KILL $$; rmdir /tmp/muster-killed-%d",
                             (int)getpid(), (int)getpid());
    struct told told;
    struct parse_queue *queue = queue_with(&told, script, 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&told, 1);
    assert_string_equal(told.text, "7/0 good \n");
    assert_int_equal(told.metrics, 1);
    end(&told, queue);
    free(script);
}

static void one_that_is_killed_each_time_is_given_up(void **ctx)
{
    struct told told;
    struct parse_queue *queue = queue_with(&told, METRIC "kill -KILL $$", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&told, 1);
    assert_string_equal(told.text, "7/0 bad the parser was killed by signal 9\n");
    assert_int_equal(told.metrics, 0);
    end(&told, queue);
}

static void a_bad_result_keeps_the_good_ones(void **ctx)
{
    struct told told;
    struct parse_queue *queue = queue_with(
        &told, METRIC "echo '{\"error\":\"bad\",\"block\":3}'; exit 1", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&told, 1);
    assert_string_equal(told.text, "7/0 bad block 3: bad\n");
    assert_int_equal(told.metrics, 1);
    end(&told, queue);
}

static void one_that_does_not_end_is_ended(void **ctx)
{
    struct told told;
    struct parse_queue *queue = queue_with(&told, "exec tail -f /dev/null", 50);

    (void)ctx;
    add(queue, 7);
    wait_for(&told, 1);
    assert_string_equal(told.text, "7/0 bad the parser was killed at its time limit\n");
    end(&told, queue);
}

static void garbage_is_an_error(void **ctx)
{
    struct told told;
    struct parse_queue *queue = queue_with(&told, "echo what is this", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&told, 1);
    assert_non_null(strstr(told.text, "7/0 bad muster-parser:1:"));
    end(&told, queue);
}

static void a_report_waits_for_the_parses_before_it(void **ctx)
{
    struct told told;
    struct parse_queue *queue = queue_with(&told, "exit 0", 60000);

    (void)ctx;
    for (uint64_t run = 1; run <= 6; run++)
        add(queue, run);
    parse_queue_report(queue, 1, "/tmp");
    wait_for(&told, 7);
    const char *report = strstr(told.text, "report 1 good");
    assert_non_null(report);
    assert_null(strstr(report, "/0 "));
    end(&told, queue);
}

/* What is lost with a coordinator is asked for again as long as a rank is not parsed:
 * the merge is over before the first of them is. */
static void ranks_are_parsed_when_they_are_merged(void **ctx)
{
    struct told told;
    struct parse_queue *queue =
        queue_with(&told,
                   "if [ $1 = merge ]; then until [ -e $0.go ]; do :; done; rm $0.go; "
                   "exit 1; fi; [ $5 != 8 ] || touch $0.go; exit 0",
                   60000);

    (void)ctx;
    parse_queue_merge(queue, &(struct parse_task){
                                 .job_id = 1, .run_id = 7, .rank = 2, .out = "/tmp"});
    add(queue, 7);
    add(queue, 8); /* another run need not wait: the merge waits for it */
    parse_queue_report(queue, 1, "/tmp");
    wait_for(&told, 4);
    const char *merged = strstr(told.text, "merge 7 bad");

    assert_non_null(merged);
    assert_true(strstr(told.text, "7/0 good") > merged);
    assert_true(strstr(told.text, "8/0 good") != NULL);
    assert_true(strstr(told.text, "report 1 good") > strstr(told.text, "7/0 good"));
    end(&told, queue);
}

static void a_missing_program_is_named(void **ctx)
{
    struct told told = {.reactor = reactor_create()};
    struct parse_queue *queue = parse_queue_create(
        told.reactor,
        &(struct parse_options){
            .program = "/no/such/parser", .store = "/tmp", .parallel = 1},
        &events, &told);

    (void)ctx;
    add(queue, 1);
    add(queue, 2);
    wait_for(&told, 2);
    assert_string_equal(
        told.text, "1/0 bad cannot start /no/such/parser: No such file or directory\n"
                   "2/0 bad cannot start /no/such/parser: No such file or directory\n");
    parse_queue_destroy(queue);
    reactor_destroy(told.reactor);
}

/* For the rest of this process: as under an old kernel, or in some sandboxes. */
static void deny_pidfd(void)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {COUNT(steps), steps};

    assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        skip();
}

static void a_kernel_without_pidfds_will_do(void **ctx)
{
    struct told told;

    (void)ctx;
    deny_pidfd();
    struct parse_queue *queue = queue_with(&told, METRIC, 60000);
    add(queue, 7);
    add(queue, 8);
    wait_for(&told, 2);
    assert_non_null(strstr(told.text, "7/0 good"));
    assert_non_null(strstr(told.text, "8/0 good"));
    end(&told, queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_come_before_the_end),
        cmocka_unit_test(a_crash_gives_its_reason_and_no_figures),
        cmocka_unit_test(one_that_was_killed_is_started_again),
        cmocka_unit_test(one_that_is_killed_each_time_is_given_up),
        cmocka_unit_test(a_bad_result_keeps_the_good_ones),
        cmocka_unit_test(one_that_does_not_end_is_ended),
        cmocka_unit_test(garbage_is_an_error),
        cmocka_unit_test(a_report_waits_for_the_parses_before_it),
        cmocka_unit_test(ranks_are_parsed_when_they_are_merged),
        cmocka_unit_test(a_missing_program_is_named),
        cmocka_unit_test(a_kernel_without_pidfds_will_do), /* the last: it stays so */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
