#include "sim/fleet/soc.h"

#include <stddef.h>
#include <string.h>

#define MAKER_CJ 88 /* a memory maker; its cards have other figures */

/* Bandwidths of memory and paths. Source: the best measured values that the vendor's
 * profiler publishes; for the 310P rounded figures of data sheets. Order of the paths:
 * GM to L1, L1 to GM, L0C to L1, L0C to GM, GM to UB, UB to GM, into L0A, into L0B. */
static const struct soc_speed
    b1 = {1800, {264, 199.43, 216.88, 209.32, 220.06, 186.8, 437.5, 210.5}},
    b1_cj = {1340, {296, 187.72, 220.48, 202.41, 219.14, 197.82, 439.32, 220.10}},
    b2 = {1750, {256.86, 193.99, 211.00, 203.66, 214.11, 181.75, 425.68, 204.81}},
    b2_cj = {1300, {288.00, 182.65, 214.52, 196.94, 213.22, 192.47, 427.45, 214.15}},
    b4 = {800, {222, 189.89, 190.7, 190.7, 195.27, 176.75, 368.2, 173.81}},
    b4_cj = {1250, {274, 182.07, 196.27, 189.08, 195.52, 176.06, 391.82, 196.3}},
    p310 = {204, {64, 48, 64, 48, 64, 48, 256, 128}},
    p950 = {1600, {162.77, 131.81, 377.80, 130.21, 163.13, 131.76, 377.76, 377.77}},
    p959 = {1600, {177.57, 143.79, 412.15, 142.05, 177.96, 143.74, 412.10, 412.11}};

/* Figures that all chips of a generation share. The power is rounded from data sheets;
 * that of the 950 is assumed. */
#define A2   CHIP_A2, SOC_TIE_MESH, 1, 90, 392, 50000, 2
#define A3   CHIP_A2, SOC_TIE_SWITCH, 2, 90, 392, 50000, 2
#define P310 CHIP_310P, SOC_TIE_PCIE, 1, 12, 72, 38400, 0
#define A5   CHIP_A5, SOC_TIE_SWITCH, 1, 90, 600, 1000000, 2

static const struct soc socs[] = {
    {"Ascend910B1", A2, 24, 1850, 192, &b1, &b1_cj},
    {"Ascend910B2", A2, 24, 1800, 192, &b2, &b2_cj},
    {"Ascend910B2C", A2, 24, 1800, 192, &b2, &b2_cj},
    {"Ascend910B3", A2, 20, 1800, 192, &b2, &b2_cj},
    {"Ascend910B4", A2, 20, 1650, 96, &b4, &b4_cj},
    {"Ascend910B4-1", A2, 20, 1650, 96, &b4, &b4_cj},
    {"Ascend910_9391", A3, 24, 1850, 192, &b1, &b1},
    {"Ascend910_9392", A3, 24, 1850, 192, &b1, &b1},
    {"Ascend910_9381", A3, 24, 1850, 192, &b1, &b1},
    {"Ascend910_9382", A3, 24, 1850, 192, &b1, &b1},
    {"Ascend910_9372", A3, 20, 1850, 192, &b1, &b1},
    {"Ascend910_9362", A3, 20, 1850, 192, &b1, &b1},
    {"Ascend310P3", P310, 8, 1060, 16, &p310, &p310},
    {"Ascend950PR_9589", A5, 32, 1650, 128, &p950, &p950},
    {"Ascend950PR_9599", A5, 32, 1800, 128, &p959, &p959},
};

const struct soc *soc_find(const char *name)
{
    for (size_t i = 0; i < sizeof(socs) / sizeof(socs[0]); i++)
        if (!strcmp(socs[i].name, name))
            return &socs[i];
    return NULL;
}

const struct soc_speed *soc_speed(const struct soc *soc, uint32_t hbm_maker)
{
    return hbm_maker == MAKER_CJ ? soc->speed_cj : soc->speed;
}

const char *soc_names(void)
{
    return "Ascend910B1 B2 B2C B3 B4 B4-1, Ascend910_9391 _9392 _9381 _9382 _9372 "
           "_9362, "
           "Ascend310P3, Ascend950PR_9589 _9599";
}

bool soc_is_split(const struct soc *soc)
{
    return soc->vectors > 0;
}
