/* cmd_watch.c - jobs, cards and events as they change, on a terminal or line by line */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cli/screen.h"
#include "cli/verb.h"

enum { LIVE_MS = 1000, PLAIN_MS = 5000, WIDTH = 80, HEIGHT = 24, EVENTS_BACK = 1000 };

/* the other page of the terminal, no cursor; and back */
static const char enter[] = "\033[?1049h\033[?25l", leave[] = "\033[?25h\033[?1049l";

struct watch {
    const struct verb *verb;
    const char *word; /* of a job, or NULL */
    uint64_t job_id, every_ms, since;
    bool live, once, final;
    size_t skip;
    int exit_code;
    struct client *client;
    struct screen *screen;
};

const struct command command_watch;

static struct termios before; /* what the terminal was, for whatever ends us */

static void restore(void)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    fd_write_all(STDOUT_FILENO, leave, strlen(leave));
}

static void on_end(int signum)
{
    (void)signum;
    restore();
    _exit(EXIT_INTERRUPTED);
}

static void on_resize(int signum)
{
    (void)signum; /* it ends the wait for a key, and the next frame has another shape */
}

static int take_terminal(struct err *err)
{
    struct termios raw;
    struct sigaction end = {.sa_handler = on_end}, resize = {.sa_handler = on_resize};

    if (tcgetattr(STDIN_FILENO, &before) < 0)
        return err_errno(err, "the terminal");
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    sigaction(SIGWINCH, &resize, NULL);
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0)
        return err_errno(err, "the terminal");
    fd_write_all(STDOUT_FILENO, enter, strlen(enter));
    return 0;
}

/* What is seen */

static void add_job(const void *row, void *arg)
{
    struct watch *watch = arg;
    const struct msg_job_row *job = row;

    if (!watch->job_id || job->job_id == watch->job_id)
        screen_add_job(watch->screen, job);
}

static void add_card(const void *row, void *arg)
{
    screen_add_card(((struct watch *)arg)->screen, row);
}

static void add_event(const void *row, void *arg)
{
    struct watch *watch = arg;
    const struct msg_event_row *event = row;

    if (event->seq > watch->since)
        watch->since = event->seq;
    screen_add_event(watch->screen, event);
}

static int look_at_job(struct watch *watch, struct err *err)
{
    const struct msg_watch question = {.job_id = watch->job_id};
    const union any_message *answer;

    if (!watch->job_id)
        return 0;
    if (client_ask(watch->client, MSG_WATCH, &question, MSG_JOB_PROGRESS, &answer,
                   err) < 0)
        return -1;
    watch->final = answer->job_progress.final;
    watch->exit_code = (int)answer->job_progress.exit_code;
    return 0;
}

static int look(struct watch *watch, struct err *err)
{
    const struct msg_list_jobs jobs = {.active_only = !watch->job_id};
    const struct msg_list_workers workers = {.idle_only = false};
    const struct msg_list_events events = {watch->job_id, watch->since,
                                           .newest = EVENTS_BACK};

    if (!watch->client && client_open(&watch->client, &watch->verb->client, err) < 0)
        return -1;
    if (watch->word && !watch->job_id &&
        client_find_job(watch->client, watch->word, &watch->job_id, err) < 0)
        return -1;
    screen_begin(watch->screen, clock_mono_ms());
    if (look_at_job(watch, err) < 0 ||
        client_each(watch->client, MSG_LIST_JOBS, &jobs, MSG_JOB_ROW, add_job, watch,
                    err) < 0 ||
        client_each(watch->client, MSG_LIST_WORKERS, &workers, MSG_WORKER_ROW, add_card,
                    watch, err) < 0)
        return -1;
    return client_each(watch->client, MSG_LIST_EVENTS, &events, MSG_EVENT_ROW,
                       add_event, watch, err);
}

static int show(const struct watch *watch, struct err *err)
{
    const char *no_color = getenv("NO_COLOR");
    struct screen_shape shape = {.skip = watch->skip};
    struct text frame = {0};
    struct winsize size;

    if (watch->live) {
        shape.width = WIDTH;
        shape.height = HEIGHT;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col &&
            size.ws_row) {
            shape.width = size.ws_col;
            shape.height = size.ws_row - 1; /* the last end of line must not scroll */
        }
        shape.color = !no_color || !*no_color;
        text_add(&frame, "\033[H\033[J");
    }
    screen_draw(&frame, watch->screen, &shape);
    int result = fd_write_all(STDOUT_FILENO, text_get(&frame), frame.length);
    text_clear(&frame);
    return result < 0 ? err_errno(err, "writing to stdout") : 0;
}

/* False: a key says that it is enough. */
static bool wait_for_key(struct watch *watch)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    char letters[16];

    if (!watch->live) {
        poll(NULL, 0, (int)watch->every_ms);
        return true;
    }
    if (poll(&keys, 1, (int)watch->every_ms) <= 0)
        return true;
    ssize_t count = read(STDIN_FILENO, letters, sizeof(letters));
    if (count <= 0)
        return count < 0 && errno == EINTR;
    for (ssize_t i = 0; i < count; i++) {
        if (letters[i] == 'q')
            return false;
        if (letters[i] == 'j' || letters[i] == 'B') /* of the arrow's \033[B */
            watch->skip += watch->skip < screen_cards(watch->screen);
        if (letters[i] == 'k' || letters[i] == 'A')
            watch->skip -= watch->skip > 0;
    }
    return true;
}

static int go_on(struct watch *watch, struct err *err)
{
    do {
        if (look(watch, err) < 0) {
            if (watch->once || !watch->screen ||
                (err->code != ERR_UNREACHABLE && err->code != ERR_TIMEOUT))
                return -1;
            client_close(watch->client); /* and again, until somebody is there */
            watch->client = NULL;
            screen_complain(watch->screen, err->text);
        }
        if (show(watch, err) < 0)
            return -1;
        if (watch->final)
            return watch->exit_code;
    } while (!watch->once && wait_for_key(watch));
    return EXIT_GOOD;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    struct watch watch = {.verb = &verb, .every_ms = UINT64_MAX};
    char **args;
    const struct option_row rows[] = {
        {"every", 'n', OPTION_DURATION, &watch.every_ms, "TIME",
         "look again after that time (1s; 5s where there is no terminal)", NULL},
        {"once", '1', OPTION_FLAG, &watch.once, NULL, "look once, and end", NULL},
        VERB_CLIENT_ROWS(verb),
        VERB_HELP_ROW(verb),
        {0},
    };

    int parsed = verb_parse(&command_watch, rows, &verb, argc, argv, &args, 0, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    watch.word = args[0];
    watch.live = !watch.once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (watch.every_ms == UINT64_MAX)
        watch.every_ms = watch.live ? LIVE_MS : PLAIN_MS;
    if (watch.every_ms < 100 || watch.every_ms > 3600000)
        return err_set(err, ERR_INPUT, "--every: from 100ms to 1h");
    watch.screen = screen_create("muster");
    int result = look(&watch, err); /* who does not answer at all is told as ever */
    if (result == 0 && watch.live)
        result = take_terminal(err);
    if (result == 0) {
        result = go_on(&watch, err);
        if (watch.live)
            restore();
    }
    client_close(watch.client);
    screen_destroy(watch.screen);
    return result;
}

const struct command command_watch = {
    .name = "watch",
    .args = "[OPTIONS] [JOB]",
    .summary = "jobs, cards and events as they change",
    .details =
        "On a terminal one page that is drawn anew; q ends it, arrows or j and k\n"
        "move along the cards. With a job only its own events are shown, and it\n"
        "ends with that job, with its exit code.",
    .run = run,
};
