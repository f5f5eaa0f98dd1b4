#include "coordinator/parse/parse_queue.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/parser_output/parser_output.h"
#include "lib/store/store.h"

enum {
    OUTPUT_MAX = 8 << 20, /* bytes on stdout; more can only be an error */
    READ_BYTES = 64 * 1024,
    ERROR_MAX = PARSER_PROBLEMS_BYTES,
    CRASH_MAX = 96,
    NOT_STARTED = 127, /* exit code of a program that the loader cannot start */
    POLL_MS = 10,
    DELAY_MAX_MS = 60000,
    EXIT_LATER = 75, /* of muster-parser: the same command may succeed later */
};

/* A parser process that waits or runs. */
struct work {
    struct work *next;
    struct parse_queue *queue;
    enum parse_kind kind;
    uint64_t job_id, run_id;
    uint32_t rank; /* for a merge: number of ranks */
    bool is_partial;
    char *out, *custom_input;
    pid_t pid; /* 0: not started */
    int stdout_fd;
    int end_fd;                 /* pidfd, readable when the process has ended; or -1 */
    struct reactor_timer *poll; /* instead, where pidfd_open() is not available */
    struct text output;
    bool output_too_long;
    bool timed_out;
    unsigned starts;
    struct reactor_timer *limit;
    int failed;                  /* errno of a failed start that is not reported yet */
    struct reactor_timer *delay; /* until the next start, or NULL */
    char delayed_by[256];        /* the error that the next start may not have */
};

struct parse_queue {
    struct reactor *reactor;
    struct parse_options options;
    struct parse_events events;
    void *arg;
    struct work *first; /* in the order in which they were added */
    struct work **tail;
    size_t count, running;
};

struct parse_queue *parse_queue_create(struct reactor *reactor,
                                       const struct parse_options *options,
                                       const struct parse_events *events,
                                       void *arg)
{
    struct parse_queue *queue = xcalloc(1, sizeof(*queue));

    queue->reactor = reactor;
    queue->tail = &queue->first;
    queue->options = *options;
    queue->options.program = xstrdup(options->program);
    queue->options.store = xstrdup(options->store);
    if (queue->options.parallel == 0)
        queue->options.parallel = 1;
    queue->events = *events;
    queue->arg = arg;
    return queue;
}

static void close_child(struct work *work)
{
    struct parse_queue *queue = work->queue;

    if (!work->pid)
        return;
    reactor_off_fd(queue->reactor, work->stdout_fd);
    if (work->end_fd >= 0) {
        reactor_off_fd(queue->reactor, work->end_fd);
        close(work->end_fd);
    }
    reactor_cancel(queue->reactor, work->poll);
    reactor_cancel(queue->reactor, work->limit);
    close(work->stdout_fd);
    work->poll = work->limit = NULL;
    work->pid = 0;
    queue->running--;
}

static void free_work(struct work *work)
{
    struct parse_queue *queue = work->queue;
    struct work **link = &queue->first;

    while (*link != work)
        link = &(*link)->next;
    *link = work->next;
    if (!work->next)
        queue->tail = link;
    queue->count--;
    if (work->failed)
        reactor_cancel(queue->reactor, work->limit);
    reactor_cancel(queue->reactor, work->delay);
    close_child(work);
    text_clear(&work->output);
    free(work->out);
    free(work->custom_input);
    free(work);
}

void parse_queue_destroy(struct parse_queue *queue)
{
    if (!queue)
        return;
    while (queue->first) {
        if (queue->first->pid) {
            kill(queue->first->pid, SIGKILL);
            waitpid(queue->first->pid, NULL, 0);
        }
        free_work(queue->first);
    }
    free((char *)queue->options.program);
    free((char *)queue->options.store);
    free(queue);
}

size_t parse_queue_busy(const struct parse_queue *queue)
{
    return queue->count;
}

