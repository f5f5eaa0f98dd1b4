#include "cli/view/screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view/card_line.h"
#include "cli/view/task_rate.h"
#include "cli/view/terminal.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

enum {
    EVENTS = 16,
    RATES = 32,
    BAR = 16,
    STATES = 7,
    NARROW = 8,
    DOES = 23,
    WIDE = 32,
    HINT_FROM = 12, /* minimum height in lines for the hint */
};

/* The first time at which a job was seen, and its ended tasks at that time. */
struct rate {
    uint64_t job_id, first_ms, first_ended;
};

struct job {
    uint64_t tasks, waiting, running, ended, failed, first_ms, first_ended;
    char key[64], state[16], user[32];
};

struct screen {
    char *title;
    uint64_t now_ms;
    struct job *jobs;
    struct card_line *cards;
    size_t job_count, job_room, card_count, card_room;
    struct rate rates[RATES];
    size_t rate_count;
    struct task_rate task_rate;
    char events[EVENTS][200];
    size_t event_count; /* total; the ring has the last ones */
    char error[200];
};

struct screen *screen_create(const char *title)
{
    struct screen *screen = xcalloc(1, sizeof(*screen));

    screen->title = xstrdup(title);
    return screen;
}

void screen_destroy(struct screen *screen)
{
    if (!screen)
        return;
    task_rate_clear(&screen->task_rate);
    free(screen->jobs);
    free(screen->cards);
    free(screen->title);
    free(screen);
}

void screen_begin(struct screen *screen, uint64_t now_ms)
{
    screen->now_ms = now_ms;
    screen->job_count = screen->card_count = 0;
    screen->error[0] = '\0';
    task_rate_begin(&screen->task_rate, now_ms);
}

static const struct rate *
rate_of(struct screen *screen, uint64_t job_id, uint64_t ended)
{
    size_t i = 0;

    while (i < screen->rate_count && screen->rates[i].job_id != job_id)
        i++;
    if (i == RATES) /* the oldest job has most likely ended */
        memmove(screen->rates, screen->rates + 1,
                (--i, --screen->rate_count) * sizeof(*screen->rates));
    if (i == screen->rate_count)
        screen->rates[screen->rate_count++] =
            (struct rate){job_id, screen->now_ms, ended};
    return &screen->rates[i];
}

void screen_add_job(struct screen *screen, const struct msg_job_row *row)
{
    if (screen->job_count == screen->job_room) {
        screen->job_room = screen->job_room ? screen->job_room * 2 : 16;
        screen->jobs =
            xreallocarray(screen->jobs, screen->job_room, sizeof(*screen->jobs));
    }
    struct job *job = &screen->jobs[screen->job_count++];
    uint64_t ended = row->done + row->failed + row->cancelled;
    const struct rate *rate = rate_of(screen, row->job_id, ended);

    task_rate_add(&screen->task_rate, row->job_id, ended, row->tasks);
    *job = (struct job){.tasks = row->tasks,
                        .waiting = row->waiting,
                        .running = row->running,
                        .ended = ended,
                        .failed = row->failed,
                        .first_ms = rate->first_ms,
                        .first_ended = rate->first_ended};
    text_to_ascii(job->key, sizeof(job->key), row->job_key);
    text_to_ascii(job->state, sizeof(job->state), row->state);
    text_to_ascii(job->user, sizeof(job->user), row->user);
}

void screen_add_card(struct screen *screen, const struct msg_worker_row *row)
{
    if (screen->card_count == screen->card_room) {
        screen->card_room = screen->card_room ? screen->card_room * 2 : 64;
        screen->cards =
            xreallocarray(screen->cards, screen->card_room, sizeof(*screen->cards));
    }
    card_line_fill(&screen->cards[screen->card_count++], row);
}

void screen_add_event(struct screen *screen, const struct msg_event_row *row)
{
    char when[32], line[200];

    snprintf(line, sizeof(line), "%.8s  %s%s%s",
             clock_format(when, row->at_wall_ns) + strlen("2026-01-01T"), row->kind,
             *row->text ? "  " : "", row->text);
    text_to_ascii(screen->events[screen->event_count++ % EVENTS],
                  sizeof(screen->events[0]), line);
}

void screen_set_error(struct screen *screen, const char *text)
{
    text_to_ascii(screen->error, sizeof(screen->error), text);
    task_rate_clear(
        &screen->task_rate); /* the tasks that end meanwhile are not counted */
}

/* Drawing */

struct canvas {
    struct text *out;
    struct card_widths widths; /* the job column is the same for jobs and cards */
    const struct screen_shape *shape;
    size_t lines;
};

__attribute__((format(printf, 3, 4))) static void
line(struct canvas *canvas, const char *color, const char *fmt, ...)
{
    char text[512];
    size_t width = canvas->shape->width, length, characters = 0;
    va_list args;

    if (canvas->shape->height && canvas->lines >= canvas->shape->height)
        return;
    canvas->lines++;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    for (length = 0; text[length]; length++) /* cuts between characters, not bytes */
        if (((unsigned char)text[length] & 0xc0) != 0x80 && width &&
            ++characters > width)
            break;
    while (length && text[length - 1] == ' ')
        length--;
    bool colored = canvas->shape->color && *color;
    text_printf(canvas->out, "%s%s%s%.*s%s%s\n", colored ? "\033[" : "",
                colored ? color : "", colored ? "m" : "", (int)length, text,
                colored ? "\033[0m" : "", canvas->shape->in_place ? "\033[K" : "");
}

