#include "lib/capture/counter_schedule.h"

#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { NEEDED_MAX = 36 };

/* Events that one metric needs from one kind of core. */
struct needed {
    unsigned metric;
    size_t count;
    uint16_t events[NEEDED_MAX];
};

/* The groups of the vendor's tool. The last holds most of the pipe cycles, because the
 * total cycles of a row come from the last pass. */
/* clang-format off: tables of numbers, one row per group */
static const struct counter_schedule_pass passes_a2[] = {
    {{1032, 1033, 1280, 1282, 1283, 1292, 0, 0},
     {55, 56, 1280, 1282, 1283, 1292, 0, 0}},
    {{1284, 1286, 1287, 1288, 1290, 1291, 1293, 1294},
     {1284, 1286, 1287, 1288, 1290, 1291, 1293, 1294}},
    {{19, 49, 50, 518, 524, 0, 0, 0}, {61, 62, 67, 68, 0, 0, 0, 0}},
    {{3, 4, 5, 6, 526, 0, 0, 0}, {1, 75, 76, 77, 78, 79, 174, 186}},
    {{27, 28, 33, 34, 40, 42, 84, 85}, {5, 6, 100, 101, 102, 103, 184, 185}},
    {{1792, 1793, 1794, 1795, 1796, 1797, 1798, 1799},
     {1792, 1793, 1794, 1795, 1796, 1797, 1798, 1799}},
    {{1780, 1781, 1782, 1783, 1784, 1785, 1786, 1787},
     {1780, 1781, 1782, 1783, 1784, 1785, 1786, 1787}},
    {{106, 107, 108, 109, 110, 111, 112, 113},
     {106, 107, 108, 109, 110, 111, 112, 113}},
    {{13, 73, 74, 87, 92, 114, 0, 0}, {4, 84, 85, 526, 13, 87, 92, 114}},
    {{9, 10, 12, 88, 90, 91, 770, 771}, {8, 9, 12, 770, 771, 89, 90, 91}},
};

static const struct counter_schedule_pass passes_310p[] = {
    {{3, 73, 74, 75, 76, 77, 78, 79}, {0}},   {{174, 184, 185, 186, 4, 5, 6, 18}, {0}},
    {{19, 44, 49, 50, 61, 62, 27, 28}, {0}},  {{33, 34, 39, 40, 41, 42, 55, 56}, {0}},
    {{67, 68, 1, 84, 85, 87, 100, 101}, {0}}, {{102, 103, 9, 13, 92, 0, 0, 0}, {0}},
    {{8, 10, 11, 12, 88, 89, 90, 91}, {0}},
};

static const struct counter_schedule_pass passes_a5[] = {
    {{1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069},
     {1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069}},
    {{1070, 1071, 512, 513, 768, 789, 790, 1792, 1813, 0},
     {1070, 1071, 512, 513, 1344, 1366, 1376, 1377, 1378, 1379}},
    {{52, 53, 772, 774, 776, 778, 1058, 1059, 0, 0},
     {52, 53, 516, 518, 1058, 1059, 1391, 1393, 1394, 0}},
    {{1795, 1797, 1799, 1801, 1804, 1806, 1815, 0, 0, 0},
     {1395, 1396, 1397, 1398, 1400, 1404, 1407, 1408, 0, 0}},
    {{10, 11, 13, 14, 15, 36, 0, 0, 0, 0}, {10, 12, 14, 15, 0, 0, 0, 0, 0, 0}},
    {{1, 514, 515, 808, 809, 810, 1794, 1812, 0, 0},
     {1, 514, 515, 1281, 1282, 1283, 1284, 1466, 1467, 1468}},
};

static const struct needed needed_a2_aic[] = {
    {METRIC_PIPE_UTILIZATION, 32, {9,    10,   12,   13,   84,   85,   87,   770,
                                   771,  1792, 1793, 1794, 1795, 1796, 1797, 1798,
                                   1799, 1780, 1781, 1782, 1783, 1784, 1785, 1786,
                                   1787, 107,  108,  109,  110,  112,  113,  114}},
    {METRIC_ARITHMETIC_UTILIZATION, 6, {3, 10, 73, 74, 1032, 1033}},
    {METRIC_L2_CACHE, 9, {1280, 1282, 1283, 1284, 1286, 1287, 1288, 1290, 1291}},
    {METRIC_MEMORY,
     15,
     {4, 5, 6, 12, 13, 19, 49, 50, 518, 524, 526, 770, 1292, 1293, 1294}},
    {METRIC_RESOURCE_CONFLICT, 4, {88, 90, 91, 92}},
    {METRIC_MEMORY_L0, 6, {27, 28, 33, 34, 40, 42}},
    {METRIC_OCCUPANCY,
     12,
     {1280, 1282, 1283, 1284, 1286, 1287, 1288, 1290, 1291, 1292, 1293, 1294}},
    {METRIC_ROOFLINE,
     19,
     {19, 28, 33, 34, 49, 50, 73, 74, 518, 524, 1280, 1282, 1284, 1286, 1288, 1290,
      1292, 1293, 1294}},
};

