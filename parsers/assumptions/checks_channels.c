#include <inttypes.h>

#include "parsers/assumptions/checks.h"
#include "parsers/metrics/measure.h"
#include "parsers/records/pmu.h"
#include "parsers/records/task_log.h"

enum {
    OPERATIONS_PERMILLE = 10,
    L2_RECORD_MIN = 16,
    SPREAD_MAX = 3, /* times the shortest duration of a pass */
};

static enum assumption_verdict as_verdict(bool confirmed)
{
    return confirmed ? ASSUMPTION_CONFIRMED : ASSUMPTION_DIFFERS;
}

/* Returns the first launch whose bytes were read, or NULL with a text. */
static const struct source_launch *first_launch(const struct check_input *input,
                                                struct text *seen)
{
    const struct source *source = input->alone->source;

    if (source && source->count > 0 && source->launches[0]->has_chip)
        return source->launches[0];
    text_add(seen, "no launch of a known chip");
    return NULL;
}

struct counter_sums {
    size_t passes, empty, odd; /* odd: with bytes that are no records of one launch */
    struct pmu *pmu;
};

static void read_counters(struct counter_sums *sums, const struct source_launch *launch)
{
    *sums = (struct counter_sums){.pmu = pmu_create(launch->info.chip)};
    for (size_t i = 0; i < launch->pass_count; i++) {
        const struct source_pass *pass = &launch->passes[i];
        struct pmu_notes notes = {0};
        struct err err;

        sums->passes++;
        sums->empty += pass->counters.length == 0;
        if (pmu_add_pass(sums->pmu, &pass->events,
                         (const uint8_t *)text_get(&pass->counters),
                         pass->counters.length, &notes, &err) < 0 ||
            notes.skipped || notes.tail_bytes || notes.groups > 1)
            sums->odd++;
    }
    pmu_finish(sums->pmu);
}

enum assumption_verdict check_counter_bytes(const struct check_input *input,
                                            struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);
    struct counter_sums sums;

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    read_counters(&sums, launch);
    pmu_destroy(sums.pmu);
    text_printf(seen,
                "%zu passes, %zu without bytes, %zu with bytes that are no records",
                sums.passes, sums.empty, sums.odd);
    return as_verdict(sums.passes > 0 && sums.empty == 0 && sums.odd == 0);
}

enum assumption_verdict check_counter_rows(const struct check_input *input,
                                           struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);
    struct counter_sums sums;
    size_t rows, partial = 0;

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    read_counters(&sums, launch);
    rows = pmu_row_count(sums.pmu);
    for (size_t i = 0; i < sums.passes; i++)
        partial += pmu_rows_without_pass(sums.pmu, i) != 0;
    pmu_destroy(sums.pmu);
    text_printf(seen, "%zu rows for %u blocks; %zu of %zu passes lack a row", rows,
                launch->info.block_dim, partial, sums.passes);
    return as_verdict(rows >= launch->info.block_dim && rows > 0 && partial == 0);
}

enum assumption_verdict check_operations(const struct check_input *input,
                                         struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);
    uint64_t expected = input->program->operations, sum = 0;
    struct counter_sums sums;
    struct measure measure;
    bool counted = false;

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    read_counters(&sums, launch);
    measure = (struct measure){.info = &launch->info, .pmu = sums.pmu};
    for (size_t i = 0; i < pmu_row_count(sums.pmu); i++) {
        struct value value = measure_vector_operations(&measure, pmu_row(sums.pmu, i));

        counted = counted || value.kind == VALUE_INTEGER;
        sum += value.kind == VALUE_INTEGER ? value.integer : 0;
    }
    pmu_destroy(sums.pmu);
    text_printf(seen, "counted %" PRIu64 " operations, expected %" PRIu64, sum,
                expected);
    if (!counted || expected == 0)
        return ASSUMPTION_NOT_HERE;
    return as_verdict(sum >= expected - expected * OPERATIONS_PERMILLE / 1000 &&
                      sum <= expected + expected * OPERATIONS_PERMILLE / 1000);
}

