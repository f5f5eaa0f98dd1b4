#include "lib/store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/child.h"
#include "tests/support/store_fixture.h"

static void reopen(void)
{
    store_close(store);
    store = NULL;
    OK(store_open(&store, folder, STORE_WRITE, &err));
}

static int keep_job(const struct store_job *job, void *arg, struct err *error)
{
    (void)error;
    *(struct store_job *)arg = *job;
    assert_string_equal(job->key, "matmul-1");
    assert_string_equal(job->yaml, "version: 1");
    assert_string_equal(job->file_name, "");
    return 0;
}

static int count_task(const struct store_task *task, void *arg, struct err *error)
{
    uint64_t *count = arg;

    (void)error;
    assert_int_equal(task->place, *count);
    ++*count;
    assert_int_equal(task->task_id, *count);
    assert_int_equal(task->card, STORE_ANY_CARD);
    return 0;
}

static int refuse(const struct store_task *task, void *arg, struct err *error)
{
    (void)task;
    (void)arg;
    return err_set(error, ERR_LIMIT, "enough");
}

static void check_found(const char *word, uint64_t job_id, uint64_t of_name)
{
    struct store_found_job found;

    OK(store_job_find(store, word, &found, &err));
    assert_int_equal(found.job_id, job_id);
    assert_int_equal(found.of_name, of_name);
    assert_true(strncmp(found.key, "matmul-", 7) == 0);
    free(found.key);
}