static void report_line(const struct work *work, const struct parser_output *line)
{
    const struct parse_queue *queue = work->queue;

    if (line->kind == PARSER_OUTPUT)
        queue->events.output(work->run_id, work->kind == PARSE_MERGE ? 0 : work->rank,
                             line->text, queue->arg);
    if (work->kind != PARSE_RANK)
        return;
    if (line->kind == PARSER_ENVIRONMENT)
        queue->events.environment(
            work->run_id, work->rank,
            &(struct store_environment){.chip = line->chip,
                                        .hbm_maker = (uint32_t)line->hbm_maker,
                                        .cann = line->cann,
                                        .driver = line->driver,
                                        .firmware = line->firmware,
                                        .host_kernel = line->host_kernel,
                                        .measurement = line->measurement},
            queue->arg);
    if (line->kind == PARSER_LAUNCH)
        queue->events.launch(&(struct store_launch){.run_id = work->run_id,
                                                    .rank = work->rank,
                                                    .launch = line->launch,
                                                    .kernel = line->kernel,
                                                    .device = (uint32_t)line->device,
                                                    .code_hash = line->code_hash,
                                                    .tick_ns = line->tick_ns,
                                                    .group_found = line->group_found,
                                                    .restored = line->restored,
                                                    .advice = line->advice,
                                                    .notes = line->notes},
                             queue->arg);
    if (line->kind == PARSER_REPLAY)
        queue->events.replay(
            &(struct store_replay){.run_id = work->run_id,
                                   .rank = work->rank,
                                   .launch = line->launch,
                                   .kernel = line->kernel,
                                   .device = (uint32_t)line->device,
                                   .replay = (uint32_t)line->replay,
                                   .pass = (uint32_t)line->pass,
                                   .started_ns = line->started_ns,
                                   .duration_ns = line->duration_ns,
                                   .arrived_ns = line->arrived_ns,
                                   .released_ns = line->released_ns,
                                   .uncertainty_ns = line->uncertainty_ns},
            queue->arg);
    if (line->kind == PARSER_METRIC)
        queue->events.metric(&(struct store_metric){.run_id = work->run_id,
                                                    .rank = work->rank,
                                                    .launch = line->launch,
                                                    .kernel = line->kernel,
                                                    .device = (uint32_t)line->device,
                                                    .metric = line->metric,
                                                    .value = line->value,
                                                    .unit = line->unit},
                             queue->arg);
}

/* Reads all lines and reports them when `report` is true. Writes the problems to
 * `error`, and returns false when there is one. */
static bool read_lines(const struct work *work, bool report, char *error, size_t size)
{
    const char *line = text_get(&work->output);
    struct parser_problems problems = {0};

    while (*line) {
        size_t length = strcspn(line, "\n");
        struct parser_output parsed;
        struct err err;
        const char *wrong = NULL;

        if (parser_output_read(&parsed, line, length, &err) < 0)
            wrong = err.text;
        else if (parsed.kind == PARSER_ERROR)
            wrong = parsed.text;
        else if (report)
            report_line(work, &parsed);
        if (wrong)
            parser_problems_add(&problems, wrong);
        line += length;
        line += *line == '\n';
    }
    parser_problems_finish(&problems);
    snprintf(error, size, "%s", problems.text);
    return problems.count == 0;
}

/* Reports the end of the process. */
static void report_end(const struct work *work, bool good, const char *error)
{
    const struct parse_queue *queue = work->queue;

    switch (work->kind) {
    case PARSE_RANK:
        queue->events.ended(work->run_id, work->rank, good, error, queue->arg);
        break;
    case PARSE_MERGE:
        queue->events.merged(work->run_id, good, error, queue->arg);
        break;
    case PARSE_REPORT:
        queue->events.reported(work->job_id, good, error, queue->arg);
        break;
    }
}

/* Writes why the process was killed to `crash`, or "". */
static void describe_crash(char crash[CRASH_MAX], const struct work *work, int status)
{
    *crash = '\0';
    if (work->timed_out)
        snprintf(crash, CRASH_MAX, "the parser was killed at its time limit");
    else if (work->output_too_long)
        snprintf(crash, CRASH_MAX,
                 "the parser was killed: it wrote more than 8 MiB of output");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
        snprintf(crash, CRASH_MAX,
                 "the parser aborted, as it does without memory; check "
                 "--parser-memory");
    else if (WIFSIGNALED(status))
        snprintf(crash, CRASH_MAX, "the parser was killed by signal %d",
                 WTERMSIG(status));
}

