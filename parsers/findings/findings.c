#include "parsers/findings/findings.h"

#include <inttypes.h>
#include <stdlib.h>

#include "parsers/source/source_inner.h"

static void
note_pass(struct findings *findings, uint32_t pass, const struct pmu_notes *notes)
{
    if (!notes->records)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": no counters", pass);
    if (notes->tail_bytes)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "pass %" PRIu32
                    ": %zu bytes after the last complete counter record",
                    pass, notes->tail_bytes);
    if (notes->groups > 1)
        source_note(&findings->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": %zu launches in one file, only the last is used",
                    pass, notes->groups);
    if (notes->skipped)
        source_note(&findings->notes, SOURCE_DETAIL, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": %zu records of other function types ignored",
                    pass, notes->skipped);
}

/* Every pass measures the same cores, so rows that one pass lacks were lost. */
static void note_missing_rows(struct findings *findings, size_t pass, uint32_t number)
{
    size_t missing = pmu_rows_without_pass(findings->pmu, pass);
    size_t rows = pmu_row_count(findings->pmu);

    if (missing && missing < rows)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": %zu of %zu cores have no counters", number,
                    missing, rows);
}

static bool read_pass(struct findings *findings, const struct source_pass *pass)
{
    const struct source_launch *launch = findings->launch;
    struct pmu_notes notes;
    struct err err;

    if (!pass->has_events) {
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 ": the list of its events is missing",
                    pass->number);
        return false;
    }
    if (!pass->counters.length && (!launch->complete || launch->is_collective))
        return false; /* has a note already, or ran on no core with counters */
    if (pmu_add_pass(findings->pmu, &pass->events,
                     (const uint8_t *)text_get(&pass->counters), pass->counters.length,
                     &notes, &err) < 0)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
    else
        note_pass(findings, pass->number, &notes);
    return true;
}

/* Reads passes of other ranks first: total cycles and times come from the last pass,
 * which must be the rank's own. */
static void read_counters(struct findings *findings)
{
    const struct source_launch *launch = findings->launch;
    uint32_t numbers[PMU_PASSES_MAX] = {0};

    for (int is_own = 0; is_own < 2; is_own++)
        for (size_t i = 0; i < launch->pass_count; i++) {
            const struct source_pass *pass = &launch->passes[i];

            if (pass->is_shared == is_own || !read_pass(findings, pass))
                continue;
            numbers[pmu_pass_count(findings->pmu) - 1] = pass->number;
            if (!is_own)
                findings->shared_by[findings->shared_passes++] = pass->made_by;
        }
    pmu_finish(findings->pmu);
    for (size_t i = 0; i < pmu_pass_count(findings->pmu); i++)
        note_missing_rows(findings, i, numbers[i]);
}

/* Returns the task log of the last pass that has one, or NULL. */
static const struct text *last_task_log(const struct source_launch *launch)
{
    for (size_t i = launch->pass_count; i-- > 0;)
        if (launch->passes[i].task_log.length)
            return &launch->passes[i].task_log;
    return NULL;
}

static void read_tasks(struct findings *findings)
{
    const struct source_launch *launch = findings->launch;
    const struct text *bytes = last_task_log(launch);
    struct task_durations *durations = &findings->durations;

    if (bytes) {
        const uint8_t *records = (const uint8_t *)bytes->bytes;

        task_durations_read(durations, launch->info.chip, records, bytes->length);
        if (launch->info.is_mc2 || launch->is_collective)
            scheduler_tasks_read(&findings->tasks, launch->info.chip, records,
                                 bytes->length);
    }
    if (launch->plain_log.length)
        task_durations_read(&findings->plain, launch->info.chip,
                            (const uint8_t *)launch->plain_log.bytes,
                            launch->plain_log.length);
    if (durations->tail_bytes)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "task log: %zu bytes after the last complete record",
                    durations->tail_bytes);
    if (!durations->has_duration)
        source_note(&findings->notes, launch->complete ? SOURCE_ERROR : SOURCE_DETAIL,
                    SOURCE_NO_BLOCK,
                    "task log: start or end of the operator is missing");
}

