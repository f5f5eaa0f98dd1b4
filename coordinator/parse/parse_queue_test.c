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

/* Callbacks of the queue as lines; the loop ends when all have come. */
struct reports {
    struct reactor *reactor;
    char text[2000];
    size_t metrics;
    char launch[128], replay[128], environment[128]; /* the latest */
    size_t waited_for;
    size_t repeats, declines; /* declines the repetition of this number; 0: none */
    uint64_t delays_ms[16];
    char repeated_by[256];
};

static void say(struct reports *reports, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct reports *reports, const char *fmt, ...)
{
    size_t used = strlen(reports->text);
    va_list args;

    va_start(args, fmt);
    vsnprintf(reports->text + used, sizeof(reports->text) - used, fmt, args);
    va_end(args);
    if (--reports->waited_for == 0)
        reactor_stop(reports->reactor);
}

static void on_metric(const struct store_metric *metric, void *arg)
{
    struct reports *reports = arg;

    (void)metric;
    reports->metrics++;
}

static void on_launch(const struct store_launch *launch, void *arg)
{
    struct reports *reports = arg;

    snprintf(reports->launch, sizeof(reports->launch), "%d/%u %d %s %u %s %g",
             (int)launch->run_id, launch->rank, (int)launch->launch, launch->kernel,
             launch->device, launch->code_hash, launch->tick_ns);
}

static void on_replay(const struct store_replay *replay, void *arg)
{
    struct reports *reports = arg;

    snprintf(reports->replay, sizeof(reports->replay), "%d %u/%u %d+%d %d:%d %d",
             (int)replay->launch, replay->replay, replay->pass, (int)replay->started_ns,
             (int)replay->duration_ns, (int)replay->arrived_ns,
             (int)replay->released_ns, (int)replay->uncertainty_ns);
}

