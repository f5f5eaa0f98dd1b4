/* soc.h - the simulated chips and the figures of their performance models */
#ifndef SIM_FLEET_SOC_H
#define SIM_FLEET_SOC_H

#include <stdbool.h>
#include <stdint.h>

#define SOC_STANDARD "Ascend910B2"

/* generations, with the driver's numbers */
enum chip { CHIP_310P = 4, CHIP_A2 = 5, CHIP_A5 = 15 };

enum path {
    PATH_GM_TO_L1,
    PATH_L1_TO_GM,
    PATH_L0C_TO_L1,
    PATH_L0C_TO_GM,
    PATH_GM_TO_UB,
    PATH_UB_TO_GM,
    PATH_TO_L0A,
    PATH_TO_L0B,
    PATH_COUNT,
};

/* the links between the cards of a host */
enum soc_tie {
    SOC_TIE_MESH,   /* a link per pair of cards of a board of eight */
    SOC_TIE_SWITCH, /* each card has a port into a switch */
    SOC_TIE_PCIE,
};

struct soc_speed {
    uint32_t
        memory_gbs; /* HBM or DDR bandwidth of the card, in 10^9 bytes per second */
    double path_gibs[PATH_COUNT]; /* best measured bandwidth of one core */
};

struct soc {
    const char *name;
    uint32_t chip; /* enum chip; A3 counts as A2 */
    enum soc_tie tie;
    uint32_t dies; /* chips per package: 2 on A3 */
    uint32_t idle_watts, full_watts;
    uint32_t ticks_khz; /* frequency of the task scheduler's counter */
    uint32_t vectors;   /* vector cores per AI Core; 0: one core does both */
    uint32_t cores;     /* AI Cores, each with one cube core */
    uint32_t mhz;       /* rated clock */
    uint32_t l2_mib;
    const struct soc_speed *speed, *speed_cj;
};

const struct soc *soc_find(const char *name); /* NULL: chip not simulated */
/* Returns the figures for the maker of the card's memory, in DCMI's code. */
const struct soc_speed *soc_speed(const struct soc *soc, uint32_t hbm_maker);
const char *soc_names(void);
bool soc_is_split(const struct soc *soc); /* cube and vector cores are separate */

#endif
