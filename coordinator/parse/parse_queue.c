#include "coordinator/parse/parse_queue.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordinator/parse/parser_output.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/store/store.h"

enum {
    SAID_MAX = 8 << 20, /* bytes on stdout: a child that says more is out of its mind */
    READ_BYTES = 64 * 1024,
    LOOK_MS = 10,
    STARTS_MAX = 3, /* of a child that somebody kills; more is no accident */
};

/* One child to be, or being. */
struct work {
    struct work *next;
    struct parse_queue *queue;
    enum parse_kind kind;
    uint64_t job_id, run_id;
    uint32_t rank; /* of a merge: how many there are */
    char *out;
    pid_t pid; /* 0: waits */
    int stdout_fd;
    int end_fd;                 /* pidfd: readable when the child has ended; or -1: */
    struct reactor_timer *look; /* this kernel, or a sandbox, has none: we look */
    struct text said;
    bool said_too_much;
    bool out_of_time;
    unsigned starts;
    struct reactor_timer *limit;
    int failed; /* errno: it could not be started, and that is still to be told */
};

struct parse_queue {
    struct reactor *reactor;
    struct parse_options options;
    struct parse_events events;
    void *arg;
    struct work *first; /* in the order in which they came */
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

static void part_from_child(struct work *work)
{
    struct parse_queue *queue = work->queue;

    if (!work->pid)
        return;
    reactor_off_fd(queue->reactor, work->stdout_fd);
    if (work->end_fd >= 0) {
        reactor_off_fd(queue->reactor, work->end_fd);
        close(work->end_fd);
    }
    reactor_cancel(queue->reactor, work->look);
    reactor_cancel(queue->reactor, work->limit);
    close(work->stdout_fd);
    work->look = work->limit = NULL;
    work->pid = 0;
    queue->running--;
}

static void forget(struct work *work)
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
    part_from_child(work);
    text_clear(&work->said);
    free(work->out);
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
        forget(queue->first);
    }
    free((char *)queue->options.program);
    free((char *)queue->options.store);
    free(queue);
}

size_t parse_queue_busy(const struct parse_queue *queue)
{
    return queue->count;
}

static void hand_over_word(const struct work *work, const struct parser_output *word)
{
    const struct parse_queue *queue = work->queue;

    if (word->kind == PARSER_OUTPUT)
        queue->events.output(work->run_id, work->kind == PARSE_MERGE ? 0 : work->rank,
                             word->text, queue->arg);
    if (word->kind == PARSER_METRIC && work->kind == PARSE_RANK)
        queue->events.metric(&(struct store_metric){.run_id = work->run_id,
                                                    .rank = work->rank,
                                                    .launch = word->launch,
                                                    .kernel = word->kernel,
                                                    .device = (uint32_t)word->device,
                                                    .metric = word->metric,
                                                    .value = word->value,
                                                    .unit = word->unit,
                                                    .simulated = word->simulated},
                             queue->arg);
}

/* Goes through all lines; hands over what is good when `give`. The first thing that is
 * wrong goes to `error`. False when something was. */
static bool read_lines(const struct work *work, bool give, char *error, size_t size)
{
    const char *line = text_get(&work->said);
    bool good = true;

    while (*line) {
        size_t length = strcspn(line, "\n");
        struct parser_output word;
        struct err err;
        const char *wrong = NULL;

        if (parser_output_read(&word, line, length, &err) < 0)
            wrong = err.text;
        else if (word.kind == PARSER_ERROR)
            wrong = word.text;
        else if (give)
            hand_over_word(work, &word);
        if (wrong && good) {
            snprintf(error, size, "%s", wrong);
            good = false;
        }
        line += length;
        line += *line == '\n';
    }
    return good;
}

/* The last word on the child, to whoever asked for it. */
static void tell_end(const struct work *work, bool good, const char *error)
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

static void hand_over(struct work *work, int status)
{
    char error[1200] = "", crash[64] = "";
    bool good;

    if (work->out_of_time)
        snprintf(crash, sizeof(crash), "the parser was ended: out of time");
    else if (work->said_too_much)
        snprintf(crash, sizeof(crash), "the parser said too much");
    else if (WIFSIGNALED(status))
        snprintf(crash, sizeof(crash), "the parser crashed: signal %d",
                 WTERMSIG(status));
    good =
        read_lines(work, !*crash && work->kind != PARSE_REPORT, error, sizeof(error));
    if (*crash) {
        char why[sizeof(error)];

        snprintf(why, sizeof(why), "%s%s%.1000s", crash, *error ? ": " : "", error);
        memcpy(error, why, sizeof(error));
        good = false;
    } else if (WEXITSTATUS(status) != 0) {
        if (good)
            snprintf(error, sizeof(error), "the parser ended with exit code %d",
                     WEXITSTATUS(status));
        good = false;
    }
    tell_end(work, good, error);
}

static void start_what_can(struct parse_queue *queue);