static const struct needed needed_a2_aiv[] = {
    {METRIC_PIPE_UTILIZATION, 32, {8,    9,    12,   13,   84,   85,   87,   770,
                                   771,  1792, 1793, 1794, 1795, 1796, 1797, 1798,
                                   1799, 1780, 1781, 1782, 1783, 1784, 1785, 1786,
                                   1787, 106,  108,  109,  111,  112,  113,  114}},
    {METRIC_ARITHMETIC_UTILIZATION, 11, {1, 8, 75, 76, 77, 78, 79, 174, 184, 185, 186}},
    {METRIC_L2_CACHE, 9, {1280, 1282, 1283, 1284, 1286, 1287, 1288, 1290, 1291}},
    {METRIC_MEMORY, 11, {4, 5, 6, 12, 13, 61, 62, 526, 1292, 1293, 1294}},
    {METRIC_RESOURCE_CONFLICT, 8, {89, 90, 91, 92, 100, 101, 102, 103}},
    {METRIC_MEMORY_UB, 4, {55, 56, 67, 68}},
    {METRIC_OCCUPANCY,
     12,
     {1280, 1282, 1283, 1284, 1286, 1287, 1288, 1290, 1291, 1292, 1293, 1294}},
    {METRIC_ROOFLINE, 20, {61,  62,   67,   68,   75,   76,   77,   78,   79,   174,
                           186, 1280, 1282, 1284, 1286, 1288, 1290, 1292, 1293, 1294}},
};

static const struct needed needed_a5_aic[] = {
    {METRIC_PIPE_UTILIZATION,
     12,
     {0, 1, 10, 36, 52, 53, 514, 515, 810, 1794, 1812, 1813}},
    {METRIC_ARITHMETIC_UTILIZATION, 6, {768, 789, 790, 808, 809, 810}},
    {METRIC_L2_CACHE,
     12,
     {1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069, 1070, 1071}},
    {METRIC_MEMORY,
     13,
     {512, 513, 514, 515, 1058, 1059, 1792, 1794, 1799, 1801, 1804, 1806, 1815}},
    {METRIC_RESOURCE_CONFLICT, 4, {11, 13, 14, 15}},
    {METRIC_MEMORY_L0, 6, {772, 774, 776, 778, 1795, 1797}},
    {METRIC_OCCUPANCY,
     14,
     {1058, 1059, 1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069, 1070,
      1071}},
    {METRIC_ROOFLINE, 21, {1058, 1059, 1795, 1797, 1799, 1801, 1804,
                           1806, 1815, 1060, 1061, 1062, 1063, 1064,
                           1065, 1066, 1067, 1068, 1069, 1070, 1071}},
};

static const struct needed needed_a5_aiv[] = {
    {METRIC_PIPE_UTILIZATION, 8, {0, 1, 10, 52, 53, 514, 515, 1281}},
    {METRIC_ARITHMETIC_UTILIZATION, 4, {1281, 1282, 1283, 1284}},
    {METRIC_L2_CACHE,
     12,
     {1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069, 1070, 1071}},
    {METRIC_MEMORY,
     17,
     {512, 513, 514, 515, 516, 518, 1058, 1059, 1391, 1395, 1396, 1397, 1398, 1400,
      1404, 1407, 1408}},
    {METRIC_RESOURCE_CONFLICT,
     10,
     {12, 13, 14, 15, 1344, 1366, 1376, 1377, 1378, 1379}},
    {METRIC_MEMORY_UB, 8, {1058, 1059, 1393, 1394, 1397, 1398, 1407, 1408}},
    {METRIC_OCCUPANCY,
     17,
     {1058, 1059, 1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069, 1070,
      1071, 1466, 1467, 1468}},
    {METRIC_ROOFLINE,
     18,
     {1058, 1059, 1397, 1398, 1407, 1408, 1060, 1061, 1062, 1063, 1064, 1065, 1066,
      1067, 1068, 1069, 1070, 1071}},
};
/* clang-format on */

