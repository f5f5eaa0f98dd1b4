/* round_trip.c - compares parsed captures with the ledger of the simulated cards: each
 * counter of each core and pass, start and end of each task
 *
 * round_trip CAPTURE LEDGER RUN RANK prints the numbers of compared values per launch.
 * It exits with 1 at the first difference. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/findings/findings.h"

struct core_line {
    const char *text; /* from " EVENT=VALUE" on */
    char kernel[201];
    unsigned card, stream, kind, core, block, sub;
    uint64_t number, start, end, cycles;
};

struct task_line {
    unsigned stream, task, kind;
    int is_end;
    uint64_t ticks;
};

struct ledger {
    char *text;
    struct core_line *cores;
    struct task_line *tasks;
    size_t core_count, task_count;
};

static void fail(const char *what)
{
    fprintf(stderr, "round_trip: %s\n", what);
    exit(1);
}

static void read_line(struct ledger *ledger, char *line)
{
    struct core_line *core = &ledger->cores[ledger->core_count];
    struct task_line *task = &ledger->tasks[ledger->task_count];
    char when[8];
    int at = 0;

    if (sscanf(line,
               "core %u %200s %u %" SCNu64 " %u %u %u %u %" SCNu64 " %" SCNu64
               " %" SCNu64 "%n",
               &core->card, core->kernel, &core->stream, &core->number, &core->kind,
               &core->core, &core->block, &core->sub, &core->start, &core->end,
               &core->cycles, &at) == 11) {
        core->text = line + at;
        ledger->core_count++;
    } else if (sscanf(line, "task %*u %u %u %u %7s %" SCNu64, &task->stream,
                      &task->task, &task->kind, when, &task->ticks) == 5) {
        task->is_end = strcmp(when, "end") == 0;
        ledger->task_count++;
    } else {
        fail("a line of the ledger is neither a core nor a task");
    }
}

static void read_ledger(struct ledger *ledger, const char *path)
{
    size_t size, lines = 0;
    struct err err;
    char *rest, *line;

    if (file_read(&ledger->text, &size, path, (size_t)1 << 30, &err) < 0)
        fail(err.text);
    for (size_t i = 0; i < size; i++)
        lines += ledger->text[i] == '\n';
    ledger->cores = xcalloc(lines + 1, sizeof(*ledger->cores));
    ledger->tasks = xcalloc(lines + 1, sizeof(*ledger->tasks));
    rest = ledger->text;
    while ((line = strsep(&rest, "\n")))
        if (*line)
            read_line(ledger, line);
}