static void on_environment(uint64_t run_id,
                           uint32_t rank,
                           const struct store_environment *is,
                           void *arg)
{
    struct reports *reports = arg;

    snprintf(reports->environment, sizeof(reports->environment),
             "%d/%u %s %u %s %s %s %s %s", (int)run_id, rank, is->chip, is->hbm_maker,
             is->cann, is->driver, is->firmware, is->host_kernel, is->measurement);
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

static bool on_repeats(uint64_t job_id,
                       uint64_t run_id,
                       const char *error,
                       uint64_t delay_ms,
                       void *arg)
{
    struct reports *reports = arg;

    (void)job_id;
    (void)run_id;
    if (reports->repeats < COUNT(reports->delays_ms))
        reports->delays_ms[reports->repeats] = delay_ms;
    snprintf(reports->repeated_by, sizeof(reports->repeated_by), "%s", error);
    return ++reports->repeats != reports->declines;
}

static const struct parse_events events = {on_metric,      on_launch,   on_replay,
                                           on_environment, on_output,   on_ended,
                                           on_merged,      on_reported, on_repeats};

/* Creates a queue whose parser is this script; $5 is the run_id. */
static struct parse_queue *
queue_with(struct reports *reports, const char *script, uint64_t time_limit_ms)
{
    static char path[64];
    char *text = xasprintf("#!/bin/sh\n%s\n", script);
    struct err err;

    snprintf(path, sizeof(path), "/tmp/muster-parser-%d", (int)getpid());
    assert_int_equal(file_write(path, text, strlen(text), &err), 0);
    free(text);
    chmod(path, 0700);
    *reports = (struct reports){.reactor = reactor_create()};
    return parse_queue_create(reports->reactor,
                              &(struct parse_options){.program = path,
                                                      .store = "/tmp",
                                                      .parallel = 2,
                                                      .repeat_ms = 1,
                                                      .time_limit_ms = time_limit_ms},
                              &events, reports);
}

static void add(struct parse_queue *queue, uint64_t run_id)
{
    parse_queue_add(queue,
                    &(struct parse_task){.job_id = 1, .run_id = run_id, .out = "/tmp"});
}

static void wait_for(struct reports *reports, size_t count)
{
    struct err err;

    reports->waited_for = count;
    assert_int_equal(reactor_run(reports->reactor, &err), 0);
}

static void end(struct reports *reports, struct parse_queue *queue)
{
    assert_int_equal(parse_queue_busy(queue), 0);
    parse_queue_destroy(queue);
    reactor_destroy(reports->reactor);
    char path[64];
    snprintf(path, sizeof(path), "/tmp/muster-parser-%d", (int)getpid());
    unlink(path);
}

#define METRIC "echo '{\"metric\":\"duration_us\",\"value\":1}'; "

static void figures_are_reported_before_the_end(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, METRIC METRIC, 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 good \n");
    assert_int_equal(reports.metrics, 2);
    end(&reports, queue);
}

static void launches_and_environments_are_reported(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue =
        queue_with(&reports,
                   "echo '{\"measurement\":\"1.1\",\"chip\":\"a\",\"cann\":\"b\","
                   "\"driver\":\"c\",\"firmware\":\"d\",\"host_kernel\":\"e\","
                   "\"hbm_maker\":7}'; "
                   "echo '{\"launch\":2,\"kernel\":\"add\",\"device\":3,"
                   "\"code_hash\":\"00ff\",\"tick_ns\":20}'; "
                   "echo '{\"launch\":2,\"kernel\":\"add\",\"device\":3,"
                   "\"replay\":4,\"pass\":1,\"started_ns\":90,\"duration_ns\":7,"
                   "\"arrived_ns\":50}'",
                   60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 good \n");
    assert_string_equal(reports.environment, "7/0 a 7 b c d e 1.1");
    assert_string_equal(reports.launch, "7/0 2 add 3 00ff 20");
    assert_string_equal(reports.replay, "2 4/1 90+7 50:-1 -1");
    end(&reports, queue);
}

static void a_crashed_parser_reports_its_reason_and_no_figures(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(
        &reports, METRIC "echo '{\"error\":\"bad\",\"block\":3}'; kill -SEGV $$",
        60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text,
                        "7/0 bad the parser was killed by signal 11: block 3: bad\n");
    assert_int_equal(reports.metrics, 0);
    end(&reports, queue);
}

static void a_parser_that_aborts_may_lack_memory(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, "kill -ABRT $$", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 bad the parser aborted, as it does without "
                                      "memory; check --parser-memory\n");
    end(&reports, queue);
}

static void a_killed_parser_is_started_again(void **ctx)
{
    char *script = xasprintf(METRIC "mkdir /tmp/muster-killed-%d 2>/dev/null && "
                                    "kill -KILL $$; rmdir /tmp/muster-killed-%d",
                             (int)getpid(), (int)getpid());
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, script, 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 good \n");
    assert_int_equal(reports.metrics, 1);
    end(&reports, queue);
    free(script);
}

static void a_parser_that_is_killed_eight_times_fails(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, METRIC "kill -KILL $$", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 bad the parser was killed by signal 9\n");
    assert_int_equal(reports.metrics, 0);
    assert_int_equal(reports.repeats, 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(reports.delays_ms[i], 1u << i);
    end(&reports, queue);
}

#define NO_SPACE METRIC "echo '{\"error\":\"no space left on /out\"}'; exit 75"

/* The script fails until it finds nine lines in its file. */
static void a_parser_without_space_is_repeated_without_limit(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(
        &reports,
        "echo >>$0.starts; if [ $(wc -l <$0.starts) -gt 9 ]; then rm $0.starts; " METRIC
        "exit 0; fi; " NO_SPACE,
        60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 good \n");
    assert_int_equal(reports.metrics, 1);
    assert_int_equal(reports.repeats, 9);
    assert_string_equal(reports.repeated_by, "no space left on /out");
    end(&reports, queue);
}

static void a_declined_repetition_reports_the_failure(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, NO_SPACE, 60000);

    (void)ctx;
    reports.declines = 2;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 bad no space left on /out\n");
    assert_int_equal(reports.repeats, 2);
    end(&reports, queue);
}

static void end_repeats(void *queue)
{
    parse_queue_end_repeats(queue, 2);
    parse_queue_end_repeats(queue, 1);
}

static void the_end_of_repetitions_reports_what_waits(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, NO_SPACE, 60000);

    (void)ctx;
    add(queue, 7);
    parse_queue_report(queue, 2, "/tmp"); /* the report of another job */
    reactor_every(reports.reactor, 10, end_repeats, queue);
    wait_for(&reports, 2);
    assert_non_null(strstr(reports.text, "7/0 bad no space left on /out\n"));
    assert_non_null(strstr(reports.text, "report 2 bad no space left on /out\n"));
    end(&reports, queue);
}

static void a_parser_error_keeps_the_other_figures(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(
        &reports, METRIC "echo '{\"error\":\"bad\",\"block\":3}'; exit 1", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text, "7/0 bad block 3: bad\n");
    assert_int_equal(reports.metrics, 1);
    end(&reports, queue);
}

static void a_parser_is_killed_at_its_time_limit(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, "exec tail -f /dev/null", 50);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_string_equal(reports.text,
                        "7/0 bad the parser was killed at its time limit\n");
    end(&reports, queue);
}