static void draw_head(struct canvas *canvas, const struct screen *screen)
{
    static const char *const states[STATES] = {
        "leased", "full", "kept", "resting", "idle", "draining", "drained"};
    char text[160] = "";
    char rate_text[40] = "";
    double rate;
    size_t used = 0;

    if (screen->error[0]) {
        line(canvas, "1;31", "%s: %s", screen->title, screen->error);
        return;
    }
    for (size_t state = 0; state < STATES; state++) {
        size_t count = 0;

        for (size_t i = 0; i < screen->card_count; i++)
            count += strcmp(screen->cards[i].state, states[state]) == 0;
        if (count)
            used += (size_t)snprintf(text + used, sizeof(text) - used, ", %zu %s",
                                     count, states[state]);
    }
    if (task_rate_per_second(&screen->task_rate, &rate))
        snprintf(rate_text, sizeof(rate_text), "; %.1f tasks/s", rate);
    line(canvas, "1", "%s: %zu card%s%s; %zu job%s%s", screen->title,
         screen->card_count, screen->card_count == 1 ? "" : "s", text,
         screen->job_count, screen->job_count == 1 ? "" : "s", rate_text);
}

static void
draw_job(struct canvas *canvas, const struct screen *screen, const struct job *job)
{
    char bar[BAR * 3 + 1], when[64] = "";
    uint64_t more = job->ended - job->first_ended;
    uint64_t elapsed_ms = screen->now_ms - job->first_ms;

    terminal_bar(bar, BAR, job->ended, job->tasks);
    if (job->ended > job->first_ended && elapsed_ms && job->tasks > job->ended) {
        double rate = (double)more * 1000 / (double)elapsed_ms;

        snprintf(when, sizeof(when), "%.0f s left, %.1f/s",
                 (double)(job->tasks - job->ended) / rate, rate);
    }
    line(canvas, job->failed ? "33" : "",
         "%-*.*s  %-10s  %s %7" PRIu64 " of %-7" PRIu64 "  %6" PRIu64 "  %7" PRIu64
         "  %7" PRIu64 "  %-8s  %s",
         canvas->widths.job, canvas->widths.job, job->key, job->state, bar, job->ended,
         job->tasks, job->failed, job->running, job->waiting, job->user, when);
}

/* Limits jobs and events to a quarter of the screen each, at least two lines. */
static size_t limit_lines(const struct screen_shape *shape, size_t count)
{
    size_t most = shape->height / 4 > 2 ? shape->height / 4 : 2;

    return shape->height && count > most ? most : count;
}

/* Draws the cards that fit. Returns the number of cards above the first one shown. */
static size_t
draw_cards(struct canvas *canvas, const struct screen *screen, size_t below)
{
    size_t height = canvas->shape->height, first = canvas->shape->skip, room;
    const struct card_line **cards =
        xcalloc(screen->card_count + 1, sizeof(*cards)); /* +1: never 0 bytes */
    char text[CARD_LINE_MAX];

    for (size_t i = 0; i < screen->card_count; i++)
        cards[i] = &screen->cards[i];
    card_line_sort(cards, screen->card_count, canvas->shape->order);
    card_line_head(text, &canvas->widths);
    line(canvas, "4", "%s", text);
    room = height > canvas->lines + below ? height - canvas->lines - below : 1;
    if (!height || screen->card_count <= room)
        room = screen->card_count, first = 0;
    else
        room--; /* the last line counts the other cards */
    if (first + room > screen->card_count)
        first = screen->card_count - room;
    for (size_t i = first; i < first + room; i++) {
        card_line_text(text, cards[i], &canvas->widths);
        line(canvas, card_line_color(cards[i]), "%s", text);
    }
    if (room < screen->card_count)
        line(canvas, "2", "%zu above, %zu below", first,
             screen->card_count - first - room);
    free(cards);
    return first;
}

/* Computes the widths of the columns from their content. */
static void measure(struct canvas *canvas, const struct screen *screen)
{
    struct card_widths *widths = &canvas->widths;

    *widths = (struct card_widths){NARROW, NARROW, DOES};
    for (size_t i = 0; i < screen->job_count; i++) {
        int length = (int)strlen(screen->jobs[i].key);

        if (length > widths->job)
            widths->job = length < WIDE ? length : WIDE;
    }
    for (size_t i = 0; i < screen->card_count; i++)
        card_line_measure(&screen->cards[i], widths);
}

size_t screen_draw(struct text *out,
                   const struct screen *screen,
                   const struct screen_shape *shape)
{
    struct canvas canvas = {.out = out, .shape = shape};
    size_t jobs = limit_lines(shape, screen->job_count);
    size_t kept = screen->event_count < EVENTS ? screen->event_count : EVENTS;
    size_t events = limit_lines(shape, kept);
    bool hint = shape->hint && shape->height > HINT_FROM;

    measure(&canvas, screen);
    draw_head(&canvas, screen);
    line(&canvas, "4", "%-*s  %-10s  %-*s %7s    %-7s  %6s  %7s  %7s  %-8s",
         canvas.widths.job, "JOB", "STATE", BAR, "", "ENDED", "", "FAILED", "RUNNING",
         "WAITING", "USER");
    for (size_t i = 0; i < jobs; i++)
        draw_job(&canvas, screen, &screen->jobs[i]);
    if (jobs < screen->job_count)
        line(&canvas, "2", "and %zu more", screen->job_count - jobs);
    size_t above = draw_cards(&canvas, screen, events + hint);
    for (size_t i = screen->event_count - events; i < screen->event_count; i++)
        line(&canvas, "2", "%s", screen->events[i % EVENTS]);
    if (hint)
        line(&canvas, "2", "%s", shape->hint);
    return above;
}
