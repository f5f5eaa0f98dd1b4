/* watch.c - shows jobs, cards and events, as a screen or as plain text */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/app/command_options.h"
#include "cli/fleet/running_coordinator.h"
#include "cli/query/job_search.h"
#include "cli/query/row_source.h"
#include "cli/view/card_line.h"
#include "cli/view/screen.h"
#include "cli/view/terminal.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"

enum {
    LIVE_MS = 1000,
    PLAIN_MS = 5000,
    WIDTH = 80,
    HEIGHT = 24,
    EVENTS_BACK = 1000,
    PAGE = 10, /* cards */
};

/* the alternate screen of the terminal without a cursor, and back */
static const char enter[] = "\033[?1049h\033[?25l", leave[] = "\033[?25h\033[?1049l";

struct watch {
    const struct command_options *options;
    const char *job_arg; /* the argument JOB, or NULL */
    uint64_t job_id, every_ms, since;
    bool live, once, final;
    bool is_private;    /* watches a private run, so it ends with that run */
    size_t skip, order; /* of the list of cards */
    int exit_code;
    struct client *client;
    struct screen *screen;
};

const struct command command_watch;

/* the terminal settings before the command and while it draws */
static struct termios before, raw;

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

/* Ctrl-Z: shows the screen of the shell; after `fg` shows ours again. */
static void on_stop(int signum)
{
    (void)signum;
    restore();
    raise(SIGSTOP);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fd_write_all(STDOUT_FILENO, enter, strlen(enter));
}

static void on_resize(int signum)
{
    (void)signum; /* interrupts the wait for a key; the next frame reads the new size */
}

static int take_terminal(struct err *err)
{
    struct sigaction end = {.sa_handler = on_end}, resize = {.sa_handler = on_resize},
                     stop = {.sa_handler = on_stop};

    if (tcgetattr(STDIN_FILENO, &before) < 0)
        return err_errno(err, "reading the terminal settings");
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    sigaction(SIGTSTP, &stop, NULL);
    sigaction(SIGWINCH, &resize, NULL);
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) < 0)
        return err_errno(err, "reading the terminal settings");
    fd_write_all(STDOUT_FILENO, enter, strlen(enter));
    return 0;
}

/* Queries */

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

static int query_job(struct watch *watch, struct err *err)
{
    const struct msg_watch request = {.job_id = watch->job_id};
    const union any_message *reply;

    if (!watch->job_id)
        return 0;
    if (client_request(watch->client, MSG_WATCH, &request, MSG_JOB_PROGRESS, &reply,
                       err) < 0)
        return -1;
    watch->final = reply->job_progress.final;
    watch->exit_code = (int)reply->job_progress.exit_code;
    return 0;
}

static int query_all(struct watch *watch, struct err *err)
{
    const struct msg_list_jobs jobs = {.active_only = !watch->job_id};
    const struct msg_list_workers workers = {.idle_only = false};
    const struct msg_list_events events = {watch->job_id, watch->since,
                                           .newest = EVENTS_BACK};

    if (!watch->client && client_open(&watch->client, &watch->options->client, err) < 0)
        return -1;
    if (watch->job_arg && !watch->job_id &&
        job_search_client(watch->client, watch->job_arg, JOB_CHOICE_NEWEST,
                          &watch->job_id, err) < 0)
        return -1;
    screen_begin(watch->screen, clock_mono_ms());
    if (query_job(watch, err) < 0 ||
        client_each(watch->client, MSG_LIST_JOBS, &jobs, MSG_JOB_ROW, add_job, watch,
                    err) < 0 ||
        client_each(watch->client, MSG_LIST_WORKERS, &workers, MSG_WORKER_ROW, add_card,
                    watch, err) < 0)
        return -1;
    return client_each(watch->client, MSG_LIST_EVENTS, &events, MSG_EVENT_ROW,
                       add_event, watch, err);
}

static int show(struct watch *watch, struct err *err)
{
    struct screen_shape shape = {.skip = watch->skip, .order = watch->order};
    struct text frame = {0};
    struct winsize size;
    char hint[120];

    if (watch->live) {
        shape.width = WIDTH;
        shape.height = HEIGHT;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col &&
            size.ws_row) {
            shape.width = size.ws_col;
            shape.height = size.ws_row - 1; /* the last end of line must not scroll */
        }
        shape.color = terminal_has_color();
        shape.in_place = true;
        snprintf(hint, sizeof(hint),
                 "q quit  s sort (now by %s)  j k PgDn PgUp g G scroll the cards",
                 card_order_name(watch->order));
        shape.hint = hint;
        text_add(&frame, "\033[H");
    }
    watch->skip = screen_draw(&frame, watch->screen, &shape);
    if (watch->live)
        text_add(&frame, "\033[J");
    int result = fd_write_all(STDOUT_FILENO, text_get(&frame), frame.length);
    text_clear(&frame);
    return result < 0 ? err_errno(err, "writing to stdout") : 0;
}

/* Keys. screen_draw() limits the scroll position to the existing cards. */

static void move_by(struct watch *watch, long cards)
{
    watch->skip =
        cards < 0 && watch->skip < (size_t)-cards ? 0 : watch->skip + (size_t)cards;
}

static void sort_on(struct watch *watch, long step)
{
    watch->order += (size_t)step;
    if (!card_order_name(watch->order))
        watch->order = 0;
    watch->skip = 0;
}