static void output_that_is_not_json_is_an_error(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, "echo what is this", 60000);

    (void)ctx;
    add(queue, 7);
    wait_for(&reports, 1);
    assert_non_null(strstr(reports.text, "7/0 bad muster-parser:1:"));
    end(&reports, queue);
}

static void a_report_waits_for_the_parses_before_it(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue = queue_with(&reports, "exit 0", 60000);

    (void)ctx;
    for (uint64_t run = 1; run <= 6; run++)
        add(queue, run);
    parse_queue_report(queue, 1, "/tmp");
    wait_for(&reports, 7);
    const char *report = strstr(reports.text, "report 1 good");
    assert_non_null(report);
    assert_null(strstr(report, "/0 "));
    end(&reports, queue);
}

/* A restarted coordinator requests the merge again while a rank is not parsed, so the
 * merge has to end before the first parse. */
static void ranks_are_parsed_after_their_merge(void **ctx)
{
    struct reports reports;
    struct parse_queue *queue =
        queue_with(&reports,
                   "if [ $1 = merge ]; then until [ -e $0.go ]; do :; done; rm $0.go; "
                   "exit 1; fi; [ $5 != 8 ] || touch $0.go; exit 0",
                   60000);

    (void)ctx;
    parse_queue_merge(queue, &(struct parse_task){
                                 .job_id = 1, .run_id = 7, .rank = 2, .out = "/tmp"});
    add(queue, 7);
    add(queue, 8); /* another attempt does not wait for this merge */
    parse_queue_report(queue, 1, "/tmp");
    wait_for(&reports, 4);
    const char *merged = strstr(reports.text, "merge 7 bad");

    assert_non_null(merged);
    assert_true(strstr(reports.text, "7/0 good") > merged);
    assert_true(strstr(reports.text, "8/0 good") != NULL);
    assert_true(strstr(reports.text, "report 1 good") >
                strstr(reports.text, "7/0 good"));
    end(&reports, queue);
}

static void a_missing_program_is_named(void **ctx)
{
    struct reports reports = {.reactor = reactor_create()};
    struct parse_queue *queue = parse_queue_create(
        reports.reactor,
        &(struct parse_options){
            .program = "/no/such/parser", .store = "/tmp", .parallel = 1},
        &events, &reports);

    (void)ctx;
    add(queue, 1);
    add(queue, 2);
    wait_for(&reports, 2);
    assert_string_equal(
        reports.text,
        "1/0 bad cannot start /no/such/parser: No such file or directory\n"
        "2/0 bad cannot start /no/such/parser: No such file or directory\n");
    parse_queue_destroy(queue);
    reactor_destroy(reports.reactor);
}

/* Makes pidfd_open() fail for the rest of the process, as in old kernels and sandboxes.
 */
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
        SKIP("the kernel permits no filter of system calls; to run it: use a kernel "
             "with seccomp");
}

static void the_queue_works_without_pidfds(void **ctx)
{
    struct reports reports;

    (void)ctx;
    deny_pidfd();
    struct parse_queue *queue = queue_with(&reports, METRIC, 60000);
    add(queue, 7);
    add(queue, 8);
    wait_for(&reports, 2);
    assert_non_null(strstr(reports.text, "7/0 good"));
    assert_non_null(strstr(reports.text, "8/0 good"));
    end(&reports, queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_reported_before_the_end),
        cmocka_unit_test(launches_and_environments_are_reported),
        cmocka_unit_test(a_crashed_parser_reports_its_reason_and_no_figures),
        cmocka_unit_test(a_parser_that_aborts_may_lack_memory),
        cmocka_unit_test(a_killed_parser_is_started_again),
        cmocka_unit_test(a_parser_that_is_killed_eight_times_fails),
        cmocka_unit_test(a_parser_without_space_is_repeated_without_limit),
        cmocka_unit_test(a_declined_repetition_reports_the_failure),
        cmocka_unit_test(the_end_of_repetitions_reports_what_waits),
        cmocka_unit_test(a_parser_error_keeps_the_other_figures),
        cmocka_unit_test(a_parser_is_killed_at_its_time_limit),
        cmocka_unit_test(output_that_is_not_json_is_an_error),
        cmocka_unit_test(a_report_waits_for_the_parses_before_it),
        cmocka_unit_test(ranks_are_parsed_after_their_merge),
        cmocka_unit_test(a_missing_program_is_named),
        cmocka_unit_test(the_queue_works_without_pidfds), /* the last case, since it
                                                             cannot be undone */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
