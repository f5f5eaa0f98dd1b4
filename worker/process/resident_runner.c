#include "worker/process/resident_runner.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/shm/control_channel.h"
#include "lib/wire/messages.h"
#include "runner/protocol/runner_messages.h"
#include "worker/process/environment.h"
#include "worker/process/operator_process.h"
#include "worker/process/output_capture.h"

enum { IDLE_MS = 10000 };

/* A point that was sent to the runner and is not reported yet. */
struct sent_point {
    uint64_t number; /* of the run */
    bool has_ended;
    struct runner_messages_end over;
};

struct resident_runner {
    struct reactor *reactor;
    struct resident_runner_options options;
    struct operator_process *program;
    struct runner_messages *messages;
    int peer_fd;         /* the runner's end of the socket, to recall points from it */
    struct text setting; /* settings of the process; see describe() */
    struct sent_point points[1 + RESIDENT_RUNNER_AHEAD];
    size_t point_count;
    bool is_running; /* fn is to be called for the first point */
    bool must_end;   /* the process is replaced after the first point */
    uint64_t points_ended;
    struct reactor_timer *idle;
    resident_runner_fn *fn;
    void *arg;
};

struct resident_runner *
resident_runner_create(struct reactor *reactor,
                       const struct resident_runner_options *options)
{
    struct resident_runner *runner = xcalloc(1, sizeof(*runner));

    runner->reactor = reactor;
    runner->options = *options;
    runner->peer_fd = -1;
    return runner;
}

static void cancel_idle_timer(struct resident_runner *runner)
{
    if (runner->idle)
        reactor_cancel(runner->reactor, runner->idle);
    runner->idle = NULL;
}

static void close_messages(struct resident_runner *runner)
{
    if (!runner->messages)
        return;
    reactor_off_fd(runner->reactor, runner_messages_fd(runner->messages));
    runner_messages_close(runner->messages);
    close(runner->peer_fd);
    runner->messages = NULL;
    runner->peer_fd = -1;
}

void resident_runner_end(struct resident_runner *runner)
{
    cancel_idle_timer(runner);
    close_messages(runner);
    operator_process_destroy(runner->program);
    runner->program = NULL;
    runner->points_ended = runner->point_count = 0;
    runner->is_running = runner->must_end = false;
}

void resident_runner_destroy(struct resident_runner *runner)
{
    if (!runner)
        return;
    resident_runner_end(runner);
    text_clear(&runner->setting);
    free(runner);
}

struct operator_process *resident_runner_program(const struct resident_runner *runner)
{
    return runner->program;
}

static void on_idle(void *arg)
{
    struct resident_runner *runner = arg;

    runner->idle = NULL;
    resident_runner_end(runner);
}

static void drop(struct resident_runner *runner, size_t at)
{
    memmove(&runner->points[at], &runner->points[at + 1],
            (runner->point_count - at - 1) * sizeof(runner->points[0]));
    runner->point_count--;
}

/* Drops all points that have not ended, except the running one. The next process
 * executes them. */
static void discard_ahead(struct resident_runner *runner)
{
    size_t kept = runner->is_running ? 1 : 0;

    while (kept < runner->point_count && runner->points[kept].has_ended)
        kept++;
    runner->must_end = true;
    runner->point_count = kept;
}

static bool first_has_ended(const struct resident_runner *runner)
{
    return runner->point_count > 0 && runner->points[0].has_ended;
}

/* The end of a point */

static void report_end(struct resident_runner *runner,
                       const struct resident_runner_end *end)
{
    drop(runner, 0);
    runner->is_running = false;
    if (end->status != 0)
        output_capture_keep(operator_process_output(runner->program));
    runner->fn(runner->arg, end);
}

/* Reports the end of the first point, after its output was read. Then ends the process
 * if it must be replaced. */
static void report_first_point(struct resident_runner *runner)
{
    const struct runner_messages_end end_message = runner->points[0].over;
    bool in_order = end_message.began_wall_ns <= end_message.ended_wall_ns;
    const struct resident_runner_end end = {
        .status = (int)(end_message.exit_code & 0xff) << 8,
        .began_wall_ns = in_order ? end_message.began_wall_ns : 0,
        .ended_wall_ns = in_order ? end_message.ended_wall_ns : 0,
    };

    runner->points_ended++;
    if (end_message.left_bytes > 0)
        log_info("device memory left by a point: bytes=%llu",
                 (unsigned long long)end_message.left_bytes);
    output_capture_read_to(operator_process_output(runner->program), end_message.number,
                           runner->point_count > 1);
    cancel_idle_timer(runner);
    runner->idle = reactor_once(runner->reactor, IDLE_MS, on_idle, runner);
    report_end(runner, &end);
    if (runner->must_end && runner->program && !first_has_ended(runner))
        operator_process_stop(runner->program, 0);
}

