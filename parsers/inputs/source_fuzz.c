/* source_fuzz.c - any bytes at all as operator facts, counters, task log; through all
 * formulas and views. The first byte chooses the chip. */
#include <stdio.h>

#include "base/mem.h"
#include "parsers/inputs/op_info.h"
#include "parsers/inputs/pmu.h"
#include "parsers/inputs/task_log.h"
#include "parsers/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct {
    enum chip chip;
    const char *soc;
} chips[] = {
    {CHIP_A2, "Ascend910B2"},
    {CHIP_310P, "Ascend310P3"},
    {CHIP_A5, "Ascend950PR_9599"},
};

static void read_all(struct op_info *info, const uint8_t *bytes, size_t size)
{
    struct pmu *pmu = pmu_create(info->chip);
    struct measure measure;
    struct task_log log;
    struct text out = {0};
    struct schedule full;
    struct pmu_notes notes;
    struct err err;
    size_t part;

    if (schedule_full(info->chip, &full, &err) < 0)
        return;
    part = size / full.pass_count;
    for (size_t i = 0; i < full.pass_count; i++)
        pmu_add_pass(pmu, &full.passes[i], bytes + i * part, part, &notes, &err);
    pmu_finish(pmu);
    task_log_read(&log, info->chip, bytes, size);
    measure_init(&measure, info, pmu, task_log_us(&log, info->ticks_khz));
    measure_set_l2(&measure, bytes, size < 72 ? size : 72);
    for (const struct parser *const *it = parsers; *it; it++) {
        text_reset(&out);
        (*it)->run(*it, &measure, METRIC_TABLES | METRIC_ROOFLINE, &out);
    }
    text_clear(&out);
    pmu_destroy(pmu);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct op_info info;
    struct err err;
    size_t odd;

    op_info_parse(&info, (const char *)bytes, size, &odd, &err);
    if (!size)
        return 0;
    size_t which = bytes[0] % COUNT(chips);
    info = (struct op_info){.name = "fuzz", .chip = chips[which].chip, .block_dim = 3};
    snprintf(info.soc, sizeof(info.soc), "%s", chips[which].soc);
    op_info_fill(&info);
    read_all(&info, bytes + 1, size - 1);
    return 0;
}
