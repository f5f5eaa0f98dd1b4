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
#include <stddef.h>
#include <stdint.h>

#define MC2_TURNS_MAX    NPU_SIM_COMM_TURNS
#define MC2_TILING_MAGIC 0x4d433254u
#define MC2_GROUPS_MAX   2
#define MC2_TENSORS_MAX  24
#define MC2_DIMS_MAX     4
#define MC2_NUMBERS_MAX  24
#define MC2_COUNTS_MAX   768 /* numbers of rows: sent ones, then received ones */
#define MC2_PRODUCTS_MAX 64  /* of lists of tensors */
/* Words before the tiling in the arguments of the AI Core half. */
#define MC2_WORDS_MAX (2 + MC2_GROUPS_MAX + MC2_TENSORS_MAX)

/* ASCEND_MC2_DEBUG_MODE */
enum mc2_mode {
    MC2_ALL = 0,
    MC2_CUBE_ONLY = 1,
    MC2_VECTOR_ONLY = 2,
    MC2_AICPU_ONLY = 4,
};

/* Selects what moves the data between the ranks. */
enum mc2_way {
    MC2_NOWHERE = 0, /* the chip does not have the operator */
    MC2_SERVER,      /* the AI CPU half */
    MC2_WINDOW,      /* the cores, through the windows of the ranks */
    MC2_LOCAL,       /* nothing is moved */
};

/* A tensor of an operator. Steps are distances in elements. */
struct mc2_tensor {
    uint64_t address; /* 0: not given */
    int32_t type;     /* aclDataType */
    uint32_t dims;
    uint64_t dim[MC2_DIMS_MAX], step[MC2_DIMS_MAX];
};

/* A product of a list: y (m, n) = x (m, k) x weight (k, n) + bias (n). */
struct mc2_product {
    uint64_t x, weight, bias, y; /* addresses; bias 0: none */
    uint32_t m, k, n;
    uint32_t is_transposed; /* the weight is stored as (n, k) */
};

/* Arguments of an operator and their division into turns; both halves get a copy. Each
 * operator numbers its tensors and `number` itself. */
struct mc2_tiling {
    uint32_t magic;
    uint32_t mode;
    uint32_t way;
    uint32_t turns;
    uint64_t rows, tile; /* rows per turn; the last turn may have fewer */
    uint64_t m, n, k;
    uint64_t workspace_at[4]; /* offsets of the operator's own parts */
    double epsilon;
    int64_t number[MC2_NUMBERS_MAX];
    struct mc2_tensor tensor[MC2_TENSORS_MAX];
    uint32_t count_of_counts;
    union {
        int32_t counts[MC2_COUNTS_MAX];
        struct mc2_product product[MC2_PRODUCTS_MAX];
    };
};

/* The server's work for one tile: piece i begins i steps behind piece 0. An all-to-all
 * of different lengths has parts of its own for each turn, one per rank. */
struct mc2_message {
    uint32_t command; /* enum npu_sim_command */
    uint32_t type, op, turns;
    uint64_t from, into;
    uint64_t from_step, into_step; /* bytes */
    uint64_t count, last_count;    /* elements */
    uint64_t stride;               /* elements between the parts of two ranks */
    uint32_t computes_first;
    uint32_t is_alone; /* the cores compute before or after it, not meanwhile */
    /* of a collective whose turns have data of their own, in parts[0]; else 0 */
    uint32_t element_bytes;
    struct npu_sim_stream *stream; /* of npu_sim_exchange */
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
    uint64_t is_second : 1; /* the server of the operator's second group */
    uint64_t is_dynamic : 47;
};

static inline struct mc2_area *mc2_area(const struct npu_sim_comm_context *context)
{
    return (struct mc2_area *)(uintptr_t)context->workspace;
}

/* Returns the parts of a turn, one per rank; they lie behind the area. */
static inline struct npu_sim_part *mc2_parts(const struct npu_sim_comm_context *context,
                                             uint32_t turn)
{
    return (struct npu_sim_part *)(mc2_area(context) + 1) +
           (size_t)turn * context->ranks;
}

#endif
