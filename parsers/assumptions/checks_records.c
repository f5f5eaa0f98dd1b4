#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/assumptions/checks.h"

enum {
    CLOCK_PERMILLE = 10,
    CLOCK_SPAN_NS = 1000000, /* shorter spans do not show the frequency */
    LATE_NS = 1000000,
};

static enum assumption_verdict as_verdict(bool confirmed)
{
    return confirmed ? ASSUMPTION_CONFIRMED : ASSUMPTION_DIFFERS;
}

enum assumption_verdict check_whole_capture(const struct check_input *input,
                                            struct text *seen)
{
    const struct capture_counts *counts = &input->alone->counts;
    uint64_t dropped = counts->dropped + input->alone->dropped + input->group->dropped;

    text_printf(seen, "%" PRIu64 " blocks, %" PRIu64 " damaged, %" PRIu64 " dropped",
                counts->blocks, counts->problems, dropped);
    return as_verdict(counts->blocks > 0 && counts->problems == 0 && dropped == 0);
}

enum assumption_verdict check_launches(const struct check_input *input,
                                       struct text *seen)
{
    size_t known = 0;

    EVIDENCE_EACH(record_launch, launch, &input->alone->launches)
    known += launch->kernel[0] != '\0' && launch->kind != LAUNCH_UNKNOWN;
    text_printf(seen, "launches: %zu, of a known kind: %zu",
                input->alone->launches.count, known);
    return as_verdict(known > 0 && known == input->alone->launches.count);
}

static const struct record_launch *find_launch(const struct evidence *evidence,
                                               uint64_t number)
{
    EVIDENCE_EACH(record_launch, launch, &evidence->launches)
    if (launch->launch == number)
        return launch;
    return NULL;
}

enum assumption_verdict check_passes(const struct check_input *input, struct text *seen)
{
    size_t planned = 0, done = 0, complete = 0;

    EVIDENCE_EACH(record_launch_end, end, &input->alone->ends)
    {
        const struct record_launch *launch = find_launch(input->alone, end->launch);

        planned += launch ? launch->passes_planned : 0;
        done += end->passes_done;
        complete += end->complete != 0;
        if (!end->complete)
            text_printf(seen, "launch %" PRIu64 ": %.127s; ", end->launch, end->reason);
    }
    text_printf(seen, "passes: %zu of %zu, complete launches: %zu of %zu", done,
                planned, complete, input->alone->launches.count);
    return as_verdict(planned > 0 && done == planned &&
                      complete == input->alone->launches.count);
}

enum assumption_verdict check_restore(const struct check_input *input,
                                      struct text *seen)
{
    size_t passes = 0, others = 0, restored = 0;

    EVIDENCE_EACH(record_launch, launch, &input->alone->launches)
    {
        uint64_t first = 0;

        restored += launch->restore_class == RESTORE_ALL;
        EVIDENCE_EACH(record_pass, pass, &input->alone->passes)
        {
            if (pass->launch != launch->launch)
                continue;
            if (passes++ == 0 || !first)
                first = pass->input_checksum;
            others += pass->input_checksum != first;
        }
    }
    text_printf(seen, "%zu of %zu executions with another input than the first", others,
                passes);
    if (restored == 0)
        return ASSUMPTION_NOT_HERE;
    return as_verdict(others == 0 && passes > 1);
}

enum assumption_verdict check_clocks(const struct check_input *input, struct text *seen)
{
    const struct evidence_list *clocks = &input->alone->clocks;
    const struct record_run_clock *first = clocks->records, *last;
    double host_ns, device_ns, permille;

    if (clocks->count < 2) {
        text_printf(seen, "%zu pairs of clocks", clocks->count);
        return ASSUMPTION_NOT_HERE;
    }
    last = first + clocks->count - 1;
    host_ns = ((double)last->host_before_ns + (double)last->host_after_ns -
               (double)first->host_before_ns - (double)first->host_after_ns) /
              2;
    device_ns = last->ticks_khz
                    ? ((double)last->device_ticks - (double)first->device_ticks) * 1e6 /
                          last->ticks_khz
                    : 0;
    permille = host_ns > 0 ? (device_ns - host_ns) * 1000 / host_ns : 0;
    text_printf(seen,
                "%zu pairs over %.3f ms; the device clock at %u kHz differs by %.2f "
                "per mille",
                clocks->count, host_ns / 1e6, last->ticks_khz, permille);
    if (host_ns < CLOCK_SPAN_NS)
        return ASSUMPTION_NOT_HERE;
    return as_verdict(permille >= -CLOCK_PERMILLE && permille <= CLOCK_PERMILLE);
}

enum assumption_verdict check_health(const struct check_input *input, struct text *seen)
{
    const uint32_t needed = HEALTH_HAS_CLOCK | HEALTH_HAS_TEMPERATURE |
                            HEALTH_HAS_POWER | HEALTH_HAS_MEMORY;
    size_t full = 0;

    EVIDENCE_EACH(record_run_health, health, &input->alone->health)
    full += (health->known & needed) == needed && health->temperature_c > 0 &&
            health->temperature_c < 120 && health->power_mw > 10000 &&
            health->memory_used <= health->memory_total && health->core_mhz > 0;
    text_printf(seen,
                "%zu of %zu states with clock, temperature, power and memory in their "
                "ranges",
                full, input->alone->health.count);
    return as_verdict(full > 0 && full == input->alone->health.count);
}

enum assumption_verdict check_versions(const struct check_input *input,
                                       struct text *seen)
{
    const struct record_run_environment *is = input->alone->environments.records;

    if (!is) {
        text_add(seen, "no environment record");
        return ASSUMPTION_NOT_HERE;
    }
    text_printf(seen, "chip '%.32s', CANN '%.64s', driver '%.64s', firmware '%.64s'",
                is->chip, is->cann, is->driver, is->firmware);
    return as_verdict(chip_of_soc(is->chip) != CHIP_UNKNOWN && is->cann[0] &&
                      is->driver[0] && is->firmware[0]);
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

enum assumption_verdict check_barrier(const struct check_input *input,
                                      struct text *seen)
{
    const struct evidence_list *barriers = &input->group->barriers;
    uint64_t *late = xcalloc(barriers->count + 1, sizeof(*late)), typical;
    size_t released = 0, aborted = 0;

    EVIDENCE_EACH(record_barrier, barrier, barriers)
    {
        if (barrier->phase != BARRIER_START)
            continue;
        if (barrier->reason != 0 || barrier->released_ns < barrier->planned_ns)
            aborted++;
        else
            late[released++] = barrier->released_ns - barrier->planned_ns;
    }
    qsort(late, released, sizeof(*late), by_value);
    typical = late[released / 2];
    text_printf(seen, "%zu releases, half of them at most %.1f us late; %zu aborted",
                released, (double)typical / 1e3, aborted);
    free(late);
    if (!input->group->is_present)
        return ASSUMPTION_NOT_HERE;
    return as_verdict(released > 0 && aborted == 0 && typical <= LATE_NS);
}
