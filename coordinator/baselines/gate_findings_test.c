#include "coordinator/baselines/gate_findings.h"

#include "coordinator/baselines/baselines.h"
#include "lib/store/store_baseline.h"
#include "tests/support/coordinator_fixture.h"

static struct err err;

/* Adds a job that is done, and the baseline of job 1. */
static uint64_t add_job(struct fixture *fixture)
{
    struct ledger_job *job = fixture_submit(fixture, 1, "");
    char reply[BASELINE_REPLY_SIZE];

    assert_int_equal(store_job_set_state(fixture->store, job->job_id, JOB_DONE, "",
                                         1000 * job->job_id, &err),
                     0);
    if (job->job_id == 1)
        assert_int_equal(
            baselines_handle_request(fixture->ledger, fixture->store,
                                     &(struct msg_baseline){.what = "set",
                                                            .name = "nightly",
                                                            .user = "ada",
                                                            .points = "",
                                                            .reason = "",
                                                            .keep = 5,
                                                            .jobs = {&job->job_id, 1}},
                                     reply, &err),
            0);
    return job->job_id;
}

enum list { LIST_NONE, LIST_IMPROVED, LIST_NOT_REPRODUCED, LIST_NOISY };

/* Adds a night whose gate has this finding about a point. */
static uint64_t night(struct fixture *fixture, enum list list, const char *point)
{
    struct msg_gate_verdict verdict = {.job_id = add_job(fixture),
                                       .baseline = "nightly",
                                       .sentence = "nothing regressed",
                                       .equal_cells = 10,
                                       .false_alarms = 1};
    struct text_list points = {&point, 1};

    if (list == LIST_IMPROVED)
        verdict.improved = points;
    else if (list == LIST_NOT_REPRODUCED)
        verdict.not_reproduced = points;
    else if (list == LIST_NOISY)
        verdict.noisy = points;
    assert_int_equal(
        baselines_add_night(fixture->ledger, fixture->store, &verdict, &err), 0);
    if (gate_findings_apply(fixture->ledger, fixture->store, &verdict, &err) < 0)
        fail_msg("%s", err.text);
    return verdict.job_id;
}

static int
count_split(const struct store_baseline_split *split, void *arg, struct err *e)
{
    uint64_t *job_id = arg;

    (void)e;
    assert_string_equal(split->points, "*");
    assert_string_equal(split->reason, "improved in two nights running");
    assert_string_equal(split->user, "gate");
    assert_true(split->job_id > *job_id);
    *job_id = split->job_id;
    return 0;
}

/* Returns the newest job at which a level begins; 0: none. */
static uint64_t newest_split(struct fixture *fixture)
{
    uint64_t job_id = 0;

    assert_int_equal(
        store_each_baseline_split(fixture->store, 1, count_split, &job_id, &err), 0);
    return job_id;
}

static int
keep_quarantine(const struct store_quarantine *quarantine, void *arg, struct err *e)
{
    char *reason = arg;

    (void)e;
    assert_int_equal(quarantine->nights, 14);
    snprintf(reason, 120, "%s", quarantine->reason);
    return 0;
}

static void quarantine_is(struct fixture *fixture, const char *expected)
{
    char reason[120] = "";

    assert_int_equal(
        store_each_quarantine(fixture->store, 1, keep_quarantine, reason, &err), 0);
    assert_string_equal(reason, expected);
}

static void an_improvement_in_two_nights_begins_a_level(void **ctx)
{
    struct fixture *fixture = *ctx;
    uint64_t first;

    add_job(fixture);
    night(fixture, LIST_IMPROVED, "*");
    night(fixture, LIST_NONE, NULL);
    first = night(fixture, LIST_IMPROVED, "*"); /* not the night after the other one */
    assert_int_equal(newest_split(fixture), 0);
    night(fixture, LIST_IMPROVED, "*");
    assert_int_equal(newest_split(fixture), first);
    night(fixture, LIST_IMPROVED,
          "*"); /* the second night belongs to the first level */
    assert_int_equal(newest_split(fixture), first);
}

static void three_suspects_that_do_not_come_back_are_put_into_quarantine(void **ctx)
{
    struct fixture *fixture = *ctx;

    add_job(fixture);
    night(fixture, LIST_NOT_REPRODUCED, "*");
    for (int i = 0; i < 18; i++) /* the first one is too old for the last one */
        night(fixture, i == 9 ? LIST_NOT_REPRODUCED : LIST_NONE, "*");
    night(fixture, LIST_NONE, "*");
    night(fixture, LIST_NOT_REPRODUCED, "*");
    quarantine_is(fixture, "");
    night(fixture, LIST_NOT_REPRODUCED, "*");
    quarantine_is(fixture,
                  "fresh runs did not reproduce its suspects in 3 of 20 nights");
}

static void ten_noisy_nights_are_put_into_quarantine(void **ctx)
{
    struct fixture *fixture = *ctx;

    add_job(fixture);
    for (int i = 0; i < 9; i++)
        night(fixture, LIST_NOISY, "*");
    quarantine_is(fixture, "");
    night(fixture, LIST_NOISY, "*");
    quarantine_is(fixture, "its nights differ by more than the tolerance");
}

/* The pattern matches no point of the job, which is no error of the gate. */
static void a_refused_change_keeps_the_verdict(void **ctx)
{
    struct fixture *fixture = *ctx;

    add_job(fixture);
    night(fixture, LIST_IMPROVED, "m=9");
    night(fixture, LIST_IMPROVED, "m=9");
    assert_int_equal(newest_split(fixture), 0);
}

static int sum_night(const struct store_baseline_night *row, void *arg, struct err *e)
{
    uint64_t *sums = arg;

    (void)e;
    sums[0] += row->gated;
    sums[1] += row->equal_cells;
    sums[2] += row->false_alarms;
    return 0;
}

static void a_night_has_the_cells_with_equal_code(void **ctx)
{
    struct fixture *fixture = *ctx;
    uint64_t sums[3] = {0};

    add_job(fixture);
    night(fixture, LIST_NONE, NULL);
    night(fixture, LIST_NONE, NULL);
    assert_int_equal(
        store_each_baseline_night(fixture->store, 1, sum_night, sums, &err), 0);
    assert_int_equal(sums[0], 2);
    assert_int_equal(sums[1], 20);
    assert_int_equal(sums[2], 2);
}

#define CASE(test)                                                                     \
    cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_improvement_in_two_nights_begins_a_level),
        CASE(three_suspects_that_do_not_come_back_are_put_into_quarantine),
        CASE(ten_noisy_nights_are_put_into_quarantine),
        CASE(a_refused_change_keeps_the_verdict),
        CASE(a_night_has_the_cells_with_equal_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
