#include "cli/view/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/view/terminal.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/wire/messages.h"

enum {
    PLAIN_EVERY_MS = 2000,
    PLAIN_SAME_MS = 60000, /* repeats an unchanged line, as a sign of life */
};

struct progress {
    bool quiet;
    bool live; /* stderr is a terminal */
    bool color;
    bool open; /* the cursor is on the progress line */
    uint64_t first_ms;
    uint64_t ran_before; /* tasks that had run at the first message */
    uint64_t last_ms;
    uint64_t moves; /* moves() of the last plain line */
};

struct progress *progress_create(bool quiet)
{
    struct progress *progress = xcalloc(1, sizeof(*progress));
    progress->quiet = quiet;
    progress->live = isatty(STDERR_FILENO) && terminal_has_sequences();
    progress->color = progress->live && terminal_has_color();
    return progress;
}

void progress_destroy(struct progress *progress)
{
    if (progress && progress->open)
        fputc('\n', stderr);
    free(progress);
}

bool progress_is_quiet(const struct progress *progress)
{
    return progress->quiet;
}

static uint64_t ended(const struct msg_job_progress *now)
{
    return now->done + now->failed + now->cancelled;
}

/* Cancelled tasks took no time and say nothing about the rate. */
static uint64_t ran(const struct msg_job_progress *now)
{
    return now->done + now->failed;
}

void progress_text(char *out,
                   unsigned long size,
                   const struct msg_job_progress *now,
                   uint64_t ran_before,
                   uint64_t elapsed_ms)
{
    uint64_t more = ran(now) - ran_before;
    uint64_t left = now->tasks - ended(now);
    int used = snprintf(out, size,
                        "done %" PRIu64 " of %" PRIu64 ", failed %" PRIu64
                        ", running %" PRIu64,
                        now->done, now->tasks, now->failed, now->started);

    if (now->parsing && used < (int)size)
        used += snprintf(out + used, size - (size_t)used, ", parsing %" PRIu64,
                         now->parsing);
    if (now->cancelled && used < (int)size)
        used += snprintf(out + used, size - (size_t)used, ", cancelled %" PRIu64,
                         now->cancelled);
    if (more >= 2 && elapsed_ms && left && now->running && used < (int)size) {
        double rate = (double)more * 1000 / (double)elapsed_ms;

        snprintf(out + used, size - (size_t)used, "; %.1f/s, %.0f s left", rate,
                 (double)left / rate);
    }
}

static void
draw(struct progress *progress, const struct msg_job_progress *now, const char *text)
{
    enum { BAR_MAX = 24, BAR_MIN = 6 };
    char bar[BAR_MAX * 3 + 1] = "";
    size_t width = terminal_width(STDERR_FILENO), used = strlen(text) + 2;
    size_t cells = width > used ? width - used : 0;

    /* a line that wraps could not be overwritten */
    if (cells >= BAR_MIN)
        terminal_bar(bar, cells < BAR_MAX ? cells : BAR_MAX, ended(now), now->tasks);
    fprintf(stderr, "\r\033[K%s%s%s%s%.*s",
            progress->color ? now->failed ? "\033[33m" : "\033[32m" : "", bar,
            progress->color ? "\033[0m" : "", *bar ? " " : "", (int)width - 1, text);
    fflush(stderr);
    progress->open = true;
}

/* Returns a number that changes when the state of a task changes. */
static uint64_t moves(const struct msg_job_progress *now)
{
    return now->running + now->started + 2 * now->parsing + 3 * ended(now);
}

/* Limits plain lines to one per two seconds, and unchanged lines to one per minute. */
static bool is_line_due(const struct progress *progress,
                        const struct msg_job_progress *now,
                        uint64_t now_ms)
{
    uint64_t since_ms = now_ms - progress->last_ms;

    if (!progress->last_ms)
        return true;
    if (moves(now) == progress->moves)
        return !now->final && since_ms >= PLAIN_SAME_MS;
    return now->final || since_ms >= PLAIN_EVERY_MS;
}

void progress_show(struct progress *progress, const struct msg_job_progress *now)
{
    char text[256];
    uint64_t now_ms = clock_mono_ms();

    if (progress->quiet)
        return;
    if (!progress->first_ms) {
        progress->first_ms = now_ms;
        progress->ran_before = ran(now);
    }
    progress_text(text, sizeof(text), now, progress->ran_before,
                  now_ms - progress->first_ms);
    if (progress->live) {
        draw(progress, now, text);
        return;
    }
    if (!is_line_due(progress, now, now_ms))
        return;
    fprintf(stderr, "%s: %s\n", now->job_key, text);
    progress->moves = moves(now);
    progress->last_ms = now_ms;
}

void progress_print(struct progress *progress, const char *fmt, ...)
{
    va_list args;

    if (progress->open)
        fputs("\r\033[K", stderr);
    progress->open = false;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}
