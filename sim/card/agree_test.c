/* agree_test.c - counters of all passes of the schedule are consistent
 *
 * Kernels with work drawn by lot, of each kind, on several models of card: each pass
 * is a launch of its own. What a kernel does must be the same in each, parts must add
 * up to their wholes, and no pipe is busy for longer than its block. */
#include <ascend_hal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define BUFFER  (1u << 20)
#define BLOCKS  7
#define ROWS    (BLOCKS * 3)
#define PASSES  10 /* at most */
#define SLOTS   10 /* at most */
#define EVENTS  2048
#define NUMBERS 6

struct row;
static void check_a2(const struct row *row);
static void check_a5(const struct row *row);

/* the schedule, record layout and fleet of each generation */
static const struct generation {
    const char *name, *fleet;
    int passes, slots, total_at, slots_at;
    uint32_t config_size;
    void (*check)(const struct row *row);
    uint16_t schedule[PASSES][2][SLOTS];
    uint16_t cycles[48]; /* events that are cycles of the block; all others are work */
} generations[] = {
    {
        .name = "a2",
        .fleet = "- name: a\n  cards: 4\n  soc: Ascend910B1\n"
                 "  except: [{card: 1, soc: Ascend910B3, mhz: 1111},\n"
                 "    {card: 2, soc: Ascend910B4}, {card: 3, soc: Ascend910B2C}]\n",
        .passes = 10,
        .slots = 8,
        .total_at = 32,
        .slots_at = 48,
        .config_size = sizeof(prof_ffts_config_t),
        .check = check_a2,
        .schedule =
            {
                {{1032, 1033, 1280, 1282, 1283, 1292, 0, 0},
                 {55, 56, 1280, 1282, 1283, 1292, 0, 0}},
                {{1284, 1286, 1287, 1288, 1290, 1291, 1293, 1294},
                 {1284, 1286, 1287, 1288, 1290, 1291, 1293, 1294}},
                {{19, 49, 50, 518, 524, 0, 0, 0}, {61, 62, 67, 68, 0, 0, 0, 0}},
                {{3, 4, 5, 6, 526, 0, 0, 0}, {1, 75, 76, 77, 78, 79, 174, 186}},
                {{27, 28, 33, 34, 40, 42, 84, 85},
                 {5, 6, 100, 101, 102, 103, 184, 185}},
                {{1792, 1793, 1794, 1795, 1796, 1797, 1798, 1799},
                 {1792, 1793, 1794, 1795, 1796, 1797, 1798, 1799}},
                {{1780, 1781, 1782, 1783, 1784, 1785, 1786, 1787},
                 {1780, 1781, 1782, 1783, 1784, 1785, 1786, 1787}},
                {{106, 107, 108, 109, 110, 111, 112, 113},
                 {106, 107, 108, 109, 110, 111, 112, 113}},
                {{13, 73, 74, 87, 92, 114, 0, 0}, {4, 84, 85, 526, 13, 87, 92, 114}},
                {{9, 10, 12, 88, 90, 91, 770, 771}, {8, 9, 12, 770, 771, 89, 90, 91}},
            },
        .cycles = {8,    9,    10,   12,   13,   87,   88,   89,   90,   91,   92,
                   100,  101,  102,  103,  106,  107,  108,  109,  110,  111,  112,
                   113,  114,  770,  771,  1780, 1781, 1782, 1783, 1784, 1785, 1786,
                   1787, 1792, 1793, 1794, 1795, 1796, 1797, 1798, 1799},
    },
    {
        .name = "a5",
        .fleet = "- name: a\n  cards: 4\n  soc: Ascend950PR_9599\n"
                 "  except: [{card: 1, soc: Ascend950PR_9589, mhz: 1111}]\n",
        .passes = 6,
        .slots = 10,
        .total_at = 8,
        .slots_at = 32,
        .config_size = sizeof(prof_ffts_config_a5_t),
        .check = check_a5,
        .schedule =
            {
                {{1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069},
                 {1060, 1061, 1062, 1063, 1064, 1065, 1066, 1067, 1068, 1069}},
                {{1070, 1071, 512, 513, 768, 789, 790, 1792, 1813, 0},
                 {1070, 1071, 512, 513, 1344, 1366, 1376, 1377, 1378, 1379}},
                {{52, 53, 772, 774, 776, 778, 1058, 1059, 0, 0},
                 {52, 53, 516, 518, 1058, 1059, 1391, 1393, 1394, 0}},
                {{1795, 1797, 1799, 1801, 1804, 1806, 1815, 0, 0, 0},
                 {1395, 1396, 1397, 1398, 1400, 1404, 1407, 1408, 0, 0}},
                {{10, 11, 13, 14, 15, 36, 0, 0, 0, 0},
                 {10, 12, 14, 15, 0, 0, 0, 0, 0, 0}},
                {{1, 514, 515, 808, 809, 810, 1794, 1812, 0, 0},
                 {1, 514, 515, 1281, 1282, 1283, 1284, 1466, 1467, 1468}},
            },
        .cycles = {1,    11,   12,   13,   14,   15,   514,  515,
                   808,  809,  810,  1281, 1282, 1283, 1284, 1344,
                   1366, 1376, 1377, 1378, 1379, 1794, 1812},
    },
};

