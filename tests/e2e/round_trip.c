/* round_trip.c - what the parsers read out of a capture, against the ledger of the
 * simulated cards: each counter of each core and pass, each task's start and end
 *
 * round_trip CAPTURE LEDGER RUN RANK prints what was compared of each launch, and ends
 * with 1 at the first thing that differs. */
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

static void die(const char *what)
{
    fprintf(stderr, "round_trip: %s\n", what);
    exit(1);
}

static void take_line(struct ledger *ledger, char *line)
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
        die("a line of the ledger is none");
    }
}

static void read_ledger(struct ledger *ledger, const char *path)
{
    size_t size, lines = 0;
    struct err err;
    char *rest, *line;

    if (file_read(&ledger->text, &size, path, (size_t)1 << 30, &err) < 0)
        die(err.text);
    for (size_t i = 0; i < size; i++)
        lines += ledger->text[i] == '\n';
    ledger->cores = xcalloc(lines + 1, sizeof(*ledger->cores));
    ledger->tasks = xcalloc(lines + 1, sizeof(*ledger->tasks));
    rest = ledger->text;
    while ((line = strsep(&rest, "\n")))
        if (*line)
            take_line(ledger, line);
}

/* What the model counted; of an event that it does not know, 0. */
static uint64_t counted(const struct core_line *core, unsigned event)
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
            value != counted(core, events[i]) || cycles != core->cycles)
            return 1;
        same++;
    }
    pass->values += same;
    return 0;
}

static const struct core_line *
find_core(struct pass *pass, const struct ledger *ledger, const struct pmu_row *row)
{
    bool is_one =
        pass->launch->info.chip == CHIP_310P; /* says neither where nor when */

    for (size_t i = 0; i < ledger->core_count; i++) {
        const struct core_line *core = &ledger->cores[i];

        if (strcmp(core->kernel, pass->launch->kernel) != 0 ||
            core->cycles != row->cycles)
            continue;
        if (!is_one &&
            (core->kind != row->kind || core->block != row->block ||
             core->sub != row->sub_block || core->start != row->start_ticks ||
             core->end != row->end_ticks || core->core != row->core))
            continue;
        if (!values_differ(pass, row, core))
            return core;
    }
    return NULL;
}

/* Cores that this execution has in the ledger. */
static size_t cores_beside(const struct ledger *ledger, const struct core_line *core)
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
        die(err.text);
    pmu_finish(pass->pmu);
    for (size_t i = 0; i < pmu_row_count(pass->pmu); i++) {
        core = find_core(pass, ledger, pmu_row(pass->pmu, i));
        if (!core) {
            fprintf(stderr, "round_trip: %s: pass %" PRIu32 " block %" PRIu32 ": ",
                    pass->launch->kernel, pass->source->number,
                    pmu_row(pass->pmu, i)->block);
            die("no core counted this");
        }
        pass->rows++;
    }
    if (core && cores_beside(ledger, core) != pmu_row_count(pass->pmu))
        die("a core is missing");
    pmu_destroy(pass->pmu);
}

static void need_moment(const struct ledger *ledger,
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
    die("no card did this");
}

/* Each slice of the communication is a task that ran, when it ran. */
static size_t compare_slices(const struct findings *findings,
                             const struct ledger *ledger)
{
    size_t slices = 0;

    for (size_t i = 0; i < findings->tasks.count; i++) {
        const struct scheduler_task *task = &findings->tasks.rows[i];

        if (task->start_ticks)
            need_moment(ledger, task->stream, task->task, 0, task->start_ticks);
        if (task->end_ticks)
            need_moment(ledger, task->stream, task->task, 1, task->end_ticks);
    }
    for (size_t i = 0; i < findings->ai_cpu.task_count; i++) {
        const struct hccl_task *task = &findings->ai_cpu.tasks[i];

        slices +=
            scheduler_tasks_find(&findings->tasks, task->stream, task->task) != NULL;
    }
    return slices;
}

static int ticks_are_there(const struct ledger *ledger, int is_end, uint64_t ticks)
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
        !ticks_are_there(ledger, 0, findings.durations.start_ticks) ||
        !ticks_are_there(ledger, 1, findings.durations.end_ticks))
        die("the operator's duration is not what its task took");
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
        die("CAPTURE LEDGER RUN RANK");
    read_ledger(&ledger, argv[2]);
    if (source_read_capture(&source, argv[1], strtoull(argv[3], NULL, 10),
                            (uint32_t)strtoul(argv[4], NULL, 10), &err) < 0)
        die(err.text);
    for (size_t i = 0; i < source->count; i++)
        compare_launch(source->launches[i], &ledger);
    source_destroy(source);
    free(ledger.cores);
    free(ledger.tasks);
    free(ledger.text);
    return 0;
}
