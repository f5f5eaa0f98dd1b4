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

/* A point that the runner has, or has done. */
struct handed {
    uint64_t number; /* of the run */
    bool is_over;
    struct runner_messages_over over;
};

struct resident_runner {
    struct reactor *reactor;
    struct resident_runner_options options;
    struct operator_process *program;
    struct runner_messages *talk;
    int their_end;       /* of the talk: points are taken back from it */
    struct text setting; /* what of a lease it was started for */
    struct handed handed[1 + RESIDENT_RUNNER_AHEAD];
    size_t handed_count;
    bool runs;    /* the first of them is waited for */
    bool must_go; /* when that is over */
    uint64_t served;
    struct reactor_timer *idle;
    resident_runner_fn *fn;
    void *arg;
};

struct resident_runner *
resident_runner_create(struct reactor *reactor,
                       const struct resident_runner_options *options)
{
    struct resident_runner *resident = xcalloc(1, sizeof(*resident));

    resident->reactor = reactor;
    resident->options = *options;
    resident->their_end = -1;
    return resident;
}

static void stop_waiting(struct resident_runner *resident)
{
    if (resident->idle)
        reactor_cancel(resident->reactor, resident->idle);
    resident->idle = NULL;
}

static void hang_up(struct resident_runner *resident)
{
    if (!resident->talk)
        return;
    reactor_off_fd(resident->reactor, runner_messages_fd(resident->talk));
    runner_messages_close(resident->talk);
    close(resident->their_end);
    resident->talk = NULL;
    resident->their_end = -1;
}

void resident_runner_end(struct resident_runner *resident)
{
    stop_waiting(resident);
    hang_up(resident);
    operator_process_destroy(resident->program);
    resident->program = NULL;
    resident->served = resident->handed_count = 0;
    resident->runs = resident->must_go = false;
}

void resident_runner_destroy(struct resident_runner *resident)
{
    if (!resident)
        return;
    resident_runner_end(resident);
    text_clear(&resident->setting);
    free(resident);
}

struct operator_process *resident_runner_program(const struct resident_runner *resident)
{
    return resident->program;
}

static void on_idle(void *arg)
{
    struct resident_runner *resident = arg;

    resident->idle = NULL;
    resident_runner_end(resident);
}

static void drop(struct resident_runner *resident, size_t at)
{
    memmove(&resident->handed[at], &resident->handed[at + 1],
            (resident->handed_count - at - 1) * sizeof(resident->handed[0]));
    resident->handed_count--;
}

/* What it was handed and has not done, but for the one that runs, goes to the next
 * process. */
static void forget_ahead(struct resident_runner *resident)
{
    size_t kept = resident->runs ? 1 : 0;

    while (kept < resident->handed_count && resident->handed[kept].is_over)
        kept++;
    resident->must_go = true;
    resident->handed_count = kept;
}

static bool is_over_next(const struct resident_runner *resident)
{
    return resident->handed_count > 0 && resident->handed[0].is_over;
}

/* The end of a point */

static void over(struct resident_runner *resident,
                 const struct resident_runner_end *end)
{
    drop(resident, 0);
    resident->runs = false;
    if (end->status != 0)
        output_capture_keep(operator_process_printed(resident->program));
    resident->fn(resident->arg, end);
}

/* The process may go before its next point; what it printed is still asked for. */
static void point_over(struct resident_runner *resident)
{
    const struct runner_messages_over told = resident->handed[0].over;
    bool in_order = told.began_wall_ns <= told.ended_wall_ns;
    const struct resident_runner_end end = {
        .status = (int)(told.exit_code & 0xff) << 8,
        .began_wall_ns = in_order ? told.began_wall_ns : 0,
        .ended_wall_ns = in_order ? told.ended_wall_ns : 0,
    };

    resident->served++;
    if (told.left_bytes > 0)
        log_info("runner kept memory: bytes=%llu", (unsigned long long)told.left_bytes);
    output_capture_read_to(operator_process_printed(resident->program), told.number,
                           resident->handed_count > 1);
    stop_waiting(resident);
    resident->idle = reactor_once(resident->reactor, IDLE_MS, on_idle, resident);
    over(resident, &end);
    if (resident->must_go && resident->program && !is_over_next(resident))
        operator_process_stop(resident->program, 0);
}

