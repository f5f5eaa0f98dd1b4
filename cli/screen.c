#include "cli/screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

enum { EVENTS = 16, RATES = 32, BAR = 16, STATES = 7, NARROW = 8, WIDE = 32 };

/* Since when it is looked at, and how many tasks had ended then. */
struct rate {
    uint64_t job_id, first_ms, first_ended;
};

struct job {
    uint64_t tasks, waiting, running, ended, failed, first_ms, first_ended;
    char key[64], state[16], user[32];
};

struct card {
    uint64_t card, point, repeat, rank, ended, silent_ms;
    bool works;
    char host[64], state[16], job[64], model[32];
};

struct screen {
    char *title;
    uint64_t now_ms;
    struct job *jobs;
    struct card *cards;
    size_t job_count, job_room, card_count, card_room;
    struct rate rates[RATES];
    size_t rate_count;
    char events[EVENTS][200];
    size_t event_count; /* ever; the ring has the last ones */
    char complaint[200];
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
    free(screen->jobs);
    free(screen->cards);
    free(screen->title);
    free(screen);
}

void screen_begin(struct screen *screen, uint64_t now_ms)
{
    screen->now_ms = now_ms;
    screen->job_count = screen->card_count = 0;
    screen->complaint[0] = '\0';
}

static void take(char *out, size_t size, const char *text)
{
    size_t i = 0;

    for (; text[i] && i + 1 < size; i++)
        out[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
    out[i] = '\0';
}

static const struct rate *
rate_of(struct screen *screen, uint64_t job_id, uint64_t ended)
{
    size_t i = 0;

    while (i < screen->rate_count && screen->rates[i].job_id != job_id)
        i++;
    if (i == RATES) /* the oldest has most likely gone */
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

    *job = (struct job){.tasks = row->tasks,
                        .waiting = row->waiting,
                        .running = row->running,
                        .ended = ended,
                        .failed = row->failed,
                        .first_ms = rate->first_ms,
                        .first_ended = rate->first_ended};
    take(job->key, sizeof(job->key), row->job_key);
    take(job->state, sizeof(job->state), row->state);
    take(job->user, sizeof(job->user), row->user);
}

void screen_add_card(struct screen *screen, const struct msg_worker_row *row)
{
    if (screen->card_count == screen->card_room) {
        screen->card_room = screen->card_room ? screen->card_room * 2 : 64;
        screen->cards =
            xreallocarray(screen->cards, screen->card_room, sizeof(*screen->cards));
    }
    struct card *card = &screen->cards[screen->card_count++];

    *card = (struct card){.card = row->card,
                          .point = row->point,
                          .repeat = row->repeat,
                          .rank = row->rank,
                          .ended = row->ranks_ended,
                          .silent_ms = row->silent_ms,
                          .works = row->run_id != 0};
    take(card->host, sizeof(card->host), row->host);
    take(card->state, sizeof(card->state), row->state);
    take(card->job, sizeof(card->job), row->job_key);
    take(card->model, sizeof(card->model), row->model);
}

void screen_add_event(struct screen *screen, const struct msg_event_row *row)
{
    char when[32], line[200];

    snprintf(line, sizeof(line), "%.8s  %s%s%s",
             clock_format(when, row->at_wall_ns) + strlen("2026-01-01T"), row->kind,
             *row->text ? "  " : "", row->text);
    take(screen->events[screen->event_count++ % EVENTS], sizeof(screen->events[0]),
         line);
}

void screen_complain(struct screen *screen, const char *words)
{
    take(screen->complaint, sizeof(screen->complaint), words);
}

size_t screen_cards(const struct screen *screen)
{
    return screen->card_count;
}

/* Drawing */

struct canvas {
    struct text *out;
    int key, name; /* widths of the columns of jobs' and of cards' names */
    const struct screen_shape *shape;
    size_t lines;
};

__attribute__((format(printf, 3, 4))) static void
line(struct canvas *canvas, const char *color, const char *fmt, ...)
{
    char words[512];
    size_t width = canvas->shape->width, length, letters = 0;
    va_list args;

    if (canvas->shape->height && canvas->lines >= canvas->shape->height)
        return;
    canvas->lines++;
    va_start(args, fmt);
    vsnprintf(words, sizeof(words), fmt, args);
    va_end(args);
    for (length = 0; words[length]; length++) /* cut between letters, not bytes */
        if (((unsigned char)words[length] & 0xc0) != 0x80 && width && ++letters > width)
            break;
    while (length && words[length - 1] == ' ')
        length--;
    if (canvas->shape->color && *color)
        text_printf(canvas->out, "\033[%sm%.*s\033[0m\n", color, (int)length, words);
    else
        text_printf(canvas->out, "%.*s\n", (int)length, words);
}

static void draw_head(struct canvas *canvas, const struct screen *screen)
{
    static const char *const states[STATES] = {
        "leased", "full", "kept", "resting", "idle", "draining", "drained"};
    char words[160] = "";
    size_t used = 0;

    if (screen->complaint[0]) {
        line(canvas, "1;31", "%s: %s", screen->title, screen->complaint);
        return;
    }
    for (size_t state = 0; state < STATES; state++) {
        size_t count = 0;

        for (size_t i = 0; i < screen->card_count; i++)
            count += strcmp(screen->cards[i].state, states[state]) == 0;
        if (count)
            used += (size_t)snprintf(words + used, sizeof(words) - used, ", %zu %s",
                                     count, states[state]);
    }
    line(canvas, "1", "%s: %zu card%s%s; %zu job%s", screen->title, screen->card_count,
         screen->card_count == 1 ? "" : "s", words, screen->job_count,
         screen->job_count == 1 ? "" : "s");
}

static void
draw_job(struct canvas *canvas, const struct screen *screen, const struct job *job)
{
    char bar[BAR * 3 + 1] = "", when[64] = "";
    size_t filled = job->tasks ? (size_t)(job->ended * BAR / job->tasks) : BAR;
    uint64_t more = job->ended - job->first_ended;
    uint64_t elapsed_ms = screen->now_ms - job->first_ms;

    for (size_t i = 0; i < BAR; i++)
        strcat(bar, i < filled ? "\u2588" : "\u2591");
    if (job->ended > job->first_ended && elapsed_ms && job->tasks > job->ended) {
        double rate = (double)more * 1000 / (double)elapsed_ms;

        snprintf(when, sizeof(when), "%.1f/s, %.0f s left", rate,
                 (double)(job->tasks - job->ended) / rate);
    }
    line(canvas, job->failed ? "33" : "",
         "%-*.*s  %-10s  %s %7" PRIu64 " of %-7" PRIu64 "  %6" PRIu64 "  %7" PRIu64
         "  %7" PRIu64 "  %-8s  %s",
         canvas->key, canvas->key, job->key, job->state, bar, job->ended, job->tasks,
         job->failed, job->running, job->waiting, job->user, when);
}

static void draw_card(struct canvas *canvas, const struct card *card)
{
    const char *color = strcmp(card->state, "leased") == 0      ? "32"
                        : strncmp(card->state, "drain", 5) == 0 ? "33"
                                                                : "";
    char name[WIDE + 24], where[96] = "";

    snprintf(name, sizeof(name), "%.*s:%" PRIu64, WIDE, card->host, card->card);
    if (card->works)
        snprintf(where, sizeof(where),
                 "point %" PRIu64 " repeat %" PRIu64 " rank %" PRIu64, card->point,
                 card->repeat, card->rank);
    line(canvas, color, "%-*s  %-8s  %-*.*s  %-25s  %6" PRIu64 "  %6.1f  %s",
         canvas->name, name, card->state, canvas->key, canvas->key, card->job, where,
         card->ended, (double)card->silent_ms / 1000, card->model);
}

/* At most so many of `count` lines: a quarter of the screen for jobs and for events. */
static size_t share(const struct screen_shape *shape, size_t count)
{
    size_t most = shape->height / 4 > 2 ? shape->height / 4 : 2;

    return shape->height && count > most ? most : count;
}

static void draw_cards(struct canvas *canvas, const struct screen *screen, size_t below)
{
    size_t height = canvas->shape->height, first = canvas->shape->skip, room;

    line(canvas, "4", "%-*s  %-8s  %-*s  %-25s  %6s  %6s  %s", canvas->name, "CARD",
         "STATE", canvas->key, "JOB", "DOES", "ENDED", "SILENT", "MODEL");
    room = height > canvas->lines + below ? height - canvas->lines - below : 1;
    if (!height || screen->card_count <= room)
        room = screen->card_count, first = 0;
    else
        room--; /* for the words on the others */
    if (first + room > screen->card_count)
        first = screen->card_count - room;
    for (size_t i = first; i < first + room; i++)
        draw_card(canvas, &screen->cards[i]);
    if (room < screen->card_count)
        line(canvas, "2", "%zu above, %zu below", first,
             screen->card_count - first - room);
}

static int wider(int width, size_t length)
{
    return length <= (size_t)width ? width : length < WIDE ? (int)length : WIDE;
}

/* No wider than what stands in them. */
static void measure(struct canvas *canvas, const struct screen *screen)
{
    canvas->key = canvas->name = NARROW;
    for (size_t i = 0; i < screen->job_count; i++)
        canvas->key = wider(canvas->key, strlen(screen->jobs[i].key));
    for (size_t i = 0; i < screen->card_count; i++) {
        canvas->key = wider(canvas->key, strlen(screen->cards[i].job));
        canvas->name = wider(canvas->name, strlen(screen->cards[i].host) + 3);
    }
}

void screen_draw(struct text *out,
                 const struct screen *screen,
                 const struct screen_shape *shape)
{
    struct canvas canvas = {.out = out, .shape = shape};
    size_t jobs = share(shape, screen->job_count);
    size_t kept = screen->event_count < EVENTS ? screen->event_count : EVENTS;
    size_t events = share(shape, kept);

    measure(&canvas, screen);
    draw_head(&canvas, screen);
    line(&canvas, "4", "%-*s  %-10s  %-*s %7s    %-7s  %6s  %7s  %7s  %-8s", canvas.key,
         "JOB", "STATE", BAR, "", "ENDED", "", "FAILED", "RUNNING", "WAITING", "USER");
    for (size_t i = 0; i < jobs; i++)
        draw_job(&canvas, screen, &screen->jobs[i]);
    if (jobs < screen->job_count)
        line(&canvas, "2", "and %zu more", screen->job_count - jobs);
    draw_cards(&canvas, screen, events);
    for (size_t i = screen->event_count - events; i < screen->event_count; i++)
        line(&canvas, "2", "%s", screen->events[i % EVENTS]);
}
