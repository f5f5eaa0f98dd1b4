#include "lib/store/store_baseline.h"

#include "lib/base/text.h"
#include "tests/support/store_fixture.h"

static struct text lines;

static void assert_lines(const char *expected)
{
    assert_string_equal(text_get(&lines), expected);
    text_clear(&lines);
}

static uint64_t put(const char *name, bool frozen, uint64_t keep)
{
    struct store_baseline baseline = {
        .name = name, .frozen = frozen, .keep = keep, .user = "ada", .set_wall_ms = 7};

    OK(store_baseline_put(store, &baseline, &err));
    return baseline.baseline_id;
}

static uint64_t add_done_job(uint64_t ended_ms)
{
    uint64_t id = add_job(1);

    OK(store_job_set_state(store, id, JOB_DONE, "", ended_ms, &err));
    return id;
}

static void put_night(uint64_t baseline_id, uint64_t job_id, bool passed)
{
    const struct store_baseline_night night = {.baseline_id = baseline_id,
                                               .job_id = job_id,
                                               .passed = passed,
                                               .reason = passed ? "" : "regressed",
                                               .user = "ada"};

    OK(store_baseline_night_put(store, &night, &err));
}

static int print_baseline(const struct store_baseline *row, void *arg, struct err *text)
{
    (void)arg;
    (void)text;
    text_printf(&lines, "%s frozen=%d keep=%u user=%s set=%u\n", row->name, row->frozen,
                (unsigned)row->keep, row->user, (unsigned)row->set_wall_ms);
    return 0;
}

static int
print_night(const struct store_baseline_night *row, void *arg, struct err *text)
{
    (void)arg;
    (void)text;
    text_printf(&lines, "%s passed=%d %s state=%s ended=%u\n", row->key, row->passed,
                row->reason, job_state_name(row->state), (unsigned)row->ended_wall_ms);
    return 0;
}

static int
print_split(const struct store_baseline_split *row, void *arg, struct err *text)
{
    (void)arg;
    (void)text;
    text_printf(&lines, "%u '%s' %s %s by %s\n", (unsigned)row->job_id, row->key,
                row->points, row->reason, row->user);
    return 0;
}

static int
print_quarantine(const struct store_quarantine *row, void *arg, struct err *text)
{
    (void)arg;
    (void)text;
    text_printf(&lines, "%s %u of %u after %u: %s\n", row->points,
                (unsigned)row->nights_left, (unsigned)row->nights,
                (unsigned)row->after_job_id, row->reason);
    return 0;
}

static void a_second_put_replaces_the_rule_and_keeps_the_nights(void **ctx)
{
    uint64_t id = put("nightly", false, 10), job = add_done_job(50);

    (void)ctx;
    put_night(id, job, true);
    put("anchor", true, 0);
    assert_int_equal(put("nightly", false, 7), id);
    OK(store_each_baseline(store, NULL, print_baseline, NULL, &err));
    assert_lines("anchor frozen=1 keep=0 user=ada set=7\n"
                 "nightly frozen=0 keep=7 user=ada set=7\n");
    OK(store_each_baseline(store, "nightly", print_baseline, NULL, &err));
    assert_lines("nightly frozen=0 keep=7 user=ada set=7\n");
    OK(store_each_baseline_night(store, id, print_night, NULL, &err));
    assert_lines("matmul-1 passed=1  state=done ended=50\n");
}

static void a_night_is_replaced_and_leaves_with_its_job(void **ctx)
{
    uint64_t id = put("nightly", false, 10);
    uint64_t first = add_done_job(50), second = add_done_job(60);

    (void)ctx;
    put_night(id, second, false);
    put_night(id, first, true);
    put_night(id, second, true);
    OK(store_each_baseline_night(store, id, print_night, NULL, &err));
    assert_lines("matmul-1 passed=1  state=done ended=50\n"
                 "matmul-2 passed=1  state=done ended=60\n");
    OK(store_job_delete(store, first, &err));
    OK(store_each_baseline_night(store, id, print_night, NULL, &err));
    assert_lines("matmul-2 passed=1  state=done ended=60\n");
    OK(store_check(store, &err));
}

static void a_split_survives_the_deletion_of_its_job(void **ctx)
{
    uint64_t id = put("nightly", false, 10), job = add_done_job(50);
    const struct store_baseline_split split = {.baseline_id = id,
                                               .job_id = job,
                                               .points = "m=1*",
                                               .reason = "driver",
                                               .user = "ada"};

    (void)ctx;
    OK(store_baseline_split_put(store, &split, &err));
    OK(store_baseline_split_put(store, &split, &err));
    OK(store_each_baseline_split(store, id, print_split, NULL, &err));
    assert_lines("1 'matmul-1' m=1* driver by ada\n");
    OK(store_job_delete(store, job, &err));
    OK(store_each_baseline_split(store, id, print_split, NULL, &err));
    assert_lines("1 '' m=1* driver by ada\n");
}

static void a_quarantine_counts_the_nights_of_later_jobs(void **ctx)
{
    uint64_t id = put("nightly", false, 10), job = add_done_job(50);
    const struct store_quarantine quarantine = {
        .baseline_id = id, .points = "m=1", .reason = "noisy", .nights = 2};

    (void)ctx;
    put_night(id, job, true);
    OK(store_quarantine_put(store, &quarantine, &err));
    OK(store_each_quarantine(store, id, print_quarantine, NULL, &err));
    assert_lines("m=1 2 of 2 after 1: noisy\n");
    put_night(id, add_done_job(60), false);
    OK(store_each_quarantine(store, id, print_quarantine, NULL, &err));
    assert_lines("m=1 1 of 2 after 1: noisy\n");
    for (int i = 0; i < 2; i++)
        put_night(id, add_done_job(70), true);
    OK(store_each_quarantine(store, id, print_quarantine, NULL, &err));
    assert_lines("m=1 0 of 2 after 1: noisy\n");
    OK(store_quarantine_delete(store, id, "m=1", &err));
    assert_int_equal(store_quarantine_delete(store, id, "m=1", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void a_deleted_baseline_leaves_no_row_behind(void **ctx)
{
    uint64_t id = put("nightly", false, 10), job = add_done_job(50);

    (void)ctx;
    put_night(id, job, true);
    OK(store_baseline_delete(store, id, &err));
    OK(store_each_baseline_night(store, id, print_night, NULL, &err));
    OK(store_each_baseline(store, NULL, print_baseline, NULL, &err));
    assert_lines("");
    assert_int_equal(store_baseline_delete(store, id, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_not_equal(put("nightly", false, 10), id);
    OK(store_check(store, &err));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_second_put_replaces_the_rule_and_keeps_the_nights),
        CASE(a_night_is_replaced_and_leaves_with_its_job),
        CASE(a_split_survives_the_deletion_of_its_job),
        CASE(a_quarantine_counts_the_nights_of_later_jobs),
        CASE(a_deleted_baseline_leaves_no_row_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
