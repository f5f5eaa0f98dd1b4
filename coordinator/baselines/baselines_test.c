#include "coordinator/baselines/baselines.h"

#include "lib/store/store_baseline.h"
#include "tests/support/coordinator_fixture.h"

static char reply[BASELINE_REPLY_SIZE];
static struct err err;

/* Submits jobs until job `last`, and ends them in this state. */
static void add_jobs(struct fixture *fixture, uint64_t last, enum job_state state)
{
    struct ledger_job *job;

    do {
        job = fixture_submit(fixture, 1, "");
        assert_int_equal(store_job_set_state(fixture->store, job->job_id, state, "",
                                             1000 * job->job_id, &err),
                         0);
    } while (job->job_id < last);
}

static int send_request(struct fixture *fixture, const struct msg_baseline *request)
{
    struct msg_baseline full = *request;

    full.user = "ada";
    full.points = full.points ? full.points : "";
    full.reason = full.reason ? full.reason : "";
    return baselines_handle_request(fixture->ledger, fixture->store, &full, reply,
                                    &err);
}

static void must(struct fixture *fixture, const struct msg_baseline *request)
{
    if (send_request(fixture, request) < 0)
        fail_msg("%s: %s", request->what, err.text);
}

static void refused(struct fixture *fixture,
                    enum err_code code,
                    const char *text,
                    const struct msg_baseline *request)
{
    bool changed;

    assert_int_equal(store_commit(fixture->store, &err), 0);
    assert_int_equal(send_request(fixture, request), -1);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in: %s", text, err.text);
    changed = store_has_changes(fixture->store);
    assert_false(changed);
}

static const uint64_t one_job[] = {1}, two_jobs[] = {1, 2}, same_jobs[] = {1, 1};
static const uint64_t third_job[] = {3};

static void set_nightly(struct fixture *fixture)
{
    add_jobs(fixture, 2, JOB_DONE);
    must(fixture,
         &(struct msg_baseline){
             .what = "set", .name = "nightly", .keep = 5, .jobs = {two_jobs, 2}});
    assert_string_equal(reply, "rolling baseline of 2 nights; with fewer than 5 the "
                               "noise between nights is unknown");
}

struct nights {
    uint64_t passed[8], others[8];
    size_t passed_count, other_count;
};

static int
keep_night(const struct store_baseline_night *night, void *arg, struct err *e)
{
    struct nights *nights = arg;

    (void)e;
    if (night->passed)
        nights->passed[nights->passed_count++] = night->job_id;
    else
        nights->others[nights->other_count++] = night->job_id;
    return 0;
}

static struct nights read_nights(struct fixture *fixture)
{
    struct nights nights = {0};

    assert_int_equal(
        store_each_baseline_night(fixture->store, 1, keep_night, &nights, &err), 0);
    return nights;
}

static int keep_event(const struct store_event *event, void *arg, struct err *e)
{
    char *last = arg;

    (void)e;
    snprintf(last, 256, "%s %u: %s", event->kind, (unsigned)event->job_id, event->text);
    return 0;
}

static void assert_last_event(struct fixture *fixture, const char *expected)
{
    char last[256] = "";

    assert_int_equal(store_each_event(fixture->store, 0, 0, keep_event, last, &err), 0);
    assert_string_equal(last, expected);
}

static void a_set_replaces_the_nights(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct nights nights;

    set_nightly(fixture);
    must(fixture,
         &(struct msg_baseline){
             .what = "set", .name = "nightly", .frozen = true, .jobs = {one_job, 1}});
    nights = read_nights(fixture);
    assert_int_equal(nights.passed_count, 1);
    assert_int_equal(nights.passed[0], 1);
    assert_last_event(fixture, "baseline.set 0: baseline=nightly rule=frozen keep=0 "
                               "jobs=1 user=ada");
}

static void only_complete_jobs_can_be_nights(void **ctx)
{
    struct fixture *fixture = *ctx;
    const struct msg_baseline set = {
        .what = "set", .name = "nightly", .keep = 5, .jobs = {third_job, 1}};

    set_nightly(fixture);
    refused(fixture, ERR_NOT_FOUND, "3", &set);
    add_jobs(fixture, 3, JOB_FAILED);
    refused(fixture, ERR_INPUT, "job ground-3 is failed; only a job whose tasks", &set);
    assert_int_equal(
        baselines_add_night(fixture->ledger, fixture->store,
                            &(struct msg_gate_verdict){
                                .baseline = "nightly", .job_id = 3, .sentence = ""},
                            &err),
        -1);
    assert_int_equal(err.code, ERR_INPUT);
}