static const struct chip_schedule {
    enum chip chip;
    size_t slots;
    const struct counter_schedule_pass *passes;
    size_t pass_count;
    const struct needed *aic; /* NULL: only the full schedule exists */
    size_t aic_count;
    const struct needed *aiv;
    size_t aiv_count;
    uint16_t l2_events[COUNTER_SCHEDULE_L2_SLOTS];
} chip_schedules[] = {
    {CHIP_A2,
     8,
     passes_a2,
     COUNT(passes_a2),
     needed_a2_aic,
     COUNT(needed_a2_aic),
     needed_a2_aiv,
     COUNT(needed_a2_aiv),
     {0xFB, 0xFC, 0xF6, 0xFD, 0x9C, 0x9D, 0x4F, 0x07}},
    {CHIP_310B,
     8,
     passes_a2,
     COUNT(passes_a2),
     needed_a2_aic,
     COUNT(needed_a2_aic),
     needed_a2_aiv,
     COUNT(needed_a2_aiv),
     {0xFB, 0xFC, 0xF6, 0xFD, 0x9C, 0x9D, 0x4F, 0x07}},
    {CHIP_310P, 8, passes_310p, COUNT(passes_310p), NULL, 0, NULL, 0, {106, 120, 121}},
    {CHIP_A5,
     10,
     passes_a5,
     COUNT(passes_a5),
     needed_a5_aic,
     COUNT(needed_a5_aic),
     needed_a5_aiv,
     COUNT(needed_a5_aiv),
     {0}},
};

static const struct {
    const char *prefix;
    enum chip chip;
} soc_prefixes[] = {
    {"Ascend910B", CHIP_A2},   {"Ascend910_93", CHIP_A2}, {"Ascend310P", CHIP_310P},
    {"Ascend310B", CHIP_310B}, {"Ascend950", CHIP_A5},
};

enum chip chip_of_soc(const char *soc)
{
    for (size_t i = 0; i < COUNT(soc_prefixes); i++)
        if (text_has_prefix(soc, soc_prefixes[i].prefix))
            return soc_prefixes[i].chip;
    return CHIP_UNKNOWN;
}

static const struct {
    const char *name;
    unsigned bits;
} metric_names[] = {
    {"Default", METRIC_TABLES},
    {"PipeUtilization", METRIC_PIPE_UTILIZATION},
    {"ArithmeticUtilization", METRIC_ARITHMETIC_UTILIZATION},
    {"L2Cache", METRIC_L2_CACHE},
    {"Memory", METRIC_MEMORY},
    {"MemoryL0", METRIC_MEMORY_L0},
    {"MemoryUB", METRIC_MEMORY_UB},
    {"ResourceConflictRatio", METRIC_RESOURCE_CONFLICT},
    {"BasicInfo", METRIC_BASIC_INFO},
    {"Occupancy", METRIC_OCCUPANCY},
    {"Roofline", METRIC_ROOFLINE | METRIC_TABLES},
    {"MemoryDetail", METRIC_MEMORY_DETAIL | METRIC_TABLES},
    {"Source", METRIC_SOURCE},
    {"PcSampling", METRIC_PC_SAMPLING | METRIC_SOURCE},
    {"PipeTimeline", METRIC_PIPE_TIMELINE},
    {"InstrTimeline", METRIC_INSTR_TIMELINE},
    {"KernelScale", METRIC_KERNEL_SCALE},
    {"TimelineDetail", METRIC_TIMELINE_DETAIL},
    {"PMSampling", METRIC_PM_SAMPLING},
    {"OverHead", METRIC_OVERHEAD},
};

static int metric_unknown(const char *name, struct err *err)
{
    const char *best = NULL;
    size_t best_distance = strlen(name) / 3 + 2;

    for (size_t i = 0; i < COUNT(metric_names); i++) {
        size_t distance = text_distance(name, metric_names[i].name);

        if (strncasecmp(name, metric_names[i].name, strlen(name)) == 0)
            distance = 0;
        if (distance < best_distance) {
            best_distance = distance;
            best = metric_names[i].name;
        }
    }
    if (!best)
        return err_set(
            err, ERR_INPUT,
            "unknown metric '%s'; use names such as Default, PipeUtilization or "
            "Memory; 'muster validate --help' lists all",
            name);
    return err_set(err, ERR_INPUT, "unknown metric '%s'; did you mean '%s'?", name,
                   best);
}