/* Returns true when the parse succeeded; otherwise `error` has the reason. */
static bool
is_good(const struct work *work, int status, const char *crash, char error[ERROR_MAX])
{
    bool good = read_lines(work, false, error, ERROR_MAX);

    if (*crash) {
        char why[ERROR_MAX];

        snprintf(why, sizeof(why), "%s%s%.1000s", crash, *error ? ": " : "", error);
        memcpy(error, why, sizeof(why));
        return false;
    }
    if (good && WEXITSTATUS(status) != 0)
        snprintf(error, ERROR_MAX, "the parser ended with exit code %d%s",
                 WEXITSTATUS(status),
                 WEXITSTATUS(status) == NOT_STARTED
                     ? ": it could not be started; check --parser and --parser-memory"
                     : "");
    return good && WEXITSTATUS(status) == 0;
}

static void start_waiting(struct parse_queue *queue);

/* Reads output. Returns true at its end. */
static bool read_output(struct work *work)
{
    for (int most = 16; most; most--) {
        ssize_t got =
            read(work->stdout_fd, text_reserve(&work->output, READ_BYTES), READ_BYTES);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno != EAGAIN;
        if (got == 0)
            return true;
        if (work->output.length + (size_t)got > OUTPUT_MAX) {
            work->output_too_long = true;
            kill(work->pid, SIGKILL);
            return true;
        }
        work->output.length += (size_t)got;
        work->output.bytes[work->output.length] = '\0';
    }
    return false;
}

static void on_output(void *arg)
{
    struct work *work = arg;

    if (read_output(work))
        reactor_off_fd(work->queue->reactor, work->stdout_fd);
}

/* Returns true when the process failed for a reason outside its input: it was killed,
 * as by the kernel when memory ran out, or it reported that the machine lacks
 * something. */
static bool may_succeed_later(const struct work *work, int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status) == EXIT_LATER;
    return (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM) &&
           !work->timed_out && !work->output_too_long &&
           work->starts < PARSE_STARTS_MAX;
}

static void on_delay(void *arg)
{
    struct work *work = arg;

    work->delay = NULL;
    start_waiting(work->queue);
}

/* Starts the process again after a delay. Returns false when the owner of the queue
 * declines that. */
static bool repeat_later(struct work *work, const char *error)
{
    struct parse_queue *queue = work->queue;
    unsigned doublings = work->starts > 16 ? 16 : work->starts - 1;
    uint64_t delay_ms = queue->options.repeat_ms << doublings;

    delay_ms = delay_ms < DELAY_MAX_MS ? delay_ms : DELAY_MAX_MS;
    if (!queue->events.repeats(work->job_id, work->run_id, error, delay_ms, queue->arg))
        return false;
    close_child(work);
    text_clear(&work->output);
    snprintf(work->delayed_by, sizeof(work->delayed_by), "%s", error);
    work->delay = reactor_once(queue->reactor, delay_ms, on_delay, work);
    return true;
}

void parse_queue_end_repeats(struct parse_queue *queue, uint64_t job_id)
{
    for (struct work *work = queue->first, *next; work; work = next) {
        next = work->next;
        if (!work->delay || work->job_id != job_id)
            continue;
        report_end(work, false, work->delayed_by);
        free_work(work);
    }
    start_waiting(queue);
}

static void on_end(void *arg)
{
    struct work *work = arg;
    struct parse_queue *queue = work->queue;
    char error[ERROR_MAX] = "", crash[CRASH_MAX];
    int status;

    if (waitpid(work->pid, &status, WNOHANG) != work->pid)
        return;
    while (!read_output(work))
        continue; /* its last output is still in the pipe */
    describe_crash(crash, work, status);
    bool good = is_good(work, status, crash, error);
    if (!may_succeed_later(work, status) || !repeat_later(work, error)) {
        char ignored[ERROR_MAX];

        if (!*crash && work->kind != PARSE_REPORT)
            read_lines(work, true, ignored, sizeof(ignored));
        report_end(work, good, error);
        free_work(work);
    }
    start_waiting(queue);
}

static void on_limit(void *arg)
{
    struct work *work = arg;

    work->timed_out = true;
    work->limit = NULL;
    kill(work->pid, SIGKILL);
}

/* Returns the number of processors that each process may use. */
static size_t processors(const struct parse_queue *queue)
{
    size_t each = queue->options.parallel / queue->count;

    return each ? each : 1;
}

