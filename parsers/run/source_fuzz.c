/* source_fuzz.c - feeds arbitrary bytes as every file of a launch to all parsers
 *
 * The first byte selects the chip and the kind of operator. */
#include <stdio.h>

#include "lib/base/mem.h"
#include "parsers/run/read_all.h"
#include "parsers/source/source_launches.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct {
    enum chip chip;
    const char *soc;
} chips[] = {
    {CHIP_A2, "Ascend910B2"},
    {CHIP_310P, "Ascend310P3"},
    {CHIP_A5, "Ascend950PR_9599"},
};

static void add_part(struct text *out, const uint8_t *bytes, size_t size)
{
    if (size)
        text_add_bytes(out, bytes, size);
}

/* Uses the same bytes as every file of the launch. */
static void fill(struct source_launch *launch, const uint8_t *bytes, size_t size)
{
    struct counter_schedule full;
    struct err err;

    if (counter_schedule_full(launch->info.chip, &full, &err) < 0)
        return;
    size_t part = size / full.pass_count;

    for (size_t i = 0; i < full.pass_count; i++) {
        struct source_pass *pass = source_launch_pass(launch, (uint32_t)i + 1);

        pass->events = full.passes[i];
        pass->has_events = true;
        add_part(&pass->counters, bytes + i * part, part);
        add_part(&pass->task_log, bytes, size);
    }
    add_part(&launch->l2, bytes, size < 72 ? size : 72);
    add_part(&launch->stamps, bytes, size);
    add_part(&launch->ai_cpu, bytes, size);
    add_part(&launch->pipes, bytes, size);
    add_part(&launch->regions, bytes, size);
    launch->marks_instructions = size & 1;
    add_part(&launch->warps, bytes, size);
    add_part(&launch->operands, bytes, size);
    add_part(&launch->registers, bytes, size);
    add_part(&launch->pc_samples, bytes, size);
    launch->metrics = METRIC_TABLES | METRIC_ROOFLINE;
}

static void read_one(const struct op_info *info, const uint8_t *bytes, size_t size)
{
    struct source *source = source_create();
    struct source_launch *launch = source_add_launch(source);
    struct read_all totals = {0};

    launch->info = *info;
    launch->has_chip = true;
    fill(launch, bytes, size);
    read_all_launch(launch, &totals);
    source_destroy(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct op_info info;
    struct err err;
    size_t odd;

    op_info_parse(&info, (const char *)bytes, size, &odd, &err);
    if (!size)
        return 0;
    size_t row = bytes[0] % COUNT(chips);
    info = (struct op_info){
        .name = "fuzz",
        .chip = chips[row].chip,
        .block_dim = 3,
        .is_mc2 = bytes[0] & 64,
        .is_lccl = bytes[0] & 128,
    };
    snprintf(info.soc, sizeof(info.soc), "%s", chips[row].soc);
    op_info_fill(&info);
    read_one(&info, bytes + 1, size - 1);
    return 0;
}
