/* mc2.h - shared data of the two halves of a fused operator
 *
 * The AI Core half computes, the AI CPU half moves data between the ranks. They
 * communicate through an area in the communicator's workspace. The cores describe the
 * transfer (prepare), hand over one tile after another (commit), wait for tiles (wait),
 * and end (finalize). The server clears the area at the end, so each operation starts
 * with zeros, however it is launched. */
#ifndef SIM_NN_MC2_H
#define SIM_NN_MC2_H

#include <npu_sim/comm.h>
#include <stdint.h>

#define MC2_TURNS_MAX    32
#define MC2_TILING_BYTES sizeof(struct mc2_tiling)
#define MC2_TILING_MAGIC 0x4d433254u
#define MC2_GROUPS_MAX   2

/* ASCEND_MC2_DEBUG_MODE */
enum mc2_mode {
    MC2_ALL = 0,
    MC2_CUBE_ONLY = 1,
    MC2_VECTOR_ONLY = 2,
    MC2_AICPU_ONLY = 4,
};

/* Layout and division of the arguments; both halves get a copy. Rows and columns are
 * those of this rank's own product. Steps are distances in elements between rows and
 * columns. */
struct mc2_tiling {
    uint32_t magic;
    uint32_t mode;
    uint32_t type; /* HcclDataType */
    uint32_t turns;
    uint64_t m, n, k;
    uint64_t tile; /* rows per turn; the last turn may have fewer */
    uint64_t x1_row, x1_column, x2_row, x2_column;
    uint32_t has_bias;
    uint32_t inputs, outputs;
    float epsilon;
};

/* The server's work for one tile: piece i begins i steps behind piece 0. */
struct mc2_message {
    uint32_t command; /* enum npu_sim_command */
    uint32_t type, op, turns;
    uint64_t from, into;
    uint64_t from_step, into_step; /* bytes */
    uint64_t count, last_count;    /* elements */
    uint64_t stride;               /* elements between the parts of two ranks */
};

struct mc2_area {
    uint32_t prepared, finalized;
    uint32_t committed[MC2_TURNS_MAX], finished[MC2_TURNS_MAX];
    uint32_t blocks_done[MC2_TURNS_MAX]; /* used only among the cores */
    uint32_t blocks_left;
    struct mc2_message message;
};

/* First word of the AI CPU half's arguments. */
struct mc2_descriptor {
    uint64_t version : 4;
    uint64_t groups : 4;
    uint64_t has_ffts : 1;
    uint64_t tiling_at : 7; /* index of the argument word with the tiling's address */
    uint64_t is_dynamic : 48;
};

static inline struct mc2_area *mc2_area(const struct npu_sim_comm_context *context)
{
    return (struct mc2_area *)(uintptr_t)context->workspace;
}

#endif