/* True at the end of what it says. */
static bool drain(struct work *work)
{
    for (int most = 16; most; most--) {
        ssize_t got =
            read(work->stdout_fd, text_reserve(&work->said, READ_BYTES), READ_BYTES);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno != EAGAIN;
        if (got == 0)
            return true;
        if (work->said.length + (size_t)got > SAID_MAX) {
            work->said_too_much = true;
            kill(work->pid, SIGKILL);
            return true;
        }
        work->said.length += (size_t)got;
        work->said.bytes[work->said.length] = '\0';
    }
    return false;
}

static void on_words(void *arg)
{
    struct work *work = arg;

    if (drain(work))
        reactor_off_fd(work->queue->reactor, work->stdout_fd);
}

/* By somebody who is neither we nor the child itself: the kernel that ran out of
 * memory, a person. What it read is not to blame, so it is read again. */
static bool was_killed(const struct work *work, int status)
{
    return WIFSIGNALED(status) &&
           (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM) &&
           !work->out_of_time && !work->said_too_much;
}

static void on_end(void *arg)
{
    struct work *work = arg;
    struct parse_queue *queue = work->queue;
    int status;

    if (waitpid(work->pid, &status, WNOHANG) != work->pid)
        return;
    while (!drain(work))
        continue; /* what it said last is still in the pipe */
    if (was_killed(work, status) && work->starts < STARTS_MAX) {
        part_from_child(work);
        text_clear(&work->said);
    } else {
        hand_over(work, status);
        forget(work);
    }
    start_what_can(queue);
}

static void on_limit(void *arg)
{
    struct work *work = arg;

    work->out_of_time = true;
    work->limit = NULL;
    kill(work->pid, SIGKILL);
}

/* That one child of several may use. */
static size_t processors(const struct parse_queue *queue)
{
    size_t each = queue->options.parallel / queue->count;

    return each ? each : 1;
}

/* 0, or errno. */
static int start(struct work *work)
{
    struct parse_queue *queue = work->queue;
    const struct parse_wish wish = {.kind = work->kind,
                                    .job_id = work->job_id,
                                    .run_id = work->run_id,
                                    .rank = work->rank,
                                    .out = work->out,
                                    .processors = processors(queue)};
    int number =
        parser_process_start(&work->pid, &work->stdout_fd, &queue->options, &wish);

    if (number)
        return number;
    work->starts++;
    work->end_fd = (int)syscall(SYS_pidfd_open, work->pid, 0);
    queue->running++;
    reactor_on_fd(queue->reactor, work->stdout_fd, on_words, work);
    if (work->end_fd >= 0)
        reactor_on_fd(queue->reactor, work->end_fd, on_end, work);
    else
        work->look = reactor_every(queue->reactor, LOOK_MS, on_end, work);
    if (queue->options.time_limit_ms)
        work->limit =
            reactor_once(queue->reactor, queue->options.time_limit_ms, on_limit, work);
    return 0;
}

static void on_failed(void *arg)
{
    struct work *work = arg;
    struct parse_queue *queue = work->queue;
    char error[256], words[96];

    work->limit = NULL;
    snprintf(error, sizeof(error), "starting %.120s: %s", queue->options.program,
             strerror_r(work->failed, words, sizeof(words)));
    tell_end(work, false, error);
    forget(work);
    start_what_can(queue);
}

/* A failure is told in a turn of its own: nobody is called back from inside a call. */
static void start_or_fail(struct work *work)
{
    work->failed = start(work);
    if (work->failed)
        work->limit = reactor_once(work->queue->reactor, 0, on_failed, work);
}

/* A report waits for all of its job that came before it, and the parses of a run for
 * its merge: once all ranks are parsed, nobody would ask for that again. */
static bool waits_for(const struct work *wanted, const struct work *other)
{
    if (wanted->job_id != other->job_id)
        return false;
    return wanted->kind == PARSE_REPORT ||
           (wanted->kind == PARSE_RANK && other->kind == PARSE_MERGE &&
            wanted->run_id == other->run_id);
}

static bool may_start(const struct parse_queue *queue, const struct work *wanted)
{
    if (wanted->pid || wanted->failed)
        return false;
    for (const struct work *work = queue->first; work != wanted; work = work->next)
        if (waits_for(wanted, work))
            return false;
    return true;
}

static void start_what_can(struct parse_queue *queue)
{
    struct work *next;

    for (struct work *work = queue->first;
         work && queue->running < queue->options.parallel; work = next) {
        next = work->next;
        if (may_start(queue, work))
            start_or_fail(work);
    }
}

static void append(struct parse_queue *queue, const struct work *wish, const char *out)
{
    struct work *work = xmemdup(wish, sizeof(*wish));

    work->queue = queue;
    work->out = xstrdup(out);
    *queue->tail = work;
    queue->tail = &work->next;
    queue->count++;
    start_what_can(queue);
}

void parse_queue_add(struct parse_queue *queue, const struct parse_task *task)
{
    append(queue,
           &(struct work){
               .job_id = task->job_id, .run_id = task->run_id, .rank = task->rank},
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
