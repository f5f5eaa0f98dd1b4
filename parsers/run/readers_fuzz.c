/* readers_fuzz.c - feeds arbitrary bytes to the reader of one kind of file
 *
 * The first byte selects the reader, the second the chip. With
 * MUSTER_TEST_FUZZ_SEEDS=DIR the program only writes seeds: the files of the sample
 * launches, each after the two bytes that select its reader. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "parsers/code/code_blocks.h"
#include "parsers/code/code_map.h"
#include "parsers/records/ai_cpu.h"
#include "parsers/records/core_container.h"
#include "parsers/records/live_registers.h"
#include "parsers/records/pc_samples.h"
#include "parsers/records/pipe_timeline.h"
#include "parsers/records/pmu.h"
#include "parsers/records/region_map.h"
#include "parsers/records/scheduler_tasks.h"
#include "parsers/records/stamps.h"
#include "parsers/records/task_log.h"
#include "parsers/records/warps.h"
#include "parsers/simlog/simlog_mte.h"
#include "parsers/source/sample_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static void read_code(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct code_frame frames[8];
    struct code_map *map;
    struct err err;

    (void)chip;
    if (code_map_open(&map, bytes, size, &err) < 0)
        return;
    for (uint64_t address = 0x1000; address < 0x1400; address += 16)
        code_map_find(map, address, frames, COUNT(frames));
    code_map_close(map);
}

static void read_info(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct op_info info;
    struct err err;
    size_t odd;

    (void)chip;
    op_info_parse(&info, (const char *)bytes, size, &odd, &err);
}

static void read_pmu(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct pmu *pmu = pmu_create(chip);
    struct counter_schedule full;
    struct pmu_notes notes;
    struct err err;

    if (counter_schedule_full(chip, &full, &err) == 0)
        for (size_t i = 0; i < 2; i++) /* the halves are two passes */
            pmu_add_pass(pmu, &full.passes[i], bytes + i * (size / 2), size / 2, &notes,
                         &err);
    pmu_finish(pmu);
    pmu_rows_without_pass(pmu, 0);
    pmu_find(pmu, CORE_AIV, 1, 1);
    pmu_destroy(pmu);
}

static void read_tasks(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct task_durations log;
    struct scheduler_tasks tasks = {0};

    task_durations_read(&log, chip, bytes, size);
    task_durations_us(&log, SAMPLE_KHZ);
    scheduler_tasks_read(&tasks, chip, bytes, size);
    scheduler_tasks_find(&tasks, 33, 5);
    scheduler_tasks_clear(&tasks);
}

static void read_stamps(enum chip chip, const uint8_t *bytes, size_t size)
{
    for (int is_lccl = 0; is_lccl < 2; is_lccl++) {
        struct stamps stamps;

        stamps_read(&stamps, chip, is_lccl, (struct stamp_blocks){1, 2}, bytes, size);
        stamps_clear(&stamps);
    }
}

static void read_ai_cpu(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct ai_cpu ai_cpu;

    (void)chip;
    ai_cpu_read(&ai_cpu, bytes, size);
    ai_cpu_clear(&ai_cpu);
}

/* Copies the bytes to the start of a full-size unit; the rest is zero. */
static const uint8_t *as_unit(const uint8_t *bytes, size_t size, size_t *whole)
{
    static uint8_t unit[CORE_UNIT_HEAD_BYTES + CORE_UNIT_ROOM_BYTES];
    static size_t used;

    memset(unit, 0, used);
    used = size < sizeof(unit) ? size : sizeof(unit);
    memcpy(unit, bytes, used);
    *whole = sizeof(unit);
    return unit;
}

static void read_pipes(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct pipe_timeline pipes;

    (void)chip;
    bytes = as_unit(bytes, size, &size);
    for (enum pipe_marks marks = 0; marks <= PIPE_MARKS_OF_INSTRUCTIONS; marks++) {
        for (int packed = 0; packed < 2; packed++) {
            pipe_timeline_read(&pipes, marks,
                               (struct core_container){
                                   .bytes = bytes, .size = size, .packed = packed});
            pipe_timeline_clear(&pipes);
        }
    }
}

static void read_pc_samples(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct pc_samples samples;

    (void)chip;
    bytes = as_unit(bytes, size, &size);
    pc_samples_read(&samples, (struct core_container){.bytes = bytes, .size = size},
                    0x40, 0x10);
    pc_samples_sum(&samples, STALL_OTHERS);
    pc_samples_clear(&samples);
}

static void read_warps(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct warps warps;

    (void)chip;
    warps_read(&warps, bytes, size);
    warps_clear(&warps);
}

