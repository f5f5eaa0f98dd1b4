/* sample_folder.h - writes launches in the vendor's layout, for tests
 *
 * Together they have every file that a reader accepts; all are small and valid. */
#ifndef PARSERS_SOURCE_SAMPLE_FOLDER_H
#define PARSERS_SOURCE_SAMPLE_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"
#include "parsers/records/op_info.h"
#include "parsers/records/operands.h"
#include "parsers/records/sample_records.h"
#include "parsers/transfers/transfer_reader.h"

struct sample_launch {
    const char *name; /* of the test case and its folder */
    enum chip chip;
    const char *soc;
    unsigned is_mc2, is_lccl;
    bool counts_operands; /* on a 950: true writes operands and instructions, false
                             pipes, samples and warps */
};

static const struct sample_launch sample_launches[] = {
    {"fused", CHIP_A2, "Ascend910B2", 1, 0, false},
    {"collective", CHIP_A2, "Ascend910B4", 0, 1, false},
    {"undivided", CHIP_310P, "Ascend310P3", 0, 0, false},
    {"newest", CHIP_A5, "Ascend950PR_9599", 0, 0, false},
    {"operands", CHIP_A5, "Ascend950PR_9599", 0, 0, true},
};

enum { SAMPLE_KHZ = 50000, SAMPLE_BLOCKS = 2, SAMPLE_START = 1000, SAMPLE_END = 1500 };

static inline void
sample_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[512];
    struct err err;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (folder_create(folder, &err) < 0 || !(file = fopen(path, "w")) ||
        (size && fwrite(bytes, size, 1, file) != 1) || fclose(file) != 0)
        abort();
}

/* Writes the text to a file and empties it. */
static inline void sample_text(const char *folder, const char *name, struct text *bytes)
{
    sample_file(folder, name, text_get(bytes), bytes->length);
    text_reset(bytes);
}

/* Adds one cube row and two vector rows per block; on the 310P one row in all. */
static inline void
sample_counters(struct text *out, const struct sample_launch *launch, uint64_t pass)
{
    struct sample_block block = {
        .task = 4, .cycles = 9000 + pass, .start = 1010, .end = 1490};

    for (size_t i = 0; i < COUNT(block.slots); i++)
        block.slots[i] = 100 + 8 * pass + i;
    if (launch->chip == CHIP_310P) {
        sample_310p(out, block.cycles, block.slots);
        return;
    }
    for (block.block = 0; block.block < SAMPLE_BLOCKS; block.block++)
        for (int i = 0; i < 3; i++) {
            block.is_aiv = i > 0;
            block.sub_block = i == 2;
            if (launch->chip == CHIP_A5)
                sample_a5(out, &block);
            else
                sample_a2(out, &block);
        }
}

static inline void sample_passes(const char *folder, const struct sample_launch *launch)
{
    struct text bytes = {0};
    struct counter_schedule full;
    struct err err;

    if (counter_schedule_full(launch->chip, &full, &err) < 0)
        abort();
    for (size_t i = 0; i < full.pass_count; i++) {
        char name[40];

        snprintf(name, sizeof(name), "DeviceProf%zu.bin", i + 1);
        sample_counters(&bytes, launch, i);
        sample_text(folder, name, &bytes);
    }
    text_clear(&bytes);
}

/* Writes time stamps around two steps of the first block, and a user's own stamp. */
static inline void sample_stamps(const char *folder, const struct sample_launch *launch)
{
    struct text bytes = {0};

    for (uint32_t i = 0; i < 6; i++)
        if (launch->is_lccl)
            sample_lccl_stamp(&bytes, 0, i / 2, 1100 + 10 * i, 1);
        else
            sample_stamp(&bytes, 0, i < 4 ? 0x1000 + 0x10 * (i / 2) + i % 2 : 0x10007,
                         1100 + 10 * i, 0x40);
    sample_text(folder, "aic_timestamp.bin", &bytes);
    text_clear(&bytes);
}

/* Writes the AI CPU's records: one communication turn and two HCCL tasks. */
static inline void sample_ai_cpu(const char *folder)
{
    struct text bytes = {0};
    uint8_t payload[232] = {0};

    sample_turn(&bytes, 1, 0, 1200, 10);
    sample_hccl(payload, 0x628f0043a268d0cf, 33, 5, 1);
    sample_hccl(payload + 116, 0xab44b101f36f4b07, 33, 6, 1);
    sample_report(&bytes, 13, payload, sizeof(payload));
    sample_text(folder, "aicpu.bin", &bytes);
    text_clear(&bytes);
}

static inline void sample_task_log(const char *folder,
                                   const struct sample_launch *launch)
{
    size_t size = launch->chip == CHIP_A5 ? 32 : 64;
    struct text bytes = {0};

    sample_task(&bytes, size, 0, 0, SAMPLE_START);
    if (launch->is_mc2)
        for (uint16_t task = 5; task < 7; task++) {
            sample_stream_task(&bytes, 11, 0, 33, task, 1210 + 10 * task);
            sample_stream_task(&bytes, 11, 1, 33, task, 1218 + 10 * task);
        }
    sample_task(&bytes, size, 0, 1, SAMPLE_END);
    sample_text(folder, "duration.bin", &bytes);
    text_clear(&bytes);
}

