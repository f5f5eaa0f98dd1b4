#include "sim/card/soc.h"

#include <stddef.h>
#include <string.h>

/* Bandwidths of the paths: figures that the vendor's profiler publishes as the best
 * measured ones of a core (910B1; 910B2 and B3; 910B4). Those of the 310P, and the
 * bandwidth of the memories, are rounded figures of data sheets. */
#define PATHS_B1                                                                       \
    {                                                                                  \
        264, 199.43, 216.88, 209.32, 220.06, 186.8, 437.5, 210.5                       \
    }
#define PATHS_B2                                                                       \
    {                                                                                  \
        256.86, 193.99, 211.00, 203.66, 214.11, 181.75, 425.68, 204.81                 \
    }
#define PATHS_B4                                                                       \
    {                                                                                  \
        222, 189.89, 190.7, 190.7, 195.27, 176.75, 368.2, 173.81                       \
    }
#define PATHS_310                                                                      \
    {                                                                                  \
        64, 48, 64, 48, 64, 48, 256, 128                                               \
    }

#define PATHS_950                                                                      \
    {                                                                                  \
        162.77, 131.81, 377.80, 130.21, 163.13, 131.76, 377.76, 377.77                 \
    }
#define PATHS_959                                                                      \
    {                                                                                  \
        177.57, 143.79, 412.15, 142.05, 177.96, 143.74, 412.10, 412.11                 \
    }

static const struct soc socs[] = {
    {"Ascend910B1", CHIP_A2, 24, 2, 1850, 50000, 192, 1600, SOC_TIE_MESH, 1, 90, 392,
     PATHS_B1},
    {"Ascend910B2", CHIP_A2, 24, 2, 1800, 50000, 192, 1600, SOC_TIE_MESH, 1, 90, 392,
     PATHS_B2},
    {"Ascend910B2C", CHIP_A2, 24, 2, 1800, 50000, 192, 1600, SOC_TIE_MESH, 1, 90, 392,
     PATHS_B2},
    {"Ascend910B3", CHIP_A2, 20, 2, 1800, 50000, 192, 1600, SOC_TIE_MESH, 1, 90, 392,
     PATHS_B2},
    {"Ascend910B4", CHIP_A2, 20, 2, 1650, 50000, 96, 800, SOC_TIE_MESH, 1, 90, 392,
     PATHS_B4},
    {"Ascend910B4-1", CHIP_A2, 20, 2, 1650, 50000, 96, 800, SOC_TIE_MESH, 1, 90, 392,
     PATHS_B4},
    {"Ascend910_9391", CHIP_A2, 24, 2, 1850, 50000, 192, 1600, SOC_TIE_SWITCH, 2, 90,
     392, PATHS_B1},
    {"Ascend910_9392", CHIP_A2, 24, 2, 1850, 50000, 192, 1600, SOC_TIE_SWITCH, 2, 90,
     392, PATHS_B1},
    {"Ascend910_9381", CHIP_A2, 24, 2, 1850, 50000, 192, 1600, SOC_TIE_SWITCH, 2, 90,
     392, PATHS_B1},
    {"Ascend910_9382", CHIP_A2, 24, 2, 1850, 50000, 192, 1600, SOC_TIE_SWITCH, 2, 90,
     392, PATHS_B1},
    {"Ascend910_9372", CHIP_A2, 20, 2, 1850, 50000, 192, 1600, SOC_TIE_SWITCH, 2, 90,
     392, PATHS_B1},
    {"Ascend910_9362", CHIP_A2, 20, 2, 1850, 50000, 192, 1600, SOC_TIE_SWITCH, 2, 90,
     392, PATHS_B1},
    {"Ascend310P3", CHIP_310P, 8, 0, 1060, 38400, 16, 204, SOC_TIE_PCIE, 1, 12, 72,
     PATHS_310},
    {"Ascend950PR_9589", CHIP_A5, 32, 2, 1650, 1000000, 128, 1600, SOC_TIE_SWITCH, 1,
     90, 600, PATHS_950},
    {"Ascend950PR_9599", CHIP_A5, 32, 2, 1800, 1000000, 128, 1600, SOC_TIE_SWITCH, 1,
     90, 600, PATHS_959},
};

const struct soc *soc_find(const char *name)
{
    for (size_t i = 0; i < sizeof(socs) / sizeof(socs[0]); i++)
        if (!strcmp(socs[i].name, name))
            return &socs[i];
    return NULL;
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