void resident_runner_check_end(struct resident_runner *runner)
{
    if (runner->is_running && first_has_ended(runner))
        report_first_point(runner);
}

/* Stores the end of a point. Messages arrive in the order of the points. */
static void store_end(struct resident_runner *runner,
                      const struct runner_messages_end *end_message)
{
    size_t at = 0;

    while (at < runner->point_count && runner->points[at].has_ended)
        at++;
    if (at == runner->point_count || runner->points[at].number != end_message->number)
        return; /* a discarded point */
    runner->points[at].has_ended = true;
    runner->points[at].over = *end_message;
    if (end_message->damaged ||
        end_message->left_bytes > 0) { /* the process begins no other point */
        runner->must_end = true;
        runner->point_count = at + 1;
    }
}

static int receive_ends(struct resident_runner *runner)
{
    struct runner_messages_end end_message;
    int received = 0;

    while (runner->messages &&
           (received = runner_messages_receive_end(runner->messages, &end_message)) > 0)
        store_end(runner, &end_message);
    return received;
}

static void on_messages(void *arg)
{
    struct resident_runner *runner = arg;

    if (receive_ends(runner) < 0) { /* ended or out of sync: end the process */
        close_messages(runner);
        operator_process_stop(runner->program, 0);
    }
    resident_runner_check_end(runner);
}

/* Handles the end of the process. Messages that it sent before still count. A point
 * that it executed ahead, and that fn does not wait for, runs again in the next
 * process. */
static void on_process_end(void *arg, int status)
{
    struct resident_runner *runner = arg;
    const struct resident_runner_end end = {.status = status};

    receive_ends(runner);
    close_messages(runner);
    discard_ahead(runner);
    if (runner->is_running && first_has_ended(runner))
        report_first_point(runner);
    else if (runner->is_running)
        report_end(runner, &end);
}

void resident_runner_reap(struct resident_runner *runner)
{
    if (runner->program)
        operator_process_reap(runner->program);
}

/* The process */

/* Describes the parts of a lease on which the environment of the process depends.
 * Variables of a single point are not among them: a runner process cannot use them. */
static void describe(struct text *out, const struct msg_lease *lease)
{
    text_printf(out, "%llu %d", (unsigned long long)lease->repeat,
                lease->metrics.count > 0);
    for (size_t i = 0; i < lease->env.count; i++) {
        text_add_char(out, '\n');
        text_add(out, lease->env.items[i]);
    }
}

static bool fits_process(const struct resident_runner *runner,
                         const struct msg_lease *lease)
{
    struct text setting = {0};
    bool same;

    describe(&setting, lease);
    same = strcmp(text_get(&setting), text_get(&runner->setting)) == 0;
    text_clear(&setting);
    return runner->messages && !runner->must_end && same &&
           runner->points_ended + runner->point_count < lease->renew;
}

static int spawn(struct resident_runner *runner,
                 const struct msg_lease *lease,
                 const char *output,
                 int ends[2],
                 struct err *err)
{
    char parts[PATH_MAX], path[PATH_MAX + 16], number[16];
    const char *argv[] = {path, "--serve", number, NULL};
    struct operator_process_options options = {.argv = argv,
                                               .cwd = lease->cwd,
                                               .output = output,
                                               .holds = true,
                                               .marks = true,
                                               .keep_fd = ends[1],
                                               .isolation = runner->options.isolation};
    struct environment *environment;
    int result;

    if (file_parts_folder(parts, sizeof(parts), err) < 0)
        return -1;
    snprintf(path, sizeof(path), "%s/muster-runner", parts);
    snprintf(number, sizeof(number), "%d", ends[1]);
    environment = environment_create(lease, parts, CONTROL_ENV "=", NULL, NULL,
                                     runner->options.spool, NULL, runner->options.card,
                                     runner->options.simulated, NULL);
    options.env = environment_get(environment);
    result = operator_process_start(&runner->program, runner->reactor, &options,
                                    on_process_end, runner, err);
    environment_destroy(environment);
    return result;
}

static int start(struct resident_runner *runner,
                 const struct msg_lease *lease,
                 const char *output,
                 struct err *err)
{
    int ends[2];