static void a_wrong_set_is_refused(void **ctx)
{
    struct fixture *fixture = *ctx;
    const struct {
        const char *text;
        struct msg_baseline request;
    } wrong[] = {
        {"invalid name ''", {.name = "", .keep = 5, .jobs = {one_job, 1}}},
        {"invalid name '12'", {.name = "12", .keep = 5, .jobs = {one_job, 1}}},
        {"invalid name '../x'", {.name = "../x", .keep = 5, .jobs = {one_job, 1}}},
        {"'ground-1' is the key of a job",
         {.name = "ground-1", .keep = 5, .jobs = {one_job, 1}}},
        {"4 nights to keep: expected 5 to 400",
         {.name = "n", .keep = 4, .jobs = {one_job, 1}}},
        {"401 nights", {.name = "n", .keep = 401, .jobs = {one_job, 1}}},
        {"frozen", {.name = "n", .frozen = true, .keep = 5, .jobs = {one_job, 1}}},
        {"at least one job", {.name = "n", .keep = 5}},
        {"job 1 is named twice", {.name = "n", .keep = 5, .jobs = {same_jobs, 2}}},
    };

    add_jobs(fixture, 2, JOB_DONE);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct msg_baseline request = wrong[i].request;

        request.what = "set";
        refused(fixture, ERR_INPUT, wrong[i].text, &request);
    }
    refused(fixture, ERR_INPUT, "unknown action 'frob'",
            &(struct msg_baseline){.what = "frob", .name = "n"});
}

static void a_night_counts_only_when_it_passed(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct nights nights;

    set_nightly(fixture);
    add_jobs(fixture, 4, JOB_DONE);
    assert_int_equal(
        baselines_add_night(fixture->ledger, fixture->store,
                            &(struct msg_gate_verdict){.baseline = "nightly",
                                                       .job_id = 3,
                                                       .code = 4,
                                                       .sentence = "2 cells regressed"},
                            &err),
        0);
    assert_last_event(fixture, "baseline.night 3: baseline=nightly passed=0 "
                               "reason=\"2 cells regressed\"");
    assert_int_equal(
        baselines_add_night(fixture->ledger, fixture->store,
                            &(struct msg_gate_verdict){.baseline = "nightly",
                                                       .job_id = 4,
                                                       .sentence = "nothing regressed"},
                            &err),
        0);
    assert_last_event(fixture, "baseline.night 4: baseline=nightly passed=1");
    nights = read_nights(fixture);
    assert_int_equal(nights.passed_count, 3);
    assert_int_equal(nights.passed[2], 4);
    assert_int_equal(nights.other_count, 1);
    assert_int_equal(nights.others[0], 3);
}

static void a_frozen_baseline_gets_no_night(void **ctx)
{
    struct fixture *fixture = *ctx;

    add_jobs(fixture, 2, JOB_DONE);
    must(fixture,
         &(struct msg_baseline){
             .what = "set", .name = "r8", .frozen = true, .jobs = {one_job, 1}});
    refused(fixture, ERR_CONFLICT, "baseline r8 is frozen",
            &(struct msg_baseline){.what = "add", .name = "r8", .jobs = {two_jobs, 1}});
    refused(fixture, ERR_CONFLICT, "baseline r8 is frozen",
            &(struct msg_baseline){.what = "split",
                                   .name = "r8",
                                   .points = "*",
                                   .reason = "x",
                                   .jobs = {two_jobs, 1}});
    refused(fixture, ERR_NOT_FOUND, "there is no baseline 'r9'",
            &(struct msg_baseline){.what = "add", .name = "r9", .jobs = {two_jobs, 1}});
}

static void a_split_needs_a_reason_and_a_job_with_such_points(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct msg_baseline request = {
        .what = "split", .name = "nightly", .points = "*", .jobs = {two_jobs + 1, 1}};

    set_nightly(fixture);
    refused(fixture, ERR_INPUT, "the reason has 0 characters", &request);
    request.reason = "driver";
    request.points = "m=*";
    refused(fixture, ERR_INPUT, "no point of job ground-2 matches 'm=*'", &request);
    request.points = "*";
    must(fixture, &request);
    assert_int_equal(read_nights(fixture).other_count, 0);
    add_jobs(fixture, 3, JOB_DONE); /* the job of a split becomes a night */
    request.jobs = (struct u64_list){third_job, 1};
    must(fixture, &request);
    assert_int_equal(read_nights(fixture).others[0], 3);
    assert_last_event(fixture, "baseline.split 3: baseline=nightly at=ground-3 "
                               "points=\"*\" user=ada reason=\"driver\"");
}

static void a_quarantine_begins_and_ends(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct msg_baseline request = {.what = "quarantine",
                                   .name = "nightly",
                                   .points = "*",
                                   .reason = "noisy",
                                   .nights = 401};

    set_nightly(fixture);
    refused(fixture, ERR_INPUT, "a quarantine of 401 nights: expected 0 to 400",
            &request);
    request.nights = 0;
    assert_int_equal(send_request(fixture, &request), -1);
    assert_string_equal(err.text, "there is no quarantine of '*'");
    request.nights = 3;
    must(fixture, &request);
    assert_last_event(fixture, "baseline.quarantine 0: baseline=nightly points=\"*\" "
                               "nights=3 user=ada reason=\"noisy\"");
    request.nights = 0;
    must(fixture, &request);
    assert_string_equal(reply, "the quarantine of '*' has ended");
    must(fixture, &(struct msg_baseline){.what = "drop", .name = "nightly"});
    refused(fixture, ERR_NOT_FOUND, "there is no baseline 'nightly'", &request);
}

#define CASE(test)                                                                     \
    cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_set_replaces_the_nights),
        CASE(only_complete_jobs_can_be_nights),
        CASE(a_wrong_set_is_refused),
        CASE(a_night_counts_only_when_it_passed),
        CASE(a_frozen_baseline_gets_no_night),
        CASE(a_split_needs_a_reason_and_a_job_with_such_points),
        CASE(a_quarantine_begins_and_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