static const struct generation *now;

/* one core's share of a block, over all passes of a round */
struct row {
    int kind;
    bool collected[EVENTS];
    uint64_t value[EVENTS];
};

static struct row rounds[2][ROWS];
static void *buffer;
static int64_t khz, mhz;

static uint64_t get(const uint8_t *bytes, int size)
{
    uint64_t value = 0;

    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static bool is_cycles(uint16_t event)
{
    for (const uint16_t *at = now->cycles; *at; at++)
        if (*at == event)
            return true;
    return false;
}

static size_t
launch(uint32_t card, const char *kernel, uint64_t number, int pass, uint8_t *out)
{
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, NULL, now->config_size};
    prof_ffts_config_t config = {.cfg_mode = 3};
    prof_ffts_config_a5_t config_a5 = {.cfg_mode = 3};
    struct probe_args args = {buffer, number, NULL};
    aclrtFuncHandle function;
    aclrtBinHandle binary;
    int read;

    assert_int_equal(aclrtBinaryLoadFromFile(CHANCE_KERNEL, NULL, &binary), 0);
    assert_int_equal(aclrtBinaryGetFunction(binary, kernel, &function), 0);
    assert_int_equal(aclrtCmoAsync(buffer, BUFFER, ACL_RT_CMO_TYPE_INVALID, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    for (int kind = 0; kind < 2; kind++) {
        config.core[kind] = (prof_ffts_core_config_t){
            .type = 5, .core_mask = UINT32_MAX, .event_num = 8};
        config_a5.core[kind] = (prof_ffts_core_config_a5_t){
            .type = PROF_FFTS_BLOCK, .core_mask = UINT32_MAX, .event_num = 10};
        memcpy(config.core[kind].event, now->schedule[pass][kind], 16);
        memcpy(config_a5.core[kind].event, now->schedule[pass][kind], 20);
    }
    para.user_data = now->slots == 8 ? (void *)&config : &config_a5;
    assert_int_equal(prof_drv_start(card, CHANNEL_FFTS_PROFILE_TASK, &para), 0);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(function, BLOCKS, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    read = prof_channel_read(card, CHANNEL_FFTS_PROFILE_TASK, (char *)out, 128 * ROWS);
    assert_int_equal(prof_stop(card, CHANNEL_FFTS_PROFILE_TASK), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
    return (size_t)read / 128;
}

/* No counter exceeds the cycles of the block; its ticks fit the clock of the card. */
static void check_record(const uint8_t *record, const uint16_t *events)
{
    uint64_t total = get(record + now->total_at, 8);
    uint64_t ticks = get(record + 120, 8) - get(record + 112, 8);

    assert_true(total > 0);
    assert_int_equal(ticks, (total * (uint64_t)khz + (uint64_t)mhz * 1000 - 1) /
                                ((uint64_t)mhz * 1000));
    for (int i = 0; i < now->slots; i++)
        if (is_cycles(events[i]) && get(record + now->slots_at + 8 * i, 8) > total)
            fail_msg("event %u is above the total", events[i]);
}

static void keep(struct row *row, const uint8_t *record, const uint16_t *events)
{
    row->kind = record[20] & 1;
    for (int i = 0; i < now->slots; i++) {
        uint64_t value = get(record + now->slots_at + 8 * i, 8);

        if ((events[i] == 0 && now->slots == 8) || is_cycles(events[i]))
            continue;
        if (row->collected[events[i]])
            assert_int_equal(row->value[events[i]], value);
        row->collected[events[i]] = true;
        row->value[events[i]] = value;
    }
}

static size_t
run_round(uint32_t card, const char *kernel, uint64_t number, struct row *rows)
{
    static uint8_t records[128 * ROWS];
    size_t count = 0;

    memset(rows, 0, ROWS * sizeof(*rows));
    for (int pass = 0; pass < now->passes; pass++) {
        size_t sent = launch(card, kernel, number, pass, records);

        assert_true(pass == 0 || sent == count);
        count = sent;
        for (size_t i = 0; i < count; i++) {
            const uint8_t *record = records + 128 * i;
            const uint16_t *events = now->schedule[pass][record[20] & 1];

            check_record(record, events);
            keep(&rows[i], record, events);
        }
    }
    return count;
}

static void check_a2(const struct row *row)
{
    const uint64_t *e = row->value;
    uint64_t reads = e[1293] + e[1294];

    assert_int_equal(e[1280] + e[1282] + e[1283], e[1292]);
    assert_int_equal(e[1284] + e[1286] + e[1287], e[1293]);
    assert_int_equal(e[1288] + e[1290] + e[1291], e[1294]);
    assert_true(e[85] <= e[84]);
    if (row->kind == 0) {
        assert_int_equal(e[3], e[1032] + e[1033]);
        assert_int_equal(e[73] + e[74], e[3]);
        assert_true(e[524] >= e[518] && e[50] >= e[518]);
        assert_int_equal(e[50] - e[518], (reads + 1) / 2); /* 256 and 128 bytes */
        assert_true(4 * e[19] + e[518] >= e[524]);
        /* bytes out of L1 and L0C to memory equal the bytes that memory receives */
        assert_in_range(4 * e[19], e[1292], e[1292] + 6);
        assert_int_equal(e[27], e[33]);
        /* reads of L1: into L0A, into L0B and to memory, without the bytes from L0C */
        assert_in_range(e[49] + 4, 2 * e[28] + e[34] + e[1292] - (e[524] - e[518]),
                        2 * e[28] + e[34] + e[1292] - (e[524] - e[518]) + 8);
    } else {
        assert_int_equal(e[62], reads);
        assert_int_equal(e[61], e[1292]);
        assert_true(e[75] >= e[76]);
        assert_int_equal(e[1], e[75] + e[77] + e[78] + e[79] + e[174] + e[186]);
        assert_int_equal(e[67], 2 * e[68]);
    }
}

static void check_a5(const struct row *row)
{
    const uint64_t *e = row->value;

    assert_int_equal(e[1060] + e[1061] + e[1062] + e[1063] + e[1064] + e[1065],
                     e[1058]);
    assert_int_equal(e[1066] + e[1067] + e[1068] + e[1069] + e[1070] + e[1071],
                     e[1059]);
    assert_true(e[53] <= e[52] && e[0] > 0);
    if (row->kind == 0) {
        assert_int_equal(e[768], e[789] + e[790]);
        assert_int_equal(e[772], 4 * e[774]); /* units of 64 and 256 bytes */
        assert_int_equal(e[1801] - e[1806], (e[1058] + 1) / 2);
        assert_int_equal(e[776], e[778]);
    } else {
        assert_int_equal(e[1393], 2 * e[1394]);
        assert_true(e[1058] >= e[1407] + e[1408]);
    }
}

static void the_counters_of_each_kernel_are_consistent(void **ctx)
{
    static const char *const kernels[] = {"chance_cube", "chance_vector", "chance_mix"};
    static const size_t cores[] = {1, 1, 3};
    uint32_t cards;

    (void)ctx;
    assert_int_equal(aclrtGetDeviceCount(&cards), 0);
    for (uint32_t card = 0; card < cards; card++) {
        assert_int_equal(aclrtSetDevice((int32_t)card), 0);
        assert_int_equal(aclrtMalloc(&buffer, BUFFER, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(
            halGetDeviceInfo(card, MODULE_TYPE_AICORE, INFO_TYPE_CURRENT_FREQ, &mhz),
            0);
        assert_int_equal(
            halGetDeviceInfo(card, MODULE_TYPE_SYSTEM, INFO_TYPE_DEV_OSC_FREQUE, &khz),
            0);
        for (int k = 0; k < 3; k++)
            for (uint64_t number = 1; number <= NUMBERS; number++) {
                size_t rows = run_round(card, kernels[k], number, rounds[0]);

                assert_int_equal(rows, BLOCKS * cores[k]);
                assert_int_equal(run_round(card, kernels[k], number, rounds[1]), rows);
                assert_memory_equal(rounds[0], rounds[1], sizeof(rounds[0]));
                for (size_t i = 0; i < rows; i++)
                    now->check(&rounds[0][i]);
            }
        assert_int_equal(aclrtFree(buffer), 0);
        assert_int_equal(aclrtResetDevice((int32_t)card), 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counters_of_each_kernel_are_consistent),
    };
    char path[] = "/tmp/npu_sim_agree_XXXXXX", text[1024];
    int fd = mkstemp(path), size;
    uint32_t cards = 0;

    now = &generations[argc > 1 && !strcmp(argv[1], "a5")];
    size = snprintf(text, sizeof(text), "version: 1\nhosts:\n%s%s", now->fleet,
                    "faults:\n- {fault: slow_card, card: 1, factor: 1.7}\n"
                    "- {fault: noisy_neighbour, card: 2, share: 0.6}\n"
                    "- {fault: throttle, card: 3, mhz: 800}\n");
    if (fd < 0 || write(fd, text, (size_t)size) != size || close(fd))
        return 1;
    setenv("NPU_SIM_FLEET", path, 1);
    drvGetDevNum(&cards); /* reads it */
    unlink(path);
    return cards != 4 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