static void move_to(struct watch *watch, long place)
{
    watch->skip = (size_t)place;
}

static const struct key {
    const char *bytes; /* sequence that the terminal sends */
    void (*fn)(struct watch *watch, long amount);
    long amount;
} keys[] = {
    {"j", move_by, 1},
    {"k", move_by, -1},
    {"\033[B", move_by, 1},
    {"\033[A", move_by, -1},
    {" ", move_by, PAGE},
    {"\033[6~", move_by, PAGE},
    {"\033[5~", move_by, -PAGE},
    {"g", move_to, 0},
    {"G", move_to, INT_MAX},
    {"\033[H", move_to, 0},
    {"\033[F", move_to, INT_MAX},
    {"s", sort_on, 1},
};

/* Applies the key at the start of the bytes. Returns its length. */
static size_t apply_key(struct watch *watch, const char *bytes)
{
    for (size_t i = 0; i < COUNT(keys); i++)
        if (text_has_prefix(bytes, keys[i].bytes)) {
            keys[i].fn(watch, keys[i].amount);
            return strlen(keys[i].bytes);
        }
    return 1;
}

/* Waits for a key or for the next query. Returns false when the key is q. */
static bool wait_for_key(struct watch *watch)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[64];

    if (!watch->live) {
        poll(NULL, 0, (int)watch->every_ms);
        return true;
    }
    if (poll(&input, 1, (int)watch->every_ms) <= 0)
        return true;
    ssize_t count = read(STDIN_FILENO, bytes, sizeof(bytes) - 1);
    if (count <= 0)
        return count < 0 && errno == EINTR;
    bytes[count] = '\0';
    for (size_t at = 0; at < (size_t)count; at += apply_key(watch, bytes + at))
        if (bytes[at] == 'q')
            return false;
    return true;
}

/* Prints the end of a private run, whose coordinator has ended with it. */
static int finish_private_run(struct watch *watch, struct err *err)
{
    const struct client_options no_coordinator = {0};
    struct row_source_progress end = {0};
    struct row_source *source = NULL;
    int result = 0;

    if (watch->job_id) {
        result = row_source_open(&source, &no_coordinator, watch->options->out, err);
        if (result == 0)
            result = row_source_progress(source, watch->job_id, &end, err);
        row_source_close(source);
    }
    if (watch->live)
        restore();
    watch->live = false;
    if (result == 0)
        fprintf(stderr, "muster watch: the run in %s has ended%s%s\n",
                watch->options->out, watch->job_id ? ": " : "", end.state);
    return result < 0 ? -1 : (int)end.now.exit_code;
}

/* Draws and queries until the job ends, q is pressed or an error occurs. */
static int watch_loop(struct watch *watch, struct err *err)
{
    for (;;) {
        if (show(watch, err) < 0)
            return -1;
        if (watch->final)
            return watch->exit_code;
        if (watch->once || !wait_for_key(watch))
            return EXIT_GOOD;
        if (query_all(watch, err) == 0)
            continue;
        if (err->code != ERR_UNREACHABLE && err->code != ERR_TIMEOUT)
            return -1;
        if (watch->is_private && !running_coordinator_is(watch->options->out))
            return finish_private_run(watch, err);
        client_close(watch->client); /* the next query connects again */
        watch->client = NULL;
        screen_set_error(watch->screen, err->text);
    }
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = COMMAND_OPTIONS_INIT;
    struct watch watch = {.options = &options, .every_ms = UINT64_MAX};
    char **args;
    const struct option_row rows[] = {
        {"every", 'n', OPTION_DURATION, &watch.every_ms, "TIME",
         "Interval between updates, 100ms to 1h (default: 1s; without a terminal 5s)",
         NULL},
        {"once", '1', OPTION_FLAG, &watch.once, NULL, "Print the state once and exit",
         NULL},
        COMMAND_OPTIONS_LIVE_ROW(options),
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_watch, rows, &options, argc, argv,
                                       &args, 0, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    watch.job_arg = args[0];
    watch.live = !watch.once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
                 terminal_has_sequences();
    if (watch.every_ms == UINT64_MAX)
        watch.every_ms = watch.live ? LIVE_MS : PLAIN_MS;
    if (watch.every_ms < 100 || watch.every_ms > 3600000)
        return err_set(err, ERR_INPUT, "--every TIME must be 100ms to 1h");
    watch.screen = screen_create("muster");
    watch.is_private = !client_is_named(&options.client);
    int result =
        running_coordinator_open(&watch.client, &options.client, options.out, err);
    if (result == 0)
        result = query_all(&watch, err); /* the first failure ends the command */
    if (result == 0 && watch.live)
        result = take_terminal(err);
    if (result == 0) {
        result = watch_loop(&watch, err);
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
    .summary = "Show jobs, cards and events, and update them",
    .details =
        "On a terminal the screen is updated in place, as top does. Keys: q quits,\n"
        "s changes the order of the cards (card, trouble, running time, finished\n"
        "ranks), arrows, PgUp, PgDn, j, k, g and G scroll them. A card with a fault\n"
        "or without a heartbeat is red, a drained card is yellow. With JOB only its\n"
        "events are shown, and the command ends with the job and returns its exit\n"
        "code. Without a coordinator the command watches the private run that is\n"
        "active below --out.\n" COMMAND_JOB_DETAILS,
    .examples = "  muster watch\n"
                "  muster watch --once sweep-7",
    .run = run,
};