/* The longest duration of a pass, and the shortest; 0 when a pass has none. */
static void
read_durations(const struct source_launch *launch, double *least, double *most)
{
    *least = *most = 0;
    for (size_t i = 0; i < launch->pass_count; i++) {
        const struct text *log = &launch->passes[i].task_log;
        struct task_durations durations;
        double us;

        task_durations_read(&durations, launch->info.chip,
                            (const uint8_t *)text_get(log), log->length);
        us = task_durations_us(&durations, launch->info.ticks_khz);
        *least = i == 0 || us < *least ? us : *least;
        *most = us > *most ? us : *most;
    }
}

enum assumption_verdict check_core_time(const struct check_input *input,
                                        struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);
    struct counter_sums sums;
    double least, most, core_us;
    uint64_t cycles = 0;

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    read_counters(&sums, launch);
    for (size_t i = 0; i < pmu_row_count(sums.pmu); i++)
        if (pmu_row(sums.pmu, i)->cycles > cycles)
            cycles = pmu_row(sums.pmu, i)->cycles;
    pmu_destroy(sums.pmu);
    read_durations(launch, &least, &most);
    core_us = (double)cycles / op_info_clock_mhz(&launch->info);
    text_printf(seen, "at %u MHz the longest block took %.2f us, the kernel %.2f us",
                op_info_clock_mhz(&launch->info), core_us, most);
    return as_verdict(cycles > 0 && core_us <= most * 1.05 && core_us * 50 >= most);
}

enum assumption_verdict check_task_log(const struct check_input *input,
                                       struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);
    size_t with = 0, tails = 0;

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    for (size_t i = 0; i < launch->pass_count; i++) {
        const struct text *log = &launch->passes[i].task_log;
        struct task_durations durations;

        task_durations_read(&durations, launch->info.chip,
                            (const uint8_t *)text_get(log), log->length);
        with += durations.has_duration;
        tails += durations.tail_bytes != 0;
    }
    text_printf(seen,
                "%zu of %zu passes have start and end, %zu have incomplete records",
                with, launch->pass_count, tails);
    return as_verdict(with > 0 && with == launch->pass_count && tails == 0);
}

enum assumption_verdict check_durations(const struct check_input *input,
                                        struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);
    double least, most;

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    read_durations(launch, &least, &most);
    text_printf(seen, "%.2f us to %.2f us over %zu passes", least, most,
                launch->pass_count);
    return as_verdict(least > 0 && most <= SPREAD_MAX * least);
}

/* The task log has the clock of the pairs when its times lie between the pairs. */
enum assumption_verdict check_task_clock(const struct check_input *input,
                                         struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);
    const struct evidence_list *clocks = &input->alone->clocks;
    const struct record_run_clock *first = clocks->records;
    size_t inside = 0, outside = 0;

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    for (size_t i = 0; i < launch->pass_count && clocks->count >= 2; i++) {
        const struct text *log = &launch->passes[i].task_log;
        struct task_durations durations;

        task_durations_read(&durations, launch->info.chip,
                            (const uint8_t *)text_get(log), log->length);
        if (!durations.has_duration)
            continue;
        if (durations.start_ticks >= first->device_ticks &&
            durations.end_ticks <= first[clocks->count - 1].device_ticks)
            inside++;
        else
            outside++;
    }
    text_printf(seen, "%zu tasks between the clock pairs, %zu outside", inside,
                outside);
    if (inside + outside == 0)
        return ASSUMPTION_NOT_HERE;
    return as_verdict(outside == 0);
}

enum assumption_verdict check_l2(const struct check_input *input, struct text *seen)
{
    const struct source_launch *launch = first_launch(input, seen);

    if (!launch)
        return ASSUMPTION_NOT_HERE;
    text_printf(seen, "%zu bytes", launch->l2.length);
    return as_verdict(launch->l2.length >= L2_RECORD_MIN);
}