static void read_stamps(struct findings *findings)
{
    const struct source_launch *launch = findings->launch;
    struct stamp_blocks blocks = {
        .cubes = measure_rows(&findings->measure, CORE_AIC),
        .vectors = measure_rows(&findings->measure, CORE_AIV),
    };

    stamps_read(&findings->stamps, launch->info.chip, launch->info.is_lccl, blocks,
                (const uint8_t *)text_get(&launch->stamps), launch->stamps.length);
    if (findings->stamps.tail_bytes)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "time stamps: %zu bytes after the last complete record",
                    findings->stamps.tail_bytes);
}

static void read_ai_cpu(struct findings *findings)
{
    const struct text *bytes = &findings->launch->ai_cpu;
    struct ai_cpu *ai_cpu = &findings->ai_cpu;

    ai_cpu_read(ai_cpu, (const uint8_t *)text_get(bytes), bytes->length);
    if (ai_cpu->tail_bytes)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "AI CPU reports: %zu bytes after the last complete report",
                    ai_cpu->tail_bytes);
    if (ai_cpu->invalid)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "AI CPU reports: %zu are invalid", ai_cpu->invalid);
    if (ai_cpu->wrap_count)
        source_note(&findings->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "AI CPU reports: task numbers restarted %zu times; a slice can "
                    "belong to another task with its number",
                    ai_cpu->wrap_count);
    if (ai_cpu->unknown_kinds)
        source_note(&findings->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "AI CPU reports: %zu of unknown kinds ignored",
                    ai_cpu->unknown_kinds);
}

static void note_invalid_records(struct findings *findings,
                                 const char *what,
                                 size_t invalid,
                                 size_t tail)
{
    if (invalid)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "%s: %zu invalid records", what, invalid);
    if (tail)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "%s: %zu bytes after the last complete record", what, tail);
}

static void read_regions(struct findings *findings)
{
    const struct text *rows = &findings->launch->regions;
    const struct text *log = &findings->launch->tune_log;
    struct region_map *regions = &findings->regions;

    region_map_read(regions, text_get(rows), rows->length);
    region_map_read_log(regions, text_get(log), log->length);
    if (regions->unknown_lines)
        source_note(&findings->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "dfx_region_map.txt: %zu lines without an instruction ignored",
                    regions->unknown_lines);
    for (int pipe = 0; pipe < PIPES; pipe++)
        if (regions->full_pipes >> pipe & 1)
            source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                        "pipe timeline: %s has more instructions than marks; some "
                        "instructions are missing",
                        pipe_name((enum pipe)pipe));
}

static struct core_container cores_of(const struct source_launch *launch,
                                      const struct text *bytes)
{
    return (struct core_container){
        .bytes = (const uint8_t *)text_get(bytes),
        .size = bytes->length,
        .packed = launch->packs_cores,
    };
}

static void read_instruction_profile(struct findings *findings)
{
    const struct source_launch *launch = findings->launch;
    struct pipe_timeline *pipes = &findings->pipes;
    struct err err;

    pipe_timeline_read(pipes,
                       launch->marks_instructions ? PIPE_MARKS_OF_INSTRUCTIONS
                                                  : PIPE_MARKS_OF_PROGRAM,
                       cores_of(launch, &launch->pipes));
    note_invalid_records(findings, "pipe timeline", pipes->invalid, pipes->tail_bytes);
    if (pipes->unpaired)
        source_note(&findings->notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "pipe timeline: %zu region marks without start or end",
                    pipes->unpaired);
    read_regions(findings);
    warps_read(&findings->warps, (const uint8_t *)text_get(&launch->warps),
               launch->warps.length);
    note_invalid_records(findings, "warp timeline", findings->warps.invalid,
                         findings->warps.tail_bytes);
    pc_samples_read(&findings->pc_samples, cores_of(launch, &launch->pc_samples),
                    launch->pc_start, launch->pc_offset);
    note_invalid_records(findings, "samples", findings->pc_samples.invalid,
                         findings->pc_samples.tail_bytes);
    operands_read(&findings->operands, (const uint8_t *)text_get(&launch->operands),
                  launch->operands.length);
    note_invalid_records(findings, "operand records", 0, findings->operands.tail_bytes);
    if (findings->operands.count)
        findings->measure.operands = &findings->operands;
    if (launch->registers.length &&
        live_registers_read(&findings->registers,
                            (const uint8_t *)launch->registers.bytes,
                            launch->registers.length, &err) < 0)
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "lrm.bin: %s",
                    err.text);
}