/* Writes transfers, counts of basic blocks, and the kernel's code. */
static inline void sample_detail(const char *folder, const char *elf)
{
    static const char map[] = "function: sample_total\nstart addr: 0x1000\n"
                              "BBB id:0 Offset: 0x0 end: 0x1f\n"
                              "BBB id:1 Offset: 0x20 end: 0x3f\n";
    static const uint8_t counts[] = {7, 0, 0, 0, 9, 0, 0, 0};
    struct text bytes = {0};
    struct err err;
    size_t size;
    char *code;

    for (uint64_t i = 0; i < 4; i++) {
        struct transfer transfer = {
            .src = 0x1000 * i,
            .dst = 0x100000 + 0x200 * i,
            .src_bytes = 512,
            .dst_bytes = 512,
            .pc = 0x1010,
            .serial = i,
            .src_memory = i % 2 ? MEMORY_UB : MEMORY_GM,
            .dst_memory = i % 2 ? MEMORY_GM : MEMORY_UB,
        };
        uint8_t row[TRANSFER_CHART_ROW_BYTES];

        transfer_write_chart_row(row, &transfer);
        text_add_bytes(&bytes, row, sizeof(row));
    }
    sample_text(folder, "MemoryChart.bin", &bytes);
    text_clear(&bytes);
    sample_file(folder, "kernel0Stub.o.bbbmap.0", map, sizeof(map) - 1);
    sample_file(folder, "kernel0.extra.0", counts, sizeof(counts));
    sample_file(folder, "pc_start_addr.txt", "0x1000\n", 7);
    if (file_read(&code, &size, elf, 1 << 20, &err) < 0)
        abort();
    sample_file(folder, "aicore_binary.o", code, size);
    free(code);
}

/* Writes the instruction profile of a 950: pipes, PC samples, warps. */
static inline void sample_profile(const char *folder)
{
    struct text bytes = {0}, data = {0};
    uint8_t sample[16] = {0x20, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    uint8_t offset[8] = {0x10};

    sample_entry(&data, 100, 15, 1);
    sample_entry(&data, 50, 15, 3);
    sample_entry(&data, 10, 0, 0x400 | 7);
    sample_entry(&data, 10, 0, 0xC00 | 7);
    sample_entry(&data, 25, 15, 0);
    sample_unit(&bytes, 0, 1, &data);
    sample_text(folder, "timeline.bin.0", &bytes);
    text_reset(&data);
    for (uint8_t i = 0; i < 4; i++, sample[0] += 8)
        text_add_bytes(&data, sample, sizeof(sample));
    sample_unit(&bytes, 0, 1, &data);
    sample_text(folder, "pcSampling.bin.0", &bytes);
    sample_warps(&bytes, 0, 1, 3, 100, 40);
    sample_text(folder, "WarpTimeline.bin", &bytes);
    sample_file(folder, "PcOffset.bin", offset, sizeof(offset));
    sample_file(folder, "pc_start_pcsampling.txt", "40\n", 3);
    text_clear(&bytes);
    text_clear(&data);
}

/* Writes one block of operand counts; only its first thread has counts. */
static inline void sample_operands(const char *folder)
{
    size_t size = 8 + OPERAND_BLOCK_BYTES;
    uint8_t *bytes = xcalloc(size, 1);

    for (size_t i = 0; i < OPERAND_TYPES; i++) {
        store_u64(bytes + 8 + 24 * i, i + 1);
        store_u64(bytes + 16 + 24 * i, 64 * (i + 1));
    }
    sample_file(folder, "OperandRecord.bin", bytes, size);
    free(bytes);
}

/* Writes marks around two MTE2 instructions; the region map names one of them. */
static inline void sample_instructions(const char *folder)
{
    static const char map[] =
        "region_id=1537,pipe=mte2,line=4,pc=0x10,opcode=MOV_OUT_TO_UB\n";
    static const char log[] = "TUNE-ERROR: all dfx ids consumed[pipe=mte3]\n";
    struct text bytes = {0}, data = {0};

    for (unsigned i = 0; i < 4; i++)
        sample_entry(&data, 25, 4, 0x601 + i / 2);
    sample_unit(&bytes, 0, 1, &data);
    sample_text(folder, "timeline.bin.0", &bytes);
    sample_file(folder, "dfx_region_map.txt", map, sizeof(map) - 1);
    sample_file(folder, "dfx_tune.log", log, sizeof(log) - 1);
    text_clear(&bytes);
    text_clear(&data);
}

/* Writes one launch. `elf` is a host's ELF file, or NULL to write no detail. */
static inline void
sample_dump(const char *folder, const struct sample_launch *launch, const char *elf)
{
    struct text bytes = {0};
    uint8_t l2[72] = {0};

    text_printf(&bytes,
                "Op Name=sample_total\nBlock Dim=%d\nRun Soc Version=%s\nDevice Id=3\n"
                "Pid=77\nCurrent Freq=1000\nRated Freq=1800\nIs MC2=%u\nIs Lccl=%u\n",
                SAMPLE_BLOCKS, launch->soc, launch->is_mc2, launch->is_lccl);
    sample_text(folder, "op_basic_info.txt", &bytes);
    text_clear(&bytes);
    sample_passes(folder, launch);
    sample_task_log(folder, launch);
    if (launch->chip != CHIP_A5) {
        l2[40] = 5;
        sample_file(folder, "L2Cache.bin", l2, sizeof(l2));
    } else if (launch->counts_operands) {
        sample_operands(folder);
        sample_instructions(folder);
    } else {
        sample_profile(folder);
    }
    if (launch->is_mc2 || launch->is_lccl)
        sample_stamps(folder, launch);
    if (launch->is_mc2)
        sample_ai_cpu(folder);
    if (elf &&
        launch->chip ==
            CHIP_310P) /* the chip with the smallest files, so this test stays fast */
        sample_detail(folder, elf);
}

#endif
