#include "worker/resident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/reactor.h"
#include "base/text.h"
#include "inject/channel.h"
#include "runner/talk.h"
#include "worker/program.h"

enum { IDLE_MS = 10000 };

struct resident {
    struct reactor *reactor;
    struct program *program;
    struct talk *talk;
    struct text environment; /* that it was started with */
    uint64_t number;         /* of the point that runs; 0: none */
    uint64_t last_number, served;
    bool must_go; /* when its point is over */
    struct reactor_timer *idle;
    resident_fn *fn;
    void *arg;
};

struct resident *resident_create(struct reactor *reactor)
{
    struct resident *resident = xcalloc(1, sizeof(*resident));

    resident->reactor = reactor;
    return resident;
}

static void stop_waiting(struct resident *resident)
{
    if (resident->idle)
        reactor_cancel(resident->reactor, resident->idle);
    resident->idle = NULL;
}

static void hang_up(struct resident *resident)
{
    if (!resident->talk)
        return;
    reactor_off_fd(resident->reactor, talk_fd(resident->talk));
    talk_close(resident->talk);
    resident->talk = NULL;
}

void resident_end(struct resident *resident)
{
    stop_waiting(resident);
    hang_up(resident);
    program_destroy(resident->program);
    resident->program = NULL;
    resident->number = resident->served = 0;
    resident->must_go = false;
}

void resident_destroy(struct resident *resident)
{
    if (!resident)
        return;
    resident_end(resident);
    text_clear(&resident->environment);
    free(resident);
}

struct program *resident_program(const struct resident *resident)
{
    return resident->program;
}

static void on_idle(void *arg)
{
    struct resident *resident = arg;

    resident->idle = NULL;
    resident_end(resident);
}

static void over(struct resident *resident, int status)
{
    resident->number = 0;
    if (status != 0)
        program_keep_output(resident->program);
    resident->fn(resident->arg, status);
}

static void on_process_end(void *arg, int status)
{
    struct resident *resident = arg;

    hang_up(resident);
    resident->must_go = true;
    if (resident->number != 0)
        over(resident, status);
}

/* The process may go before its next point; what it printed is still asked for. */
static void on_point_over(struct resident *resident, const struct talk_over *told)
{
    resident->served++;
    if (told->left_bytes > 0)
        log_info("runner kept memory: bytes=%llu",
                 (unsigned long long)told->left_bytes);
    resident->must_go |= told->spoilt || told->left_bytes > 0;
    program_hear(resident->program);
    stop_waiting(resident);
    resident->idle = reactor_once(resident->reactor, IDLE_MS, on_idle, resident);
    over(resident, (int)(told->exit_code & 0xff) << 8);
}

static void on_talk(void *arg)
{
    struct resident *resident = arg;
    struct talk_over told;
    int heard = talk_hear_over(resident->talk, &told);

    if (heard < 0) { /* it has ended, or has to: then it is reaped */
        hang_up(resident);
        program_stop(resident->program, 0);
    } else if (heard > 0 && resident->number != 0 && told.number == resident->number) {
        on_point_over(resident, &told);
    }
}

/* What differs from point to point, and is of no use to a process that stays. */
static bool is_of_one_point(const char *line)
{
    return text_has_prefix(line, "MUSTER_RUN=") ||
           text_has_prefix(line, "MUSTER_ATTEMPT=") ||
           text_has_prefix(line, CHANNEL_ENV "=");
}

static void describe(struct text *out, const char *const *env)
{
    for (; *env; env++)
        if (!is_of_one_point(*env)) {
            text_add(out, *env);
            text_add_char(out, '\n');
        }
}

static int
start(struct resident *resident, const struct resident_point *point, struct err *err)
{
    char number[16];
    const char *argv[] = {point->runner, "--serve", number, NULL};
    struct program_options options = {.argv = argv,
                                      .env = point->env,
                                      .cwd = point->cwd,
                                      .output = point->output,
                                      .holds = true,
                                      .isolation = point->isolation};
    int ends[2], result;

    if (talk_pair(ends, err) < 0)
        return -1;
    snprintf(number, sizeof(number), "%d", ends[1]);
    options.keep_fd = ends[1];
    result = program_start(&resident->program, resident->reactor, &options,
                           on_process_end, resident, err);
    close(ends[1]);
    resident->talk = talk_open(ends[0]);
    if (result < 0) {
        talk_close(resident->talk);
        resident->talk = NULL;
        return -1;
    }
    reactor_on_fd(resident->reactor, ends[0], on_talk, resident);
    log_info("runner started: pid=%d", (int)program_pid(resident->program));
    return 0;
}

static int make_ready(struct resident *resident,
                      const struct resident_point *point,
                      struct err *err)
{
    struct text environment = {0};
    bool stays;

    describe(&environment, point->env);
    stays = resident->talk && !resident->must_go && resident->served < point->renew &&
            strcmp(text_get(&environment), text_get(&resident->environment)) == 0;
    if (!stays)
        resident_end(resident);
    text_clear(&resident->environment);
    resident->environment = environment;
    if (!stays)
        return start(resident, point, err);
    program_output_to(resident->program, point->output);
    return 0;
}

int resident_run(struct resident *resident,
                 const struct resident_point *point,
                 resident_fn *fn,
                 void *arg,
                 struct err *err)
{
    struct talk_point said = {.number = ++resident->last_number,
                              .cwd = point->cwd,
                              .words = (const char **)point->words,
                              .count = point->word_count,
                              .their_end = point->their_end};

    if (make_ready(resident, point, err) < 0)
        return -1;
    stop_waiting(resident);
    if (talk_say_point(resident->talk, &said, err) < 0) {
        resident->must_go =
            true; /* it has gone meanwhile, unless nothing is at fault */
        if (err->code == ERR_LIMIT || make_ready(resident, point, err) < 0 ||
            talk_say_point(resident->talk, &said, err) < 0)
            return -1;
    }
    resident->number = said.number;
    resident->fn = fn;
    resident->arg = arg;
    return 0;
}

void resident_reap(struct resident *resident)
{
    if (resident->program)
        program_reap(resident->program);
}
