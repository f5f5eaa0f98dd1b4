#include "sim/card/ledger.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENTS_END 2048
#define LINE_ROOM  16384

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int ledger = -1;

static void open_ledger(void)
{
    const char *path = getenv("NPU_SIM_LEDGER");

    if (path && *path)
        ledger = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
}

static bool is_open(void)
{
    pthread_once(&once, open_ledger);
    return ledger >= 0;
}

/* Writes a line with one write() call, so that lines of processes do not mix. */
static void put(const char *line, size_t size)
{
    if (write(ledger, line, size) != (ssize_t)size)
        fputs("NPU_SIM_LEDGER: line not written\n", stderr);
}

void ledger_core(uint32_t card,
                 uint32_t chip,
                 const struct card_launch *launch,
                 const struct pmu_place *place,
                 const struct counters *counted)
{
    char line[LINE_ROOM];
    size_t at;

    if (!is_open())
        return;
    at = (size_t)snprintf(line, sizeof(line),
                          "core %" PRIu32 " %.200s %u %" PRIu64 " %d %" PRIu32
                          " %u %u %" PRIu64 " %" PRIu64 " %" PRIu64,
                          card, launch->kernel, (unsigned)launch->stream,
                          launch->number, (int)place->kind, place->core,
                          (unsigned)place->block, (unsigned)place->sub_block,
                          place->start, place->end, counted->value[COUNTER_TOTAL]);
    for (uint32_t event = 0; event < EVENTS_END && at + 64 < sizeof(line); event++) {
        struct counter_view view = counter_of_event(chip, place->kind, event);

        if (view.counter != COUNTER_NONE)
            at +=
                (size_t)snprintf(line + at, sizeof(line) - at, " %" PRIu32 "=%" PRIu64,
                                 event, counter_value(counted, view));
    }
    line[at++] = '\n';
    put(line, at);
}

void ledger_pipe(uint32_t card,
                 uint32_t channel,
                 unsigned pipe,
                 uint64_t start,
                 uint64_t end)
{
    char line[128];

    if (is_open())
        put(line, (size_t)snprintf(line, sizeof(line),
                                   "pipe %" PRIu32 " %" PRIu32 " %u %" PRIu64
                                   " %" PRIu64 "\n",
                                   card, channel, pipe, start, end));
}

void ledger_mark(uint32_t card,
                 uint32_t channel,
                 unsigned pipe,
                 uint64_t cycle,
                 unsigned value)
{
    char line[128];

    if (is_open())
        put(line, (size_t)snprintf(line, sizeof(line),
                                   "mark %" PRIu32 " %" PRIu32 " %u %" PRIu64 " %u\n",
                                   card, channel, pipe, cycle, value));
}

void ledger_sample(uint32_t card,
                   uint32_t channel,
                   uint64_t pc,
                   const uint64_t counts[9])
{
    char line[320];
    size_t at;

    if (!is_open())
        return;
    at = (size_t)snprintf(line, sizeof(line), "sample %" PRIu32 " %" PRIu32 " %" PRIu64,
                          card, channel, pc);
    for (int i = 0; i < 9; i++)
        at += (size_t)snprintf(line + at, sizeof(line) - at, " %" PRIu64, counts[i]);
    line[at++] = '\n';
    put(line, at);
}

void ledger_task(uint32_t card,
                 const struct card_launch *launch,
                 bool is_end,
                 uint64_t ticks)
{
    char line[128];

    if (is_open())
        put(line, (size_t)snprintf(
                      line, sizeof(line), "task %" PRIu32 " %u %u %d %s %" PRIu64 "\n",
                      card, (unsigned)launch->stream, (unsigned)launch->task,
                      (int)launch->task_kind, is_end ? "end" : "start", ticks));
}