static void read_measure(struct findings *findings)
{
    const struct op_info *info = &findings->launch->info;
    const struct text *l2 = &findings->launch->l2;

    measure_init(&findings->measure, info, findings->pmu,
                 findings->durations.has_duration
                     ? task_durations_us(&findings->durations, info->ticks_khz)
                     : -1);
    findings->measure.as_vendor = findings->launch->as_vendor;
    findings->measure.kernel_scale = findings->launch->kernel_scale ||
                                     findings->launch->metrics & METRIC_KERNEL_SCALE;
    if (l2->length &&
        !measure_set_l2(&findings->measure, (const uint8_t *)l2->bytes, l2->length))
        source_note(&findings->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "L2 counters ignored: %zu bytes instead of 72", l2->length);
}

/* A range has the times of its launches only. All other data belong to one of them. */
static void read_range(struct findings *findings)
{
    const struct source_launch *range = findings->launch, *missing;
    struct task_durations *durations = &findings->durations;

    pmu_finish(findings->pmu);
    durations->has_duration = source_inner_times(range, &durations->start_ticks,
                                                 &durations->end_ticks, &missing);
    if (missing)
        source_note(
            &findings->notes, range->complete, SOURCE_NO_BLOCK,
            "task log: start or end of %.100s, place %zu of the range, is missing",
            missing->kernel, missing->index_in_range);
    read_measure(findings);
}

void findings_read(struct findings *findings, const struct source_launch *launch)
{
    struct findings_code code = {0};

    *findings = (struct findings){.launch = launch};
    findings->pmu = pmu_create(launch->info.chip);
    if (launch->is_range) {
        read_range(findings);
        return;
    }
    read_counters(findings);
    read_tasks(findings);
    read_measure(findings);
    read_stamps(findings);
    read_ai_cpu(findings);
    rank_times_read(&findings->rank_times, &findings->ai_cpu, &findings->tasks,
                    &findings->durations, launch->info.ticks_khz);
    read_instruction_profile(findings);
    /* only kernels with SIMT code have these */
    if (launch->info.has_simt && findings->pc_samples.count)
        code.samples = &findings->pc_samples;
    if (launch->info.has_simt && findings->registers.line_count)
        code.registers = &findings->registers;
    findings_detail_read(&findings->detail, launch, &code, &findings->notes);
    if (findings->detail.has_memory)
        findings->measure.memory = &findings->detail.memory;
}

void findings_clear(struct findings *findings)
{
    pmu_destroy(findings->pmu);
    scheduler_tasks_clear(&findings->tasks);
    stamps_clear(&findings->stamps);
    ai_cpu_clear(&findings->ai_cpu);
    rank_times_clear(&findings->rank_times);
    pipe_timeline_clear(&findings->pipes);
    region_map_clear(&findings->regions);
    warps_clear(&findings->warps);
    pc_samples_clear(&findings->pc_samples);
    operands_clear(&findings->operands);
    live_registers_clear(&findings->registers);
    findings_detail_clear(&findings->detail);
    text_clear(&findings->trace);
    source_notes_clear(&findings->notes);
}