    if (runner_messages_pair(ends, err) < 0)
        return -1;
    if (spawn(runner, lease, output, ends, err) < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    text_reset(&runner->setting);
    describe(&runner->setting, lease);
    runner->messages = runner_messages_open(ends[0]);
    runner->peer_fd = ends[1];
    reactor_on_fd(runner->reactor, ends[0], on_messages, runner);
    log_info("runner started: pid=%d", (int)operator_process_pid(runner->program));
    return 0;
}

static int make_ready(struct resident_runner *runner,
                      const struct msg_lease *lease,
                      const char *output,
                      struct err *err)
{
    if (!fits_process(runner, lease)) {
        resident_runner_end(runner);
        return start(runner, lease, output, err);
    }
    output_capture_switch_file(operator_process_output(runner->program), output);
    return 0;
}

static struct runner_messages_point point_of(const struct msg_lease *lease,
                                             int inject_fd)
{
    return (struct runner_messages_point){.number = lease->run_id,
                                          .cwd = lease->cwd,
                                          .words = (const char **)lease->command.items,
                                          .count = lease->command.count,
                                          .inject_fd = inject_fd};
}

static void add(struct resident_runner *runner, uint64_t number)
{
    runner->points[runner->point_count++] = (struct sent_point){.number = number};
}

static int send_point(struct resident_runner *runner,
                      const struct msg_lease *lease,
                      const char *output,
                      int inject_fd,
                      struct err *err)
{
    const struct runner_messages_point point = point_of(lease, inject_fd);

    resident_runner_reap(runner); /* the process may have ended while idle */
    if (make_ready(runner, lease, output, err) < 0)
        return -1;
    if (runner_messages_send_point(runner->messages, &point, err) < 0) {
        runner->must_end = true; /* the process has probably ended meanwhile */
        if (err->code == ERR_LIMIT || make_ready(runner, lease, output, err) < 0 ||
            runner_messages_send_point(runner->messages, &point, err) < 0)
            return -1;
    }
    add(runner, lease->run_id);
    return 0;
}

int resident_runner_run(struct resident_runner *runner,
                        const struct msg_lease *lease,
                        const char *output,
                        int inject_fd,
                        resident_runner_fn *fn,
                        void *arg,
                        struct err *err)
{
    bool was_sent_ahead = runner->point_count > 0 && inject_fd < 0 &&
                          runner->points[0].number == lease->run_id &&
                          (!runner->must_end || runner->points[0].has_ended);

    if (was_sent_ahead) {
        output_capture_switch_file(operator_process_output(runner->program), output);
    } else {
        if (runner->point_count > 0) /* the process executes a discarded point */
            resident_runner_end(runner);
        if (send_point(runner, lease, output, inject_fd, err) < 0)
            return -1;
    }
    cancel_idle_timer(runner);
    runner->is_running = true;
    runner->fn = fn;
    runner->arg = arg;
    return 0;
}

/* Points sent ahead */

static size_t find(const struct resident_runner *runner, uint64_t number)
{
    size_t at = 0;

    while (at < runner->point_count && runner->points[at].number != number)
        at++;
    return at;
}

bool resident_runner_send_ahead(struct resident_runner *runner,
                                const struct msg_lease *lease)
{
    const struct runner_messages_point point = point_of(lease, -1);
    struct err ignored;

    if (find(runner, lease->run_id) < runner->point_count)
        return true;
    if (!runner->is_running || runner->point_count == COUNT(runner->points) ||
        !fits_process(runner, lease) ||
        runner_messages_try_send_point(runner->messages, &point, &ignored) <= 0)
        return false;
    add(runner, lease->run_id);
    return true;
}

bool resident_runner_recall(struct resident_runner *runner, uint64_t run_id)
{
    uint64_t current = runner->is_running ? runner->points[0].number : 0, number;

    while (runner->messages &&
           (number = runner_messages_recall(runner->peer_fd, current)) != 0) {
        size_t at = find(runner, number);

        if (at < runner->point_count)
            drop(runner, at);
    }
    return find(runner, run_id) == runner->point_count;
}

void resident_runner_discard_ahead(struct resident_runner *runner)
{
    if (runner->point_count > 0)
        discard_ahead(runner);
}

void resident_runner_stop(struct resident_runner *runner, uint64_t grace_ms)
{
    discard_ahead(runner);
    if (runner->program)
        operator_process_stop(runner->program, grace_ms);
}
