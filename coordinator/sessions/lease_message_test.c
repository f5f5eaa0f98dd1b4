#include "coordinator/sessions/lease_message.h"

#include <limits.h>
#include <sys/stat.h>

#include "lib/job/job.h"
#include "tests/support/coordinator_fixture.h"

static const char yaml[] = "version: 1\n"
                           "name: leased\n"
                           "operator:\n"
                           "  command: [ops/add, --n, \"${n}\"]\n"
                           "  cwd: runs\n"
                           "  env: {SIZE: \"${n}\"}\n"
                           "sweep: {matrix: {n: [16, 32]}, repeat: 2}\n"
                           "profile: {metrics: [Default], kernel: \"Add*\", warmup: 3, "
                           "launch: {count: 2, skip: 1}}\n"
                           "limits: {time: 5s}\n";

/* Creates a program in `folder`. */
static void put_program(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct err err;

    snprintf(path, sizeof(path), "%s/ops", folder);
    assert_int_equal(folder_create(path, &err), 0);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(file_write(path, "#!/bin/sh\n", 10, &err), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void a_program_is_found_below_the_folder_of_the_job_or_of_the_parts(void **ctx)
{
    struct fixture *fixture = *ctx;
    char found[PATH_MAX], job[PATH_MAX], ranks[PATH_MAX], wanted[2 * PATH_MAX];

    snprintf(job, sizeof(job), "%s/job", fixture->folder);
    snprintf(ranks, sizeof(ranks), "%s/parts", fixture->folder);
    setenv("MUSTER_PARTS", ranks, 1);
    put_program(ranks, "ops/add");
    put_program(ranks, "ops/sub");
    put_program(job, "ops/add");

    lease_message_find_program(found, sizeof(found), "ops/add", job);
    snprintf(wanted, sizeof(wanted), "%s/ops/add", job);
    assert_string_equal(found, wanted);
    lease_message_find_program(found, sizeof(found), "ops/sub", job);
    snprintf(wanted, sizeof(wanted), "%s/ops/sub", ranks);
    assert_string_equal(found, wanted);
    unsetenv("MUSTER_PARTS");
}

static void paths_of_other_programs_stay_unchanged(void **ctx)
{
    static const char *const names[] = {"python3", "/bin/true", "ops/none"};
    struct fixture *fixture = *ctx;
    char found[PATH_MAX];

    for (size_t i = 0; i < COUNT(names); i++) {
        lease_message_find_program(found, sizeof(found), names[i], fixture->folder);
        assert_string_equal(found, names[i]);
    }
}

static struct ledger_job *submit(struct fixture *fixture, const char *text)
{
    const struct msg_submit message = {text, "job.yaml", fixture->folder, "me", ""};
    char *problems = NULL;
    struct ledger_job *job;
    struct err err;

    if (ledger_submit(&job, fixture->ledger, &message, &problems, &err) < 0)
        fail_msg("%s", problems ? problems : err.text);
    return job;
}

static struct worker *add_worker(struct workers *workers)
{
    const struct msg_worker_hello hello = fixture_hello(3);
    const struct peer peer = fixture_peer(1);

    return workers_add(workers, &peer, &hello);
}

static void a_lease_has_the_values_of_its_point(void **ctx)
{
    struct fixture *fixture = *ctx;
    char program[PATH_MAX], cwd[PATH_MAX], wanted[PATH_MAX];
    struct workers workers = {0};
    struct worker *worker = add_worker(&workers);
    struct ledger_job *job;
    struct msg_lease lease;
    struct attempt *attempt;
    struct err err;

    put_program(fixture->folder, "ops/add");
    job = submit(fixture, yaml);
    struct task *task = &job->tasks[job->task_count - 1];
    assert_int_equal(ledger_lease(&attempt, fixture->ledger, task, &worker, 1, &err),
                     0);
    lease_message_fill(&lease, attempt->ranks, program, sizeof(program), cwd,
                       sizeof(cwd));

    assert_int_equal(lease.run_id, attempt->run_id);
    assert_int_equal(lease.job_id, job->job_id);
    assert_string_equal(lease.job_name, "leased");
    assert_int_equal(lease.point, task->point);
    assert_int_equal(lease.repeat, task->repeat);
    assert_int_equal(lease.attempt, 1);
    assert_int_equal(lease.world_size, 1);
    assert_int_equal(lease.card, 3);
    assert_int_equal(lease.time_limit_ms, 5000);
    assert_int_equal(lease.command.count, 3);
    snprintf(wanted, sizeof(wanted), "%s/ops/add", fixture->folder);
    assert_string_equal(lease.command.items[0], wanted);
    assert_string_equal(lease.command.items[2], "32");
    assert_int_equal(lease.env.count, 1);
    assert_string_equal(lease.env.items[0], "SIZE=32");
    snprintf(wanted, sizeof(wanted), "%s/runs", fixture->folder);
    assert_string_equal(lease.cwd, wanted);
    assert_int_equal(lease.metrics.count, 1);
    assert_string_equal(lease.kernel, "Add*");
    assert_int_equal(lease.warmup, 3);
    assert_int_equal(lease.launch_count, 2);
    assert_int_equal(lease.launch_skip, 1);
    ledger_assign_worker(attempt->ranks, NULL);
    workers_clear(&workers);
}

/* The cached program of one point is not used for another point. */
static void each_point_can_have_its_own_program(void **ctx)
{
    static const char of_points[] = "version: 1\nname: leased\n"
                                    "operator: {command: [\"ops/${n}\"]}\n"
                                    "sweep: {matrix: {n: [add, sub]}, repeat: 2}\n"
                                    "profile: {metrics: []}\n";
    struct fixture *fixture = *ctx;
    char program[PATH_MAX], cwd[PATH_MAX], wanted[PATH_MAX];
    struct workers workers = {0};
    struct worker *worker = add_worker(&workers);
    struct ledger_job *job;
    struct msg_lease lease;
    struct attempt *attempt;
    struct err err;

    put_program(fixture->folder, "ops/add");
    put_program(fixture->folder, "ops/sub");
    job = submit(fixture, of_points);
    for (uint64_t i = 0; i < job->task_count; i++) {
        struct task *task = &job->tasks[i];

        assert_int_equal(
            ledger_lease(&attempt, fixture->ledger, task, &worker, 1, &err), 0);
        lease_message_fill(&lease, attempt->ranks, program, sizeof(program), cwd,
                           sizeof(cwd));
        snprintf(wanted, sizeof(wanted), "%s/ops/%s", fixture->folder,
                 task->point == 0 ? "add" : "sub");
        assert_string_equal(lease.command.items[0], wanted);
        ledger_assign_worker(attempt->ranks, NULL);
    }
    workers_clear(&workers);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

static void the_folder_of_the_job_file_has_no_dot(void **ctx)
{
    const struct job_settings settings = {.runner = false};
    const struct {
        const char *cwd, *wanted;
    } cases[] = {{".", "/jobs"}, {"runs", "/jobs/runs"}, {"/tmp", "/tmp"}, {"", ""}};
    char cwd[PATH_MAX];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct job_point point = {.cwd = cases[i].cwd, .settings = &settings};

        lease_message_cwd(cwd, sizeof(cwd), &point, "/jobs");
        assert_string_equal(cwd, cases[i].wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_program_is_found_below_the_folder_of_the_job_or_of_the_parts),
        CASE(paths_of_other_programs_stay_unchanged),
        CASE(a_lease_has_the_values_of_its_point),
        CASE(each_point_can_have_its_own_program),
        CASE(the_folder_of_the_job_file_has_no_dot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