static void only_committed_changes_survive(void **ctx)
{
    struct store_job job = {0};
    struct store_found_job found;
    uint64_t id = add_job(3);

    (void)ctx;
    assert_true(store_has_changes(store));
    OK(store_commit(store, &err));
    assert_false(store_has_changes(store));
    OK(store_job_set_state(store, id, JOB_RUNNING, "", 77, &err));
    reopen();
    OK(store_each_job(store, 0, keep_job, &job, &err));
    assert_int_equal(job.state, JOB_WAITING);
    assert_int_equal(job.tasks_total, 3);
    check_found("matmul-1", id, 1);
    check_found("matmul", id, 1);
    assert_int_equal(store_job_find(store, "matmul-9", &found, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    check_found("matmul", add_job(0), 2);
    check_found("matmul-1", id, 1);
    check_found("1", id, 1);
}

static void many_tasks_are_read_in_their_order(void **ctx)
{
    enum { BATCH = 37 }; /* two statements of 16 rows, and 5 single rows */
    struct store_job job = {0};
    uint64_t id = add_job(100000), count = 0;

    (void)ctx;
    for (uint64_t i = 0; i < 100000; i += BATCH) {
        struct store_task tasks[BATCH] = {{0}};
        size_t batch = i + BATCH <= 100000 ? BATCH : (size_t)(100000 - i);

        for (size_t n = 0; n < batch; n++)
            tasks[n] = (struct store_task){.job_id = id,
                                           .place = i + n,
                                           .card = STORE_ANY_CARD,
                                           .point = (i + n) / 5,
                                           .repeat = (uint32_t)((i + n) % 5)};
        OK(store_tasks_add(store, tasks, batch, &err));
        for (size_t n = 0; n < batch; n++)
            assert_int_equal(tasks[n].task_id, i + n + 1);
    }
    OK(store_commit(store, &err));
    reopen();
    OK(store_each_open_task(store, 0, count_task, &count, &err));
    assert_int_equal(count, 100000);
    OK(store_each_job(store, id, keep_job, &job, &err));
    assert_int_equal(job.tasks_waiting, 100000);
    OK(store_each_uncounted_job(store, keep_job, &job, &err));
    assert_int_equal(job.job_id, id);
    assert_int_equal(job.tasks_waiting, 0);
    assert_int_equal(store_each_open_task(store, 0, refuse, NULL, &err), -1);
    assert_string_equal(err.text, "enough");
    OK(store_job_delete(store, id, &err));
    count = 0;
    OK(store_each_task(store, id, count_task, &count, &err));
    assert_int_equal(count, 0);
}

static int count_job(const struct store_job *job, void *arg, struct err *error)
{
    (void)job;
    (void)error;
    ++*(int *)arg;
    return 0;
}

static void a_single_job_is_read_only_by_its_own_number(void **ctx)
{
    uint64_t id = add_job(0);
    int count = 0;

    (void)ctx;
    OK(store_job_read(store, id, count_job, &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(store_job_read(store, 0, count_job, &count, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(store_job_read(store, id + 1, count_job, &count, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(count, 1);
}

static int check_point(const struct store_point *point, void *arg, struct err *error)
{
    uint64_t *count = arg;
    char text[16];

    (void)error;
    assert_int_equal(point->point, *count);
    snprintf(text, sizeof(text), "m=%u", (unsigned)*count);
    assert_string_equal(point->text, text);
    assert_string_equal(point->values_json, *count % 2 ? "{}" : "");
    ++*count;
    return 0;
}

static void points_in_batches_are_stored_completely(void **ctx)
{
    enum { POINTS = 40 };
    struct store_point points[POINTS] = {{0}};
    char texts[POINTS][16];
    uint64_t id = add_job(1), count = 0;

    (void)ctx;
    for (unsigned i = 0; i < POINTS; i++) {
        snprintf(texts[i], sizeof(texts[i]), "m=%u", i);
        points[i] = (struct store_point){.job_id = id,
                                         .point = i,
                                         .text = texts[i],
                                         .values_json = i % 2 ? "{}" : NULL};
    }
    OK(store_points_add(store, points, POINTS, &err));
    OK(store_each_point(store, id, check_point, &count, &err));
    assert_int_equal(count, POINTS);
    assert_int_equal(store_points_add(store, points, 1, &err), -1); /* a duplicate */
    assert_int_equal(err.code, ERR_CONFLICT);
}

static int keep_result(const struct store_result *result, void *arg, struct err *error)
{
    (void)error;
    assert_string_equal(result->metric, "duration_us");
    assert_string_equal(result->point_text, "m=1");
    assert_int_equal(result->attempt, 2);
    *(double *)arg += result->value;
    return 0;
}

static int
keep_attempt(const struct store_attempt *attempt, void *arg, struct err *error)
{
    (void)error;
    assert_int_equal(attempt->state,
                     attempt->attempt == 1 ? ATTEMPT_LOST : ATTEMPT_RUNNING);
    ++*(int *)arg;
    return 0;
}

static int keep_rank(const struct store_rank *rank, void *arg, struct err *error)
{
    (void)error;
    assert_string_equal(rank->serial, "s1");
    assert_int_equal(rank->card, 3);
    assert_true(rank->simulated);
    ++*(int *)arg;
    return 0;
}

static int
list_rank_time(const struct store_rank_time *time, void *arg, struct err *error)
{
    (void)error;
    text_printf(arg, "%" PRIu64 "/%u/%u %" PRIu64 "-%" PRIu64 "%s%s\n", time->point,
                time->repeat, time->attempt, time->started_wall_ns, time->ended_wall_ns,
                time->simulated ? " simulated" : "", time->accepted ? " accepted" : "");
    return 0;
}

static void only_the_accepted_attempt_has_results(void **ctx)
{
    struct store_point point = {.text = "m=1", .values_json = "{\"m\":1}"};
    struct store_task task = {.card = STORE_ANY_CARD};
    double sum = 0;
    int attempts = 0, ranks = 0;
    struct text times = {0};

    (void)ctx;
    point.job_id = task.job_id = add_job(1);
    OK(store_points_add(store, &point, 1, &err));
    OK(store_tasks_add(store, &task, 1, &err));
    for (uint32_t i = 1; i <= 2; i++) {
        struct store_attempt attempt = {
            .run_id = 100 + i, .task_id = task.task_id, .attempt = i, .card = 3};
        struct store_rank rank = {
            .run_id = 100 + i, .card = 3, .serial = "s1", .simulated = true};
        rank.started_wall_ns = 900 * i;
        rank.ended_wall_ns = 1000 * i;
        struct store_metric metric = {
            .run_id = 100 + i, .metric = "duration_us", .value = i, .unit = "us"};

        OK(store_attempt_add(store, &attempt, &err));
        OK(store_rank_put(store, &rank, &err));
        OK(store_rank_put(store, &rank, &err));
        OK(store_metric_add(store, &metric, &err));
        OK(store_output_add(store, 100 + i, 0, "a/visualize_data.bin", &err));
    }
    OK(store_attempt_move(store,
                          &(struct store_attempt){
                              .run_id = 101, .state = ATTEMPT_LOST, .reason = "silent"},
                          &err));
    OK(store_attempt_move(
        store, &(struct store_attempt){.run_id = 102, .state = ATTEMPT_RUNNING}, &err));
    OK(store_each_result(store, task.job_id, keep_result, &sum, &err));
    assert_true(sum == 0);
    task.accepted_run_id = 102;
    OK(store_task_move(store, &task, &err));
    OK(store_commit(store, &err));
    OK(store_each_result(store, task.job_id, keep_result, &sum, &err));
    assert_true(sum == 2);
    OK(store_each_open_attempt(store, keep_attempt, &attempts, &err));
    assert_int_equal(attempts, 2);
    OK(store_each_rank(store, task.job_id, keep_rank, &ranks, &err));
    assert_int_equal(ranks, 2);
    OK(store_each_rank_time(store, task.job_id, list_rank_time, &times, &err));
    assert_string_equal(text_get(&times), "0/0/1 900-1000 simulated\n"
                                          "0/0/2 1800-2000 simulated accepted\n");
    OK(store_each_rank(store, task.job_id + 1, keep_rank, &ranks, &err));
    assert_int_equal(ranks, 2); /* no rank of another job */
    OK(store_each_rank(store, 0, keep_rank, &ranks, &err));
    OK(store_each_task(store, 0, refuse, NULL, &err));
    OK(store_each_attempt(store, 0, keep_attempt, &attempts, &err));
    assert_int_equal(ranks, 2); /* number 0 is no job, and does not mean all jobs */
    assert_int_equal(attempts, 2);
    text_clear(&times);
    OK(store_each_rank_time(store, task.job_id + 1, list_rank_time, &times, &err));
    assert_string_equal(text_get(&times), "");
    OK(store_rank_set_parse(store, 102, 0, PARSE_FAILED, "block 3", &err));
    OK(store_results_clear(store, 102, 0, &err));
    OK(store_check(store, &err));
    assert_int_equal(store_rank_set_parse(store, 7, 0, PARSE_DONE, "", &err), -1);
}

enum { PAGED_TASKS = 3, PAGED_RANKS = 2, PAGED_FILES = 3 };

struct paged { /* the outputs that were read, as text, and the last one */
    struct text text;
    struct store_output last;
    char path[32];
    uint32_t count;
};

static int keep_paged(const struct store_output *output, void *arg, struct err *error)
{
    struct paged *paged = arg;

    (void)error;
    text_printf(&paged->text, "p%d/r%d rank %d %s\n", (int)output->point,
                (int)output->repeat, (int)output->rank, output->path);
    snprintf(paged->path, sizeof(paged->path), "%s", output->path);
    paged->last = *output;
    paged->last.path = paged->path;
    paged->count++;
    return 0;
}

static void pages_of_any_size_have_each_output_once_and_in_order(void **ctx)
{
    struct store_point points[PAGED_TASKS] = {0};
    struct store_task tasks[PAGED_TASKS] = {0};
    struct text expected = {0};
    char path[32];
    uint64_t job_id = add_job(PAGED_TASKS);

    (void)ctx;
    for (unsigned i = 0; i < PAGED_TASKS; i++) {
        points[i] = (struct store_point){
            .job_id = job_id, .point = i, .text = "m=1", .values_json = "{}"};
        tasks[i] = (struct store_task){
            .job_id = job_id, .point = i, .place = i, .card = STORE_ANY_CARD};
    }
    OK(store_points_add(store, points, PAGED_TASKS, &err));
    OK(store_tasks_add(store, tasks, PAGED_TASKS, &err));
    for (unsigned i = 0; i < PAGED_TASKS; i++) {
        struct store_attempt attempt = {
            .run_id = 900 - i, .task_id = tasks[i].task_id, .attempt = 1};

        OK(store_attempt_add(store, &attempt, &err));
        tasks[i].accepted_run_id = attempt.run_id;
        OK(store_task_move(store, &tasks[i], &err));
        for (unsigned rank = 0; rank < PAGED_RANKS; rank++) {
            struct store_rank row = {.run_id = attempt.run_id, .rank = rank};

            OK(store_rank_put(store, &row, &err));
            for (unsigned file = 0; file < PAGED_FILES; file++) {
                snprintf(path, sizeof(path), "device%u/%u.csv", rank, file);
                OK(store_output_add(store, attempt.run_id, rank, path, &err));
                text_printf(&expected, "p%u/r0 rank %u %s\n", i, rank, path);
            }
        }
    }
    OK(store_commit(store, &err));
    for (uint32_t size = 1; size <= 20; size++) {
        struct paged paged = {.last.path = ""};

        do {
            paged.count = 0;
            OK(store_each_output_after(store, job_id, &paged.last, 0, size, keep_paged,
                                       &paged, &err));
        } while (paged.count == size);
        assert_string_equal(text_get(&paged.text), text_get(&expected));
        text_clear(&paged.text);
    }
    text_clear(&expected);
}

static int keep_event(const struct store_event *event, void *arg, struct err *error)
{
    (void)error;
    *(uint64_t *)arg = event->seq;
    return 0;
}

static void events_after_a_number_are_read(void **ctx)
{
    struct store_event event = {.kind = "job.submitted", .text = "x"};
    uint64_t last = 0, none = 0;

    (void)ctx;
    OK(store_event_add(store, &event, &err));
    OK(store_event_add(store, &event, &err));
    OK(store_each_event(store, 0, 0, keep_event, &last, &err));
    assert_int_equal(last, 2);
    OK(store_each_event(store, 0, 2, keep_event, &none, &err));
    assert_int_equal(none, 0);
}

static int list_event(const struct store_event *event, void *arg, struct err *error)
{
    (void)error;
    text_printf(arg, "%s: %s\n", event->kind, event->text);
    return 0;
}

static void only_events_of_gates_are_read(void **ctx)
{
    static const struct store_event events[] = {
        {.kind = "job.submitted", .job_id = 1, .text = "no gate"},
        {.kind = "gate.verdict", .job_id = 1, .text = "slower"},
        {.kind = "gate.verdict", .job_id = 2, .text = "of another job"},
        {.kind = "gate.suspect", .job_id = 1, .text = "card 3"},
    };
    struct text listed = {0};

    (void)ctx;
    for (size_t i = 0; i < COUNT(events); i++)
        OK(store_event_add(store, &events[i], &err));
    OK(store_each_gate_event(store, 1, list_event, &listed, &err));
    assert_string_equal(text_get(&listed), "gate.verdict: slower\n"
                                           "gate.suspect: card 3\n");
    text_clear(&listed);
}

static void the_error_of_a_second_writer_names_the_first(void **ctx)
{
    struct store *second;
    char pid[64];

    (void)ctx;
    snprintf(pid, sizeof(pid), "process %ld holds the lock", (long)getpid());
    if (fork() == 0)
        _exit(store_open(&second, folder, STORE_WRITE, &err) == -1 &&
                      err.code == ERR_CONFLICT && strstr(err.text, pid)
                  ? 0
                  : 1);
    assert_child_ended_well();
}

static void a_reader_reads_committed_rows_while_another_process_writes(void **ctx)
{
    struct store *reader;
    struct store_job job = {.points_total = 9};

    (void)ctx;
    add_job(0);
    OK(store_open(&reader, folder, STORE_READ, &err));
    assert_string_equal(store_id(reader), store_id(store));
    OK(store_each_job(reader, 0, keep_job, &job, &err));
    assert_int_equal(job.points_total, 9);
    OK(store_commit(store, &err));
    OK(store_each_job(reader, 0, keep_job, &job, &err));
    assert_int_equal(job.points_total, 0);
    assert_int_equal(store_job_set_state(reader, job.job_id, JOB_DONE, "", 0, &err),
                     -1);
    store_close(reader);
}

static void other_users_cannot_read_the_file(void **ctx)
{
    char path[128];
    struct stat stat_buffer;

    (void)ctx;
    snprintf(path, sizeof(path), "%s/muster.db", folder);
    assert_int_equal(stat(path, &stat_buffer), 0);
    assert_int_equal(stat_buffer.st_mode & 0777, FILE_MODE);
}

static void a_missing_or_invalid_store_is_rejected(void **ctx)
{
    struct store *other;
    char path[128];

    (void)ctx;
    snprintf(path, sizeof(path), "%s/none", folder);
    assert_int_equal(store_open(&other, path, STORE_READ, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    OK(folder_create(path, &err));
    snprintf(path, sizeof(path), "%s/none/muster.db", folder);
    OK(file_write(path, "this file has the name of a database, no more", 45, &err));
    snprintf(path, sizeof(path), "%s/none", folder);
    assert_int_equal(store_open(&other, path, STORE_WRITE, &err), -1);
    assert_int_equal(err.code, ERR_STORE);
}

static int
name_queue(const struct store_alloc_queue *queue, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%s:%d:%s:%s ", queue->name, queue->paused, queue->words,
                queue->reason);
    return 0;
}

static int
name_allocation(const struct store_allocation *allocation, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%s=%s#%llu ", allocation->name, allocation->state,
                (unsigned long long)allocation->number);
    return 0;
}

static void all_open_and_the_newest_ended_allocations_are_read(void **ctx)
{
    struct store_alloc_queue queue = {.name = "q",
                                      .resource = "npu",
                                      .nodes = 2,
                                      .model = "",
                                      .words = "--x=1\n",
                                      .reason = ""};
    struct store_allocation one = {
        .name = "live", .state = "running", .reason = "", .public_key = "key"};
    struct text text = {0};
    uint64_t queue_id, id;

    (void)ctx;
    OK(store_alloc_queue_add(store, &queue, &queue_id, &err));
    assert_int_equal(store_alloc_queue_add(store, &queue, &id, &err), -1);
    OK(store_alloc_queue_pause(store, queue_id, true, "why", &err));
    one.queue_id = queue_id;
    OK(store_allocation_add(store, &one, &one.allocation_id, &err));
    one.number = 7;
    OK(store_allocation_put(store, &one, &err));
    for (int i = 0; i < STORE_ALLOCATIONS_KEPT + 5; i++)
        OK(store_allocation_add(store,
                                &(struct store_allocation){.queue_id = queue_id,
                                                           .name = "old",
                                                           .state = "ended",
                                                           .reason = "",
                                                           .public_key = ""},
                                &id, &err));
    OK(store_each_alloc_queue(store, name_queue, &text, &err));
    assert_string_equal(text_get(&text), "q:1:--x=1\n:why ");
    text_reset(&text);
    OK(store_each_allocation(store, name_allocation, &text, &err));
    assert_int_equal(strncmp(text_get(&text), "live=running#7 old=ended#0 ", 27), 0);
    assert_int_equal(text.length, 15 + STORE_ALLOCATIONS_KEPT * 12);
    OK(store_alloc_queue_remove(store, queue_id, &err));
    assert_int_equal(store_alloc_queue_remove(store, queue_id, &err), -1);
    text_reset(&text);
    OK(store_each_allocation(store, name_allocation, &text, &err));
    assert_string_equal(text_get(&text), "");
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(only_committed_changes_survive),
        CASE(a_single_job_is_read_only_by_its_own_number),
        CASE(many_tasks_are_read_in_their_order),
        CASE(points_in_batches_are_stored_completely),
        CASE(only_the_accepted_attempt_has_results),
        CASE(pages_of_any_size_have_each_output_once_and_in_order),
        CASE(events_after_a_number_are_read),
        CASE(only_events_of_gates_are_read),
        CASE(all_open_and_the_newest_ended_allocations_are_read),
        CASE(the_error_of_a_second_writer_names_the_first),
        CASE(a_reader_reads_committed_rows_while_another_process_writes),
        CASE(other_users_cannot_read_the_file),
        CASE(a_missing_or_invalid_store_is_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
