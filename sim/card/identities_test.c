/* identities_test.c - the events of each chip agree with the work of the kernel
 *
 * Each row is an equation between events, with the bytes of a request as the vendor's
 * profiler multiplies them, and the bytes that the kernel declared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/l2.h"
#include "sim/card/memory.h"
#include "sim/card/model.h"
#include "sim/fleet/soc.h"
#include "tests/support/unit.h"

enum { KIB = 1024 };
enum relation { EQUAL, AT_MOST };

/* Work of a core: 96 KiB from memory to L1, 40 KiB to the UB, 24 KiB from the UB to
 * memory, 16 KiB from L0C to memory; 64 KiB into L0A, 32 KiB into L0B. */
static const struct npu_sim_core_cost cost = {
    .cube_fp_ops = 8192 * 50,
    .cube_int_ops = 16384 * 20,
    .l1_to_l0a_bytes = 64 * KIB,
    .l1_to_l0b_bytes = 32 * KIB,
    .vector_fp32 = 6400,
    .vector_fp16 = 12800,
    .vector_int32 = 3200,
    .vector_misc = 640,
    .scalar_instructions = 3200,
    .access_count = 4,
    .access = {{NULL, 96 * KIB, 1, NPU_SIM_GM_TO_L1},
               {NULL, 40 * KIB, 1, NPU_SIM_GM_TO_UB},
               {NULL, 24 * KIB, 1, NPU_SIM_UB_TO_GM},
               {NULL, 16 * KIB, 1, NPU_SIM_L0C_TO_GM}},
};

static const struct identity {
    const char *left; /* factor*event+..., or a number: the bytes that were declared */
    enum relation relation;
    const char *right;
} one_core[] =
    {
        {"139264", EQUAL, "512*18"}, /* 96 + 40 KiB from main memory */
        {"40960", EQUAL, "512*19"},  /* 24 + 16 KiB to main memory */
        {"16*62+256*50", EQUAL, "512*18"},
        {"16*61", EQUAL, "512*19"},
        {"40960", EQUAL, "16*62"},
        {"98304", EQUAL, "256*50"},
        {"40960", EQUAL, "16*61"}, /* results of the cube pass through the UB */
        {"16384", EQUAL, "256*39"},
        {"16384", EQUAL, "512*44"},
        {"98304", EQUAL, "512*49"}, /* L1 is read for L0A and L0B */
        {"512*28+128*34", EQUAL, "512*49"},
        {"65536", EQUAL, "512*28"},
        {"32768", EQUAL, "128*34"},
        {"27", EQUAL, "33"},
        {"73+74", EQUAL, "3"},
        {"75+76+77+78+79+174+186", EQUAL, "1"},
        {"32*67", EQUAL, "64*68"},
        {"85", AT_MOST, "84"},
},
  a2_cube[] =
      {
          {"139264", EQUAL, "128*1293+128*1294"},
          {"40960", EQUAL, "128*1292"},
          {"1280+1282+1283", EQUAL, "1292"},
          {"1284+1286+1287", EQUAL, "1293"},
          {"1288+1290+1291", EQUAL, "1294"},
          {"98304", EQUAL, "256*50"},
          {"16384", EQUAL, "128*524"},
          {"65536", EQUAL, "256*28"},
          {"32768", EQUAL, "128*34"},
          {"27", EQUAL, "33"},
          {"73+74", EQUAL, "3"},
          {"1032+1033", EQUAL, "3"},
          {"85", AT_MOST, "84"},
},
  a2_vector[] =
      {
          {"40960", EQUAL, "128*62"},
          {"24576", EQUAL, "128*61"},
          {"75+77+78+79+174+186", EQUAL, "1"},
          {"76", AT_MOST, "75"},
          {"67", EQUAL, "2*68"},
          {"85", AT_MOST, "84"},
},
  a5_cube[] =
      {
          {"139264", EQUAL, "128*1058"},
          {"40960", EQUAL, "128*1059"},
          {"1060+1061+1062+1063+1064+1065", EQUAL, "1058"},
          {"1066+1067+1068+1069+1070+1071", EQUAL, "1059"},
          {"98304", EQUAL, "256*1801"},
          {"65536", EQUAL, "256*1795"},
          {"32768", EQUAL, "256*1797"},
          {"98304", EQUAL, "256*1799"},
          {"789+790", EQUAL, "768"},
          {"64*772", EQUAL, "256*774"},
          {"53", AT_MOST, "52"},
},
  a5_vector[] = {
      {"139264", EQUAL, "128*1058"},
      {"1407+1408", AT_MOST, "1058"},
      {"1393", EQUAL, "2*1394"},
      {"53", AT_MOST, "52"},
};

#define ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])

static const struct side {
    const char *soc;
    enum core_kind kind;
    const struct identity *rows;
    size_t count;
} sides[] = {
    {"Ascend310P3", CORE_AIC, ROWS(one_core)},
    {"Ascend910B1", CORE_AIC, ROWS(a2_cube)},
    {"Ascend910B4", CORE_AIV, ROWS(a2_vector)},
    {"Ascend910_9362", CORE_AIC, ROWS(a2_cube)},
    {"Ascend950PR_9589", CORE_AIC, ROWS(a5_cube)},
    {"Ascend950PR_9599", CORE_AIV, ROWS(a5_vector)},
};

/* The addresses of the work are not device memory, so nothing hits the cache. */
bool npu_sim_memory_find(const void *address, struct card_memory *out)
{
    (void)address;
    (void)out;
    return false;
}

/* Adds the terms. A single number of at least five digits is that number. */
static uint64_t
sum_of(const struct side *side, const struct counters *counters, const char *terms)
{
    uint32_t chip = soc_find(side->soc)->chip;
    uint64_t sum = 0;

    if (strspn(terms, "0123456789") == strlen(terms) && strlen(terms) >= 5)
        return strtoull(terms, NULL, 10);
    while (*terms) {
        uint64_t factor = 1, event = strtoull(terms, (char **)&terms, 10);

        if (*terms == '*') {
            factor = event;
            event = strtoull(terms + 1, (char **)&terms, 10);
        }
        sum += factor * counter_value(counters, counter_of_event(chip, side->kind,
                                                                 (uint32_t)event));
        terms += *terms == '+';
    }
    return sum;
}

static void the_events_of_each_chip_agree_with_the_work(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        const struct soc *soc = soc_find(sides[i].soc);
        struct l2 *l2 = l2_create(1 << 20);
        struct model model = {.soc = soc,
                              .speed = soc_speed(soc, 0),
                              .l2 = l2,
                              .mhz = 1000,
                              .slow = 1,
                              .active_cores = 1,
                              .memory_share = 1};
        struct counters counters;

        model_core(&model, sides[i].kind, &cost, 1, &counters);
        for (size_t k = 0; k < sides[i].count; k++) {
            const struct identity *row = &sides[i].rows[k];
            uint64_t left = sum_of(&sides[i], &counters, row->left);
            uint64_t right = sum_of(&sides[i], &counters, row->right);

            if (row->relation == EQUAL ? left != right : left > right)
                fail_msg("%s: %s is %llu, %s is %llu", sides[i].soc, row->left,
                         (unsigned long long)left, row->right,
                         (unsigned long long)right);
        }
        l2_destroy(l2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_events_of_each_chip_agree_with_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