static int metric_find(const char *name, unsigned *bits, struct err *err)
{
    for (size_t i = 0; i < COUNT(metric_names); i++) {
        if (strcasecmp(name, metric_names[i].name) != 0)
            continue;
        *bits |= metric_names[i].bits;
        return 0;
    }
    return metric_unknown(name, err);
}

int metric_parse(const char *names, unsigned *bits, struct err *err)
{
    unsigned found = 0;

    while (*names) {
        char name[64];
        size_t lead = strspn(names, " ");
        size_t length = strcspn(names + lead, ",");
        size_t trimmed = length;

        while (trimmed && names[lead + trimmed - 1] == ' ')
            trimmed--;
        if (trimmed >= sizeof(name))
            return err_set(err, ERR_INPUT, "unknown metric '%.*s'", 40, names + lead);
        memcpy(name, names + lead, trimmed);
        name[trimmed] = '\0';
        if (trimmed && metric_find(name, &found, err) < 0)
            return -1;
        names += lead + length;
        names += *names == ',';
    }
    if (!(found & ~(unsigned)METRIC_KERNEL_SCALE))
        found |= METRIC_TABLES;
    *bits = found;
    return 0;
}

const char *metric_name(size_t index, unsigned *bits)
{
    if (index >= COUNT(metric_names))
        return NULL;
    *bits = metric_names[index].bits;
    return metric_names[index].name;
}

static const struct chip_schedule *chip_find(enum chip chip)
{
    for (size_t i = 0; i < COUNT(chip_schedules); i++)
        if (chip_schedules[i].chip == chip)
            return &chip_schedules[i];
    return NULL;
}

static int start(const struct chip_schedule *chip,
                 enum chip number,
                 unsigned metrics,
                 struct counter_schedule *out,
                 struct err *err)
{
    if (!chip)
        return err_set(err, ERR_INPUT, "chip %d is not supported", (int)number);
    if (metrics & METRIC_SIMULATED)
        return err_set(err, ERR_INPUT,
                       "no card measures TimelineDetail, PMSampling and OverHead; use "
                       "profile.tool 'simulator'");
    if (chip->chip == CHIP_310P && (metrics & METRIC_OCCUPANCY))
        return err_set(err, ERR_INPUT,
                       "the 310P does not have metric 'Occupancy'; remove it");
    if (chip->chip == CHIP_310P && (metrics & METRIC_KERNEL_SCALE))
        return err_set(err, ERR_INPUT,
                       "the 310P always counts the whole kernel; remove metric "
                       "'KernelScale'");
    *out = (struct counter_schedule){
        .chip = chip->chip, .metrics = metrics, .slots = chip->slots};
    memcpy(out->l2_events, chip->l2_events, sizeof(out->l2_events));
    return 0;
}

static void copy_whole(const struct chip_schedule *chip, struct counter_schedule *out)
{
    memcpy(out->passes, chip->passes, chip->pass_count * sizeof(out->passes[0]));
    out->pass_count = chip->pass_count;
}

/* Evictions are read together with the L2 misses only; alone they have no use. */
static void choose_l2(struct counter_schedule *out)
{
    bool needed = out->metrics & (METRIC_L2_CACHE | METRIC_ROOFLINE);

    out->l2_pass = needed && (out->chip == CHIP_A2 || out->chip == CHIP_310B);
    out->l2_in_first = needed && out->chip == CHIP_310P;
}

int counter_schedule_full(enum chip chip, struct counter_schedule *out, struct err *err)
{
    const struct chip_schedule *found = chip_find(chip);

    if (start(found, chip, METRIC_TABLES, out, err) < 0)
        return -1;
    copy_whole(found, out);
    choose_l2(out);
    return 0;
}

static bool
is_needed(const struct needed *list, size_t count, unsigned metrics, uint16_t event)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; (list[i].metric & metrics) && k < list[i].count; k++)
            if (list[i].events[k] == event)
                return true;
    return false;
}

/* Collects the needed events of one group. A 0 is an event on the A5 only, and only
 * once: later zeros of the list are padding. */