void resident_runner_look(struct resident_runner *resident)
{
    if (resident->runs && is_over_next(resident))
        point_over(resident);
}

/* They come in the order in which the points were handed over. */
static void note(struct resident_runner *resident,
                 const struct runner_messages_over *told)
{
    size_t at = 0;

    while (at < resident->handed_count && resident->handed[at].is_over)
        at++;
    if (at == resident->handed_count || resident->handed[at].number != told->number)
        return; /* one that was forgotten */
    resident->handed[at].is_over = true;
    resident->handed[at].over = *told;
    if (told->spoilt || told->left_bytes > 0) { /* it begins no other one */
        resident->must_go = true;
        resident->handed_count = at + 1;
    }
}

static int hear(struct resident_runner *resident)
{
    struct runner_messages_over told;
    int heard = 0;

    while (resident->talk &&
           (heard = runner_messages_hear_over(resident->talk, &told)) > 0)
        note(resident, &told);
    return heard;
}

static void on_talk(void *arg)
{
    struct resident_runner *resident = arg;

    if (hear(resident) < 0) { /* it has ended, or has to: then it is reaped */
        hang_up(resident);
        operator_process_stop(resident->program, 0);
    }
    resident_runner_look(resident);
}

/* What it said before it ended counts; what it was in is run once more when nobody
 * waited for it yet. */
static void on_process_end(void *arg, int status)
{
    struct resident_runner *resident = arg;
    const struct resident_runner_end end = {.status = status};

    hear(resident);
    hang_up(resident);
    forget_ahead(resident);
    if (resident->runs && is_over_next(resident))
        point_over(resident);
    else if (resident->runs)
        over(resident, &end);
}

void resident_runner_reap(struct resident_runner *resident)
{
    if (resident->program)
        operator_process_reap(resident->program);
}

/* The process */

/* What of its environment differs from lease to lease, but for what is of one point
 * only: that is of no use to a process that stays. */
static void describe(struct text *out, const struct msg_lease *lease)
{
    text_printf(out, "%llu %d", (unsigned long long)lease->repeat,
                lease->metrics.count > 0);
    for (size_t i = 0; i < lease->env.count; i++) {
        text_add_char(out, '\n');
        text_add(out, lease->env.items[i]);
    }
}

static bool suits(const struct resident_runner *resident, const struct msg_lease *lease)
{
    struct text setting = {0};
    bool same;

    describe(&setting, lease);
    same = strcmp(text_get(&setting), text_get(&resident->setting)) == 0;
    text_clear(&setting);
    return resident->talk && !resident->must_go && same &&
           resident->served + resident->handed_count < lease->renew;
}

static int spawn(struct resident_runner *resident,
                 const struct msg_lease *lease,
                 const char *output,
                 int ends[2],
                 struct err *err)
{
    char parts[PATH_MAX], runner[PATH_MAX + 16], number[16];
    const char *argv[] = {runner, "--serve", number, NULL};
    struct operator_process_options options = {.argv = argv,
                                               .cwd = lease->cwd,
                                               .output = output,
                                               .holds = true,
                                               .marks = true,
                                               .keep_fd = ends[1],
                                               .isolation =
                                                   resident->options.isolation};
    struct environment *environment;
    int result;

    if (file_parts_folder(parts, sizeof(parts), err) < 0)
        return -1;
    snprintf(runner, sizeof(runner), "%s/muster-runner", parts);
    snprintf(number, sizeof(number), "%d", ends[1]);
    environment =
        environment_create(lease, parts, CONTROL_ENV "=", NULL, NULL, NULL,
                           resident->options.card, resident->options.simulated);
    options.env = environment_get(environment);
    result = operator_process_start(&resident->program, resident->reactor, &options,
                                    on_process_end, resident, err);
    environment_destroy(environment);
    return result;
}

static int start(struct resident_runner *resident,
                 const struct msg_lease *lease,
                 const char *output,
                 struct err *err)
{
    int ends[2];