/* Returns the count of an event in the ledger, 0 if the card model lacks the event. */
static uint64_t ledger_count(const struct core_line *core, unsigned event)
{
    char key[16];
    const char *at;

    snprintf(key, sizeof(key), " %u=", event);
    at = strstr(core->text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

struct pass {
    const struct source_launch *launch;
    const struct source_pass *source;
    struct pmu *pmu;
    size_t rows, values;
};

static int values_differ(struct pass *pass,
                         const struct pmu_row *row,
                         const struct core_line *core)
{
    bool is_a5 = pass->launch->info.chip == CHIP_A5;
    const uint16_t *events =
        row->kind == CORE_AIC ? pass->source->events.aic : pass->source->events.aiv;
    size_t slots = is_a5 ? 10 : 8, same = 0;

    for (size_t i = 0; i < slots; i++) {
        uint64_t value, cycles;

        if (!events[i] && !is_a5)
            continue;
        if (!pmu_get(pass->pmu, row, events[i], &value, &cycles) ||
            value != ledger_count(core, events[i]) || cycles != core->cycles)
            return 1;
        same++;
    }
    pass->values += same;
    return 0;
}

static const struct core_line *
find_core(struct pass *pass, const struct ledger *ledger, const struct pmu_row *row)
{
    /* counters of the 310P have neither block and core numbers nor times */
    bool has_position = pass->launch->info.chip != CHIP_310P;

    for (size_t i = 0; i < ledger->core_count; i++) {
        const struct core_line *core = &ledger->cores[i];

        if (strcmp(core->kernel, pass->launch->kernel) != 0 ||
            core->cycles != row->cycles)
            continue;
        if (has_position &&
            (core->kind != row->kind || core->block != row->block ||
             core->sub != row->sub_block || core->start != row->start_ticks ||
             core->end != row->end_ticks || core->core != row->core))
            continue;
        if (!values_differ(pass, row, core))
            return core;
    }
    return NULL;
}

/* Returns the number of ledger lines with the same execution as this core. */
static size_t cores_of_execution(const struct ledger *ledger,
                                 const struct core_line *core)
{
    size_t count = 0;

    for (size_t i = 0; i < ledger->core_count; i++) {
        const struct core_line *it = &ledger->cores[i];

        count += it->card == core->card && it->stream == core->stream &&
                 it->number == core->number && strcmp(it->kernel, core->kernel) == 0;
    }
    return count;
}

static void compare_pass(struct pass *pass, const struct ledger *ledger)
{
    const struct text *bytes = &pass->source->counters;
    const struct core_line *core = NULL;
    struct pmu_notes notes;
    struct err err;

    pass->pmu = pmu_create(pass->launch->info.chip);
    if (pmu_add_pass(pass->pmu, &pass->source->events, (const uint8_t *)text_get(bytes),
                     bytes->length, &notes, &err) < 0)
        fail(err.text);
    pmu_finish(pass->pmu);
    for (size_t i = 0; i < pmu_row_count(pass->pmu); i++) {
        core = find_core(pass, ledger, pmu_row(pass->pmu, i));
        if (!core) {
            fprintf(stderr, "round_trip: %s: pass %" PRIu32 " block %" PRIu32 ": ",
                    pass->launch->kernel, pass->source->number,
                    pmu_row(pass->pmu, i)->block);
            fail("no core of the ledger has these counters");
        }
        pass->rows++;
    }
    if (core && cores_of_execution(ledger, core) != pmu_row_count(pass->pmu))
        fail("the capture lacks a core of this execution");
    pmu_destroy(pass->pmu);
}

static void require_task_time(const struct ledger *ledger,
                              unsigned stream,
                              unsigned task,
                              int is_end,
                              uint64_t ticks)
{
    for (size_t i = 0; i < ledger->task_count; i++) {
        const struct task_line *it = &ledger->tasks[i];

        if (it->ticks == ticks && it->is_end == is_end && it->stream == stream &&
            it->task == task)
            return;
    }
    fprintf(stderr, "round_trip: stream %u task %u, %s at %" PRIu64 ": ", stream, task,
            is_end ? "end" : "start", ticks);
    fail("the ledger has no such task");
}

/* Compares all scheduler tasks with the ledger. Returns the number of HCCL tasks among
 * them, the slices of the communication. */
static size_t compare_slices(const struct findings *findings,
                             const struct ledger *ledger)
{
    size_t slices = 0;

    for (size_t i = 0; i < findings->tasks.count; i++) {
        const struct scheduler_task *task = &findings->tasks.rows[i];

        if (task->start_ticks)
            require_task_time(ledger, task->stream, task->task, 0, task->start_ticks);
        if (task->end_ticks)
            require_task_time(ledger, task->stream, task->task, 1, task->end_ticks);
    }
    for (size_t i = 0; i < findings->ai_cpu.task_count; i++) {
        const struct hccl_task *task = &findings->ai_cpu.tasks[i];

        slices +=
            scheduler_tasks_find(&findings->tasks, task->stream, task->task) != NULL;
    }
    return slices;
}

static int has_ticks(const struct ledger *ledger, int is_end, uint64_t ticks)
{
    for (size_t i = 0; i < ledger->task_count; i++)
        if (ledger->tasks[i].ticks == ticks && ledger->tasks[i].is_end == is_end)
            return 1;
    return 0;
}

static void compare_launch(const struct source_launch *launch,
                           const struct ledger *ledger)
{
    struct pass pass = {.launch = launch};
    struct findings findings;
    size_t slices;

    for (size_t i = 0; i < launch->pass_count; i++) {
        pass.source = &launch->passes[i];
        compare_pass(&pass, ledger);
    }
    findings_read(&findings, launch);
    if (!findings.durations.has_duration ||
        !has_ticks(ledger, 0, findings.durations.start_ticks) ||
        !has_ticks(ledger, 1, findings.durations.end_ticks))
        fail("no task of the ledger has the operator's start and end");
    slices = compare_slices(&findings, ledger);
    printf("%s passes=%zu rows=%zu values=%zu tasks=%zu slices=%zu\n", launch->kernel,
           launch->pass_count, pass.rows, pass.values, findings.tasks.count, slices);
    findings_clear(&findings);
}

int main(int argc, char **argv)
{
    struct ledger ledger = {0};
    struct source *source;
    struct err err;

    if (argc != 5)
        fail("usage: round_trip CAPTURE LEDGER RUN RANK");
    read_ledger(&ledger, argv[2]);
    if (source_read_capture(&source, argv[1], strtoull(argv[3], NULL, 10),
                            (uint32_t)strtoul(argv[4], NULL, 10), &err) < 0)
        fail(err.text);
    for (size_t i = 0; i < source->count; i++)
        compare_launch(source->launches[i], &ledger);
    source_destroy(source);
    free(ledger.cores);
    free(ledger.tasks);
    free(ledger.text);
    return 0;
}
