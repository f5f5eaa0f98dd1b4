#include "cli/view/card_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { WIDE = 32, WIDEST = 60, SILENT_MS = 5000 /* five missing heartbeats */ };

void card_line_fill(struct card_line *line, const struct msg_worker_row *row)
{
    char text[sizeof(line->does)];

    *line = (struct card_line){.card = row->card,
                               .runs_ms = row->runs_ms,
                               .ended = row->ranks_ended,
                               .failed = row->ranks_failed,
                               .faults = row->faults,
                               .silent_ms = row->silent_ms};
    snprintf(text, sizeof(text), "%.*s:%" PRIu64, WIDE, row->host, row->card);
    text_to_ascii(line->name, sizeof(line->name), text);
    text_to_ascii(line->state, sizeof(line->state), row->state);
    text_to_ascii(line->job, sizeof(line->job), row->job_key);
    text_to_ascii(line->model, sizeof(line->model), row->model);
    if (row->run_id != 0)
        snprintf(text, sizeof(text),
                 "point %" PRIu64 " repeat %" PRIu64 " rank %" PRIu64, row->point,
                 row->repeat, row->rank);
    else
        snprintf(text, sizeof(text), "%s", row->note ? row->note : "");
    text_to_ascii(line->does, sizeof(line->does), text);
}

static int wider(int width, const char *text, int most)
{
    size_t length = strlen(text);

    return length <= (size_t)width ? width : length < (size_t)most ? (int)length : most;
}

void card_line_measure(const struct card_line *line, struct card_widths *widths)
{
    widths->name = wider(widths->name, line->name, WIDE + 8);
    widths->job = wider(widths->job, line->job, WIDE);
    widths->does = wider(widths->does, line->does, WIDEST);
}

void card_line_head(char out[CARD_LINE_MAX], const struct card_widths *widths)
{
    snprintf(out, CARD_LINE_MAX, "%-*s  %-8s  %-*s  %-*s  %6s  %6s  %6s  %6s  %6s  %s",
             widths->name, "CARD", "STATE", widths->job, "JOB", widths->does, "DOES",
             "FOR", "ENDED", "FAILED", "FAULTS", "SILENT", "MODEL");
}

/* Writes two units at most: 0.2s 59s 4m09s 3h05m 2d07h */
static void format_time(char out[16], uint64_t ms)
{
    uint64_t s = ms / 1000;

    if (ms < 10000)
        snprintf(out, 16, "%.1fs", (double)ms / 1000);
    else if (s < 60)
        snprintf(out, 16, "%" PRIu64 "s", s);
    else if (s < 3600)
        snprintf(out, 16, "%" PRIu64 "m%02us", s / 60, (unsigned)(s % 60));
    else if (s < 86400)
        snprintf(out, 16, "%" PRIu64 "h%02um", s / 3600, (unsigned)(s / 60 % 60));
    else
        snprintf(out, 16, "%" PRIu64 "d%02uh", s / 86400 % 1000,
                 (unsigned)(s / 3600 % 24));
}

void card_line_text(char out[CARD_LINE_MAX],
                    const struct card_line *line,
                    const struct card_widths *widths)
{
    char runs[16] = "", silent[16];

    if (*line->job)
        format_time(runs, line->runs_ms);
    format_time(silent, line->silent_ms);
    snprintf(out, CARD_LINE_MAX,
             "%-*.*s  %-8s  %-*.*s  %-*.*s  %6s  %6" PRIu64 "  %6" PRIu64 "  %6" PRIu64
             "  %6s  %s",
             widths->name, widths->name, line->name, line->state, widths->job,
             widths->job, line->job, widths->does, widths->does, line->does, runs,
             line->ended, line->failed, line->faults, silent, line->model);
}

const char *card_line_color(const struct card_line *line)
{
    return line->faults > 0 || line->silent_ms >= SILENT_MS ? "31"
           : strncmp(line->state, "drain", 5) == 0          ? "33"
           : *line->job                                     ? "32"
                                                            : "";
}

/* The sort orders; the most interesting cards come first */

static int more_first(uint64_t left, uint64_t right)
{
    return (left < right) - (left > right);
}

static int by_card(const struct card_line *left, const struct card_line *right)
{
    size_t host = strcspn(left->name, ":");
    int hosts = strncmp(left->name, right->name, host + 1);

    return hosts ? hosts : more_first(right->card, left->card);
}

static int by_trouble(const struct card_line *left, const struct card_line *right)
{
    bool one = strncmp(left->state, "drain", 5) == 0,
         other = strncmp(right->state, "drain", 5) == 0;
    int order = more_first(left->faults, right->faults);

    if (order == 0)
        order = more_first(one, other);
    return order ? order : more_first(left->failed, right->failed);
}

static int by_time(const struct card_line *left, const struct card_line *right)
{
    return more_first(*left->job ? left->runs_ms + 1 : 0,
                      *right->job ? right->runs_ms + 1 : 0);
}

static int by_ended(const struct card_line *left, const struct card_line *right)
{
    return more_first(left->ended, right->ended);
}

static const struct order {
    const char *name;
    int (*compare)(const struct card_line *left, const struct card_line *right);
} orders[] = {
    {"card", by_card},
    {"trouble", by_trouble},
    {"time", by_time},
    {"ended", by_ended},
};

const char *card_order_name(size_t order)
{
    return order < COUNT(orders) ? orders[order].name : NULL;
}

static int compare(const void *left, const void *right, void *arg)
{
    const struct order *order = arg;
    const struct card_line *one = *(const struct card_line *const *)left,
                           *other = *(const struct card_line *const *)right;
    int result = order->compare(one, other);

    return result ? result : by_card(one, other);
}

void card_line_sort(const struct card_line **lines, size_t count, size_t order)
{
    struct order by = orders[order < COUNT(orders) ? order : 0];

    if (count > 0)
        qsort_r(lines, count, sizeof(*lines), compare, &by);
}
