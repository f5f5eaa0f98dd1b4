#include "coordinator/parse_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/reactor.h"
#include "base/text.h"
#include "coordinator/parser_word.h"
#include "store/captures.h"
#include "store/store.h"

enum {
    SAID_MAX = 8 << 20, /* bytes on stdout: a child that says more is out of its mind */
    READ_BYTES = 64 * 1024,
    ARGUMENTS = 16,
    LOOK_MS = 10,
    STARTS_MAX = 3, /* of a child that somebody kills; more is no accident */
};

enum work_kind { WORK_RANK, WORK_MERGE, WORK_REPORT };

/* One child to be, or being. */
struct work {
    struct work *next;
    struct parse_queue *queue;
    enum work_kind kind;
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

extern char **environ;

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

static void hand_over_word(const struct work *work, const struct parser_word *word)
{
    const struct parse_queue *queue = work->queue;

    if (word->kind == PARSER_OUTPUT)
        queue->events.output(work->run_id, work->kind == WORK_MERGE ? 0 : work->rank,
                             word->text, queue->arg);
    if (word->kind == PARSER_METRIC && work->kind == WORK_RANK)
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
        struct parser_word word;
        struct err err;
        const char *wrong = NULL;

        if (parser_word_read(&word, line, length, &err) < 0)
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
    case WORK_RANK:
        queue->events.ended(work->run_id, work->rank, good, error, queue->arg);
        break;
    case WORK_MERGE:
        queue->events.merged(work->run_id, good, error, queue->arg);
        break;
    case WORK_REPORT:
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
    good = read_lines(work, !*crash && work->kind != WORK_REPORT, error, sizeof(error));
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

/* The limits are set on the child as soon as it is there: before it can do harm, and
 * without code between fork and exec. */
static void limit(pid_t pid, const struct parse_options *options)
{
    struct rlimit cpu = {.rlim_cur = options->time_limit_ms / 1000 + 1,
                         .rlim_max = options->time_limit_ms / 1000 + 2};
    struct rlimit memory = {.rlim_cur = options->memory_bytes,
                            .rlim_max = options->memory_bytes};

    prlimit(pid, RLIMIT_CPU, &cpu, NULL);
#if !defined(__SANITIZE_ADDRESS__) /* whose shadow is larger than any limit */
    if (options->memory_bytes)
        prlimit(pid, RLIMIT_AS, &memory, NULL);
#else
    (void)memory;
#endif
}

static int spawn(struct work *work, char *const *argv, int pipe_end)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;

    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe_end, 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    int number = posix_spawn(&work->pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

static int start(struct work *work, char *const *argv)
{
    struct parse_queue *queue = work->queue;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return errno;
    fcntl(ends[1], F_SETFL, 0); /* the child's end may block */
    int number = spawn(work, argv, ends[1]);
    close(ends[1]);
    if (number) {
        work->pid = 0;
        close(ends[0]);
        return number;
    }
    limit(work->pid, &queue->options);
    work->starts++;
    work->stdout_fd = ends[0];
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

/* That one child of several may use. */
static size_t processors(const struct parse_queue *queue)
{
    size_t each = queue->options.parallel / queue->count;

    return each ? each : 1;
}

/* Words for the child; freed by the caller, each of them. */
static void make_arguments(const struct work *work, char *argv[ARGUMENTS])
{
    static const char *const verbs[] = {
        [WORK_RANK] = "rank", [WORK_MERGE] = "merge", [WORK_REPORT] = "report"};
    const struct parse_options *options = &work->queue->options;
    size_t n = 0;

    argv[n++] = xstrdup(options->program);
    argv[n++] = xstrdup(verbs[work->kind]);
    if (work->kind == WORK_REPORT) {
        argv[n++] = xstrdup("--store");
        argv[n++] = xstrdup(options->store);
        argv[n++] = xstrdup("--job");
        argv[n++] = xasprintf("%" PRIu64, work->job_id);
    } else {
        char path[4096];

        captures_path(path, sizeof(path), options->store, work->job_id);
        argv[n++] = xstrdup("--capture");
        argv[n++] = xstrdup(path);
        argv[n++] = xstrdup("--run");
        argv[n++] = xasprintf("%" PRIu64, work->run_id);
        argv[n++] = xstrdup(work->kind == WORK_MERGE ? "--ranks" : "--rank");
        argv[n++] = xasprintf("%" PRIu32, work->rank);
    }
    if (work->kind == WORK_RANK) { /* a rank alone may have all processors */
        argv[n++] = xstrdup("--jobs");
        argv[n++] = xasprintf("%zu", processors(work->queue));
    }
    argv[n++] = xstrdup("--out");
    argv[n++] = xstrdup(work->out);
    argv[n++] = xstrdup("--parent");
    argv[n++] = xasprintf("%d", (int)getpid());
    argv[n] = NULL;
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
    char *argv[ARGUMENTS];

    make_arguments(work, argv);
    work->failed = start(work, argv);
    for (size_t i = 0; argv[i]; i++)
        free(argv[i]);
    if (work->failed)
        work->limit = reactor_once(work->queue->reactor, 0, on_failed, work);
}

/* A report waits for all of its job that came before it, and the parses of a run for
 * its merge: once all ranks are parsed, nobody would ask for that again. */
static bool waits_for(const struct work *wanted, const struct work *other)
{
    if (wanted->job_id != other->job_id)
        return false;
    return wanted->kind == WORK_REPORT ||
           (wanted->kind == WORK_RANK && other->kind == WORK_MERGE &&
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
           &(struct work){.kind = WORK_MERGE,
                          .job_id = task->job_id,
                          .run_id = task->run_id,
                          .rank = task->rank},
           task->out);
}

void parse_queue_report(struct parse_queue *queue, uint64_t job_id, const char *out)
{
    append(queue, &(struct work){.kind = WORK_REPORT, .job_id = job_id}, out);
}