/* Returns 0 or errno. */
static int start(struct work *work)
{
    struct parse_queue *queue = work->queue;
    const struct parse_request request = {.kind = work->kind,
                                          .job_id = work->job_id,
                                          .run_id = work->run_id,
                                          .rank = work->rank,
                                          .out = work->out,
                                          .custom_input = work->custom_input,
                                          .is_partial = work->is_partial,
                                          .processors = processors(queue),
                                          .is_repeated =
                                              ++work->starts < PARSE_STARTS_MAX};
    int number =
        parser_process_start(&work->pid, &work->stdout_fd, &queue->options, &request);

    if (number)
        return number;
    work->end_fd = (int)syscall(SYS_pidfd_open, work->pid, 0);
    queue->running++;
    reactor_on_fd(queue->reactor, work->stdout_fd, on_output, work);
    if (work->end_fd >= 0)
        reactor_on_fd(queue->reactor, work->end_fd, on_end, work);
    else
        work->poll = reactor_every(queue->reactor, POLL_MS, on_end, work);
    if (queue->options.time_limit_ms)
        work->limit =
            reactor_once(queue->reactor, queue->options.time_limit_ms, on_limit, work);
    return 0;
}

/* Returns true when a later start may succeed. */
static bool is_shortage(int number)
{
    return number == EMFILE || number == ENFILE || number == EAGAIN || number == ENOMEM;
}

static void on_failed(void *arg)
{
    struct work *work = arg;
    struct parse_queue *queue = work->queue;
    char error[256], words[96];

    bool later = is_shortage(work->failed);

    work->limit = NULL;
    snprintf(error, sizeof(error), "cannot start %.120s: %s", queue->options.program,
             strerror_r(work->failed, words, sizeof(words)));
    work->failed = 0;
    if (!later || !repeat_later(work, error)) {
        report_end(work, false, error);
        free_work(work);
    }
    start_waiting(queue);
}

/* Reports a failed start in the next turn: no callback runs inside parse_queue_add().
 */
static void start_or_fail(struct work *work)
{
    work->failed = start(work);
    if (work->failed)
        work->limit = reactor_once(work->queue->reactor, 0, on_failed, work);
}

/* A report waits for all earlier work of its job. The parses of an attempt wait for its
 * merge: after the last parse the attempt ends, and a lost merge would not be repeated.
 */
static bool waits_for(const struct work *wanted, const struct work *other)
{
    if (wanted->job_id != other->job_id)
        return false;
    return wanted->kind == PARSE_REPORT ||
           (wanted->kind == PARSE_RANK && other->kind == PARSE_MERGE &&
            wanted->run_id == other->run_id);
}

static bool can_start(const struct parse_queue *queue, const struct work *wanted)
{
    if (wanted->pid || wanted->failed || wanted->delay)
        return false;
    for (const struct work *work = queue->first; work != wanted; work = work->next)
        if (waits_for(wanted, work))
            return false;
    return true;
}

static void start_waiting(struct parse_queue *queue)
{
    struct work *next;

    for (struct work *work = queue->first;
         work && queue->running < queue->options.parallel; work = next) {
        next = work->next;
        if (can_start(queue, work))
            start_or_fail(work);
    }
}

/* The queue owns the text `custom_input` of the request. */
static void
append(struct parse_queue *queue, const struct work *request, const char *out)
{
    struct work *work = xmemdup(request, sizeof(*request));

    work->queue = queue;
    work->out = xstrdup(out);
    *queue->tail = work;
    queue->tail = &work->next;
    queue->count++;
    start_waiting(queue);
}

void parse_queue_add(struct parse_queue *queue, const struct parse_task *task)
{
    append(queue,
           &(struct work){.job_id = task->job_id,
                          .run_id = task->run_id,
                          .rank = task->rank,
                          .custom_input =
                              task->custom_input ? xstrdup(task->custom_input) : NULL,
                          .is_partial = task->is_partial},
           task->out);
}

void parse_queue_merge(struct parse_queue *queue, const struct parse_task *task)
{
    append(queue,
           &(struct work){.kind = PARSE_MERGE,
                          .job_id = task->job_id,
                          .run_id = task->run_id,
                          .rank = task->rank},
           task->out);
}

void parse_queue_report(struct parse_queue *queue, uint64_t job_id, const char *out)
{
    append(queue, &(struct work){.kind = PARSE_REPORT, .job_id = job_id}, out);
}