    if (runner_messages_pair(ends, err) < 0)
        return -1;
    if (spawn(resident, lease, output, ends, err) < 0) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    text_reset(&resident->setting);
    describe(&resident->setting, lease);
    resident->talk = runner_messages_open(ends[0]);
    resident->their_end = ends[1];
    reactor_on_fd(resident->reactor, ends[0], on_talk, resident);
    log_info("runner started: pid=%d", (int)operator_process_pid(resident->program));
    return 0;
}

static int make_ready(struct resident_runner *resident,
                      const struct msg_lease *lease,
                      const char *output,
                      struct err *err)
{
    if (!suits(resident, lease)) {
        resident_runner_end(resident);
        return start(resident, lease, output, err);
    }
    output_capture_into(operator_process_printed(resident->program), output);
    return 0;
}

static struct runner_messages_point point_of(const struct msg_lease *lease,
                                             int their_end)
{
    return (struct runner_messages_point){.number = lease->run_id,
                                          .cwd = lease->cwd,
                                          .words = (const char **)lease->command.items,
                                          .count = lease->command.count,
                                          .their_end = their_end};
}

static void add(struct resident_runner *resident, uint64_t number)
{
    resident->handed[resident->handed_count++] = (struct handed){.number = number};
}

static int say(struct resident_runner *resident,
               const struct msg_lease *lease,
               const char *output,
               int their_end,
               struct err *err)
{
    const struct runner_messages_point said = point_of(lease, their_end);

    resident_runner_reap(resident); /* it may have gone while it had nothing to do */
    if (make_ready(resident, lease, output, err) < 0)
        return -1;
    if (runner_messages_say_point(resident->talk, &said, err) < 0) {
        resident->must_go = true; /* it has gone meanwhile, if nothing is at fault */
        if (err->code == ERR_LIMIT || make_ready(resident, lease, output, err) < 0 ||
            runner_messages_say_point(resident->talk, &said, err) < 0)
            return -1;
    }
    add(resident, lease->run_id);
    return 0;
}

int resident_runner_run(struct resident_runner *resident,
                        const struct msg_lease *lease,
                        const char *output,
                        int their_end,
                        resident_runner_fn *fn,
                        void *arg,
                        struct err *err)
{
    bool has_it = resident->handed_count > 0 && their_end < 0 &&
                  resident->handed[0].number == lease->run_id &&
                  (!resident->must_go || resident->handed[0].is_over);

    if (has_it) {
        output_capture_into(operator_process_printed(resident->program), output);
    } else {
        if (resident->handed_count > 0) /* it is at what nobody wants any more */
            resident_runner_end(resident);
        if (say(resident, lease, output, their_end, err) < 0)
            return -1;
    }
    stop_waiting(resident);
    resident->runs = true;
    resident->fn = fn;
    resident->arg = arg;
    return 0;
}

/* Points that it has not begun */

static size_t find(const struct resident_runner *resident, uint64_t number)
{
    size_t at = 0;

    while (at < resident->handed_count && resident->handed[at].number != number)
        at++;
    return at;
}

bool resident_runner_ahead(struct resident_runner *resident,
                           const struct msg_lease *lease)
{
    const struct runner_messages_point said = point_of(lease, -1);
    struct err ignored;

    if (find(resident, lease->run_id) < resident->handed_count)
        return true;
    if (!resident->runs || resident->handed_count == COUNT(resident->handed) ||
        !suits(resident, lease) ||
        runner_messages_try_point(resident->talk, &said, &ignored) <= 0)
        return false;
    add(resident, lease->run_id);
    return true;
}

bool resident_runner_take_back(struct resident_runner *resident, uint64_t run_id)
{
    uint64_t current = resident->runs ? resident->handed[0].number : 0, number;

    while (resident->talk &&
           (number = runner_messages_take_back(resident->their_end, current)) != 0) {
        size_t at = find(resident, number);

        if (at < resident->handed_count)
            drop(resident, at);
    }
    return find(resident, run_id) == resident->handed_count;
}

void resident_runner_forget(struct resident_runner *resident)
{
    if (resident->handed_count > 0)
        forget_ahead(resident);
}

void resident_runner_stop(struct resident_runner *resident, uint64_t grace_ms)
{
    forget_ahead(resident);
    if (resident->program)
        operator_process_stop(resident->program, grace_ms);
}