static size_t pick(const struct needed *list,
                   size_t count,
                   unsigned metrics,
                   const uint16_t *group,
                   size_t slots,
                   uint16_t *picked)
{
    size_t used = 0;
    bool zero_seen = false;

    for (size_t i = 0; i < slots; i++) {
        if (group[i] == 0 && zero_seen)
            continue;
        zero_seen |= group[i] == 0;
        if (is_needed(list, count, metrics, group[i]))
            picked[used++] = group[i];
    }
    return used;
}

/* Moves event 0 from the first slot, where the A5 would take it for the list end. */
static void keep_zero_from_front(uint16_t *events, size_t used)
{
    if (used > 1 && events[0] == 0) {
        memmove(events, events + 1, (used - 1) * sizeof(*events));
        events[used - 1] = 0;
    }
}

/* Fills the lists of one kind of core. No ratio combines cubes and vectors. */
static size_t pack(const struct chip_schedule *chip,
                   const struct needed *needed,
                   size_t needed_count,
                   unsigned metrics,
                   bool is_aiv,
                   struct counter_schedule_pass *passes)
{
    size_t count = 0, used = 0;

    for (size_t i = 0; i < chip->pass_count; i++) {
        const struct counter_schedule_pass *group = &chip->passes[i];
        uint16_t picked[COUNTER_SCHEDULE_SLOTS_MAX];
        size_t more = pick(needed, needed_count, metrics,
                           is_aiv ? group->aiv : group->aic, chip->slots, picked);

        if (!more)
            continue;
        if (!count || used + more > chip->slots) {
            count++;
            used = 0;
        }
        uint16_t *events = is_aiv ? passes[count - 1].aiv : passes[count - 1].aic;
        memcpy(events + used, picked, more * sizeof(*picked));
        used += more;
        keep_zero_from_front(events, used);
    }
    return count;
}

static void pack_both(const struct chip_schedule *chip, struct counter_schedule *out)
{
    size_t aic =
        pack(chip, chip->aic, chip->aic_count, out->metrics, false, out->passes);
    size_t aiv =
        pack(chip, chip->aiv, chip->aiv_count, out->metrics, true, out->passes);

    out->pass_count = aic > aiv ? aic : aiv;
}

int counter_schedule_pack(enum chip chip,
                          unsigned metrics,
                          struct counter_schedule *out,
                          struct err *err)
{
    const struct chip_schedule *found = chip_find(chip);

    if (start(found, chip, metrics, out, err) < 0)
        return -1;
    if (!(metrics & ~(unsigned)METRIC_NO_COUNTERS)) {
        out->pass_count = 1; /* no events: cycles and duration only */
        return 0;
    }
    if (found->aic)
        pack_both(found, out);
    /* no pass is saved: use the vendor's lists, which its tools expect */
    if (!found->aic || out->pass_count == found->pass_count)
        copy_whole(found, out);
    choose_l2(out);
    out->plain_pass = true;
    return 0;
}

size_t counter_schedule_executions(const struct counter_schedule *schedule)
{
    return schedule->pass_count + schedule->l2_pass + schedule->plain_pass;
}

int metrics_check(enum chip chip, unsigned metrics, struct err *err)
{
    struct counter_schedule ignored = {0};

    if (chip == CHIP_A5 && (metrics & METRIC_ROOFLINE))
        return err_set(err, ERR_INPUT,
                       "a 950 counts its operations only in operand records, which "
                       "muster does not collect; remove metric 'Roofline'");
    if (chip != CHIP_A5 && (metrics & METRIC_TIMELINES))
        return err_set(
            err, ERR_INPUT, "only a 950 records its pipes; remove metric '%s'",
            metrics & METRIC_PIPE_TIMELINE ? "PipeTimeline" : "InstrTimeline");
    if (chip != CHIP_A5 && (metrics & METRIC_PC_SAMPLING))
        return err_set(err, ERR_INPUT,
                       "only a 950 samples its program counters; remove metric "
                       "'PcSampling'");
    if ((metrics & METRIC_TIMELINES) == METRIC_TIMELINES)
        return err_set(
            err, ERR_INPUT,
            "metrics 'PipeTimeline' and 'InstrTimeline' use the same records; "
            "remove one of them");
    return counter_schedule_pack(chip, metrics, &ignored, err);
}

int counter_schedule_plan(enum chip chip,
                          const char *names,
                          struct counter_schedule *out,
                          struct err *err)
{
    unsigned metrics = 0;

    if (metric_parse(names, &metrics, err) < 0 || metrics_check(chip, metrics, err) < 0)
        return -1;
    return counter_schedule_pack(chip, metrics, out, err);
}