/* Reads the bytes as they are, and padded with zeros to a whole block. */
static void read_operands(enum chip chip, const uint8_t *bytes, size_t size)
{
    static uint8_t whole[8 + OPERAND_BLOCK_BYTES];
    static size_t used;
    struct operands operands;

    (void)chip;
    memset(whole, 0, used);
    used = size < sizeof(whole) ? size : sizeof(whole);
    memcpy(whole, bytes, used);
    operands_read(&operands, whole, sizeof(whole));
    operands_clear(&operands);
    operands_read(&operands, bytes, size);
    operands_clear(&operands);
}

static void read_registers(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct live_registers registers;
    struct err err;

    (void)chip;
    if (live_registers_read(&registers, bytes, size, &err) == 0)
        live_registers_clear(&registers);
}

/* Uses the last eight bytes as the counts of the blocks, the rest as their map. */
static void read_blocks(enum chip chip, const uint8_t *bytes, size_t size)
{
    size_t counts = size < 8 ? size : 8;
    struct code_blocks blocks;

    (void)chip;
    code_blocks_from_map(&blocks, (const char *)bytes, size - counts,
                         bytes + size - counts, counts);
    code_blocks_find(&blocks, 0x1010);
    code_blocks_clear(&blocks);
}

static void read_regions(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct region_map map = {0};

    (void)chip;
    region_map_read(&map, (const char *)bytes, size);
    region_map_read_log(&map, (const char *)bytes, size);
    region_map_find(&map, PIPE_MTE2, 1537);
    region_map_clear(&map);
}

static void read_requests(enum chip chip, const uint8_t *bytes, size_t size)
{
    struct sim_requests requests;

    (void)chip;
    simlog_read_requests(&requests, (const char *)bytes, size);
    simlog_clear_requests(&requests);
}

/* The code reader is first because run.sh has a seed for it. */
static const struct reader {
    void (*read)(enum chip chip, const uint8_t *bytes, size_t size);
    const char *file; /* prefix of its files in a sample launch; NULL: it has none */
} readers[] = {
    {read_code, "aicore_binary.o"},
    {read_info, "op_basic_info.txt"},
    {read_pmu, "DeviceProf1.bin"},
    {read_tasks, "duration.bin"},
    {read_stamps, "aic_timestamp.bin"},
    {read_ai_cpu, "aicpu.bin"},
    {read_pipes, "timeline.bin"},
    {read_pc_samples, "pcSampling.bin"},
    {read_warps, "WarpTimeline.bin"},
    {read_operands, "OperandRecord.bin"},
    {read_registers, NULL},
    {read_blocks, "kernel0Stub.o.bbbmap"},
    {read_requests, NULL},
    {read_regions, "dfx_"},
};

static const enum chip chips[] = {CHIP_A2, CHIP_310P, CHIP_A5};

static void put_seed(const char *out,
                     const char *folder,
                     const char *file,
                     size_t reader,
                     size_t at)
{
    enum { MOST = 32 * 1024 };
    char path[512], *bytes, *seed;
    struct err err;
    size_t size;

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    if (file_read(&bytes, &size, path, 64 << 20, &err) < 0)
        abort();
    size = size < MOST ? size : MOST;
    seed = xmalloc(size + 2);
    seed[0] = (char)reader;
    for (size_t i = 0; i < COUNT(chips); i++)
        if (chips[i] == sample_launches[at].chip)
            seed[1] = (char)i;
    memcpy(seed + 2, bytes, size);
    snprintf(path, sizeof(path), "%zu-%s", at, file);
    sample_file(out, path, seed, size + 2);
    free(seed);
    free(bytes);
}

static void put_seeds(const char *out, size_t at)
{
    char folder[] = "/tmp/muster-seeds-XXXXXX";
    struct dirent *entry;
    struct err err;
    DIR *entries;

    if (!mkdtemp(folder))
        abort();
    sample_dump(folder, &sample_launches[at], NULL);
    entries = opendir(folder);
    while (entries && (entry = readdir(entries)))
        for (size_t i = 0; i < COUNT(readers); i++)
            if (readers[i].file &&
                strncmp(entry->d_name, readers[i].file, strlen(readers[i].file)) == 0)
                put_seed(out, folder, entry->d_name, i, at);
    closedir(entries);
    folder_remove(folder, &err);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *out = getenv("MUSTER_TEST_FUZZ_SEEDS");

    (void)argc, (void)argv;
    if (!out)
        return 0;
    for (size_t i = 0; i < COUNT(sample_launches); i++)
        put_seeds(out, i);
    exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size >= 2)
        readers[bytes[0] % COUNT(readers)].read(chips[bytes[1] % COUNT(chips)],
                                                bytes + 2, size - 2);
    return 0;
}
