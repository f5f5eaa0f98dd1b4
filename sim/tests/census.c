/* census.c - uses every card of the host; prints memory use and counters
 *
 * census hold CARDS: sets each card, allocates 8 MiB on it without touching them,
 * launches once, and keeps everything; prints KiB per card, idle and used.
 *
 * census pass CARDS: uses the cards one after the other and resets each before the
 * next.
 *
 * census count LAUNCHES: prints, for each card and launch, cycles, ticks and a sum of
 * its work. */
#include <ascend_hal.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/tests/device.h"

#define BLOCKS 12
#define BYTES  (8u << 20)

static aclrtFuncHandle work;

static void need(int error, const char *what, int card)
{
    if (!error)
        return;
    fprintf(stderr, "census: card %d: %s: %d\n", card, what, error);
    exit(1);
}

static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long size = 0, resident = 0;

    if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
        need(1, "statm", -1);
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void launch(void *memory, int card)
{
    struct probe_args args = {memory, 0, NULL};

    need(aclrtLaunchKernelWithHostArgs(work, BLOCKS, NULL, NULL, &args, sizeof(args),
                                       NULL, 0),
         "launch", card);
    need(aclrtSynchronizeStream(NULL), "synchronise", card);
}

static void *open_card(int card)
{
    void *memory;

    need(aclrtSetDevice(card), "device", card);
    need(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), "memory", card);
    return memory;
}

static void hold(int cards)
{
    void **memory = calloc((size_t)cards, sizeof(*memory));
    long before = resident_kib(), idle;

    need(!memory, "room", -1);
    for (int card = 0; card < cards; card++)
        need(aclrtSetDevice(card), "device", card);
    idle = resident_kib();
    for (int card = 0; card < cards; card++) {
        memory[card] = open_card(card);
        launch(memory[card], card);
    }
    printf("idle_kib=%ld used_kib=%ld\n", (idle - before) / cards,
           (resident_kib() - before) / cards);
    for (int card = 0; card < cards; card++) {
        need(aclrtSetDevice(card), "device", card);
        need(aclrtFree(memory[card]), "free", card);
        need(aclrtResetDeviceForce(card), "reset", card);
    }
    free(memory);
}

static void pass(int cards)
{
    long before = resident_kib();

    for (int card = 0; card < cards; card++) {
        void *memory = open_card(card);

        launch(memory, card);
        need(aclrtFree(memory), "free", card);
        need(aclrtResetDeviceForce(card), "reset", card);
    }
    printf("kept_kib=%ld\n", (resident_kib() - before) / cards);
}

static uint64_t word(const char *record, size_t at)
{
    uint64_t value;

    memcpy(&value, record + at, sizeof(value));
    return value;
}

static void count_launch(int card, int number, void *memory)
{
    static char records[128 * BLOCKS * 3];
    uint64_t total = 0, sum = 0, first = UINT64_MAX, last = 0;
    int size;

    launch(memory, card);
    size = prof_channel_read((unsigned)card, CHANNEL_FFTS_PROFILE_TASK, records,
                             sizeof(records));
    need(size <= 0, "read", card);
    for (const char *record = records; record < records + size; record += 128) {
        total += word(record, 32);
        for (size_t i = 0; i < 64; i += 8)
            sum = sum * 31 + word(record, 48 + i);
        if (word(record, 112) < first)
            first = word(record, 112);
        if (word(record, 120) > last)
            last = word(record, 120);
    }
    printf("card=%d launch=%d records=%d cycles=%" PRIu64 " ticks=%" PRIu64
           " work=%" PRIx64 "\n",
           card, number, size / 128, total, last - first, sum);
}

/* Events that count only work: requests, hits and misses, instructions. */
static void count(int launches)
{
    prof_ffts_config_t config = {
        .cfg_mode = 3,
        .core = {{5, 0, UINT32_MAX, 8, {3, 28, 34, 50, 1292, 1293, 1294, 524}},
                 {5, 0, UINT32_MAX, 8, {1, 61, 62, 67, 1292, 1293, 1294, 84}}},
    };
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};
    uint32_t cards;

    need(aclrtGetDeviceCount(&cards), "count", -1);
    for (int card = 0; card < (int)cards; card++) {
        void *memory = open_card(card);
        int stopped;

        need(prof_drv_start((unsigned)card, CHANNEL_FFTS_PROFILE_TASK, &para),
             "channel", card);
        for (int i = 0; i < launches; i++)
            count_launch(card, i, memory);
        stopped = prof_stop((unsigned)card, CHANNEL_FFTS_PROFILE_TASK);
        need(stopped == PROF_DATA_LOST ? 0 : stopped, "stop", card);
        need(aclrtFree(memory), "free", card);
        need(aclrtResetDeviceForce(card), "reset", card);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int number);
    } ways[] = {{"hold", hold}, {"pass", pass}, {"count", count}};
    aclrtBinHandle binary;

    need(argc != 3 || atoi(argv[2]) <= 0, "hold|pass|count NUMBER", -1);
    need(aclrtSetDevice(0), "device", 0);
    need(!(work = device_kernel(&binary, "probe_mix")), "kernel", 0);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (!strcmp(argv[1], ways[i].name))
            ways[i].run(atoi(argv[2]));
    return fflush(stdout) != 0;
}
