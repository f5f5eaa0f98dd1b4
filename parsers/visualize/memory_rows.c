#include "parsers/visualize/memory_rows.h"

#include "lib/base/mem.h"
#include "parsers/metrics/cube_pipes.h"

/* Members that a row leaves out are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* "X Read Y" counts data from Y to X, "X Write Y" data from X to Y. MTE is the pipe
 * that moves the data, so "UB Read MTE" of an A2 is "UB Read GM". */
static const struct request_row a2_gm[] = {
    {"Read Main Memory", "1293+1294", 128},
    {"Write Main Memory", "1292", 128},
};
static const struct request_row a2_ub[] = {
    {"UB Read MTE", "62", 128, PATH_GM_TO_UB},
    {"UB Write MTE", "61", 128, PATH_UB_TO_GM},
    {"UB Read GM", "62", 128, PATH_GM_TO_UB},
    {"UB Write GM", "61", 128, PATH_UB_TO_GM},
    {"UB Write Vector", "67", 256},
    {"UB Read Vector", "68", 256},
    {"UB Read Scalar", "55", 16},
    {"UB Write Scalar", "56", 16},
};
static const struct request_row a2_vector[] = {
    {"Vector Write UB", "68", 256},
    {"Vector Read UB", "67", 256},
};
static const struct request_row a2_l1[] = {
    {"L1 Read MTE", "50-518", 256, PATH_GM_TO_L1},
    {"L1 Write MTE", "49", 256},
    {"L1 Write L0A/L0B", "49+524-4*19-518", 256, PATH_MTE_TO_L0A, PATH_MTE_TO_L0B},
    {"L1 Read L0C", "518", 128, PATH_L0C_TO_L1},
    {"L1 Write GM", "4*19+518-524", 128, PATH_L1_TO_GM},
    {"L1 Read GM", "50-518", 256, PATH_GM_TO_L1},
};
static const struct request_row a2_l0a[] = {
    {"L0A Read MTE", "28", 256},
    {"L0A Write Cube", "27", 512},
    {"L0A Read L1/GM", "28", 256},
};
static const struct request_row a2_l0b[] = {
    {"L0B Read MTE", "34", 128},
    {"L0B Write Cube", "33", 512},
    {"L0B Read L1/GM", "34", 128},
};
static const struct request_row a2_cube[] = {
    {"Cube Read L0A", "27", 512},
    {"Cube Read L0B", "33", 512},
    {"Cube Write L0C", "42", 1024},
    {"Cube Read L0C", "40", 1024},
};
static const struct request_row a2_l0c[] = {
    {"L0C Read Cube", "42", 1024},
    {"L0C Write Cube", "40", 1024},
    {"L0C Write GM", "524-518", 128, PATH_L0C_TO_GM},
    {"L0C Write L1", "518", 128, PATH_L0C_TO_L1},
};

#define ROWS(rows) rows, COUNT(rows)

static const struct request_table a2_tables[] = {
    {"GM", "GM Cube", "GM Vector", UNIT_BOTH, false, ROWS(a2_gm)},
    {"UB", NULL, "UB", UNIT_VECTOR, true, ROWS(a2_ub)},
    {"Vector", NULL, "Vector", UNIT_VECTOR, false, ROWS(a2_vector)},
    {"L1", NULL, NULL, UNIT_CUBE, true, ROWS(a2_l1)},
    {"L0A", NULL, NULL, UNIT_CUBE, false, ROWS(a2_l0a)},
    {"L0B", NULL, NULL, UNIT_CUBE, false, ROWS(a2_l0b)},
    {"Cube", NULL, NULL, UNIT_CUBE, false, ROWS(a2_cube)},
    {"L0C", NULL, NULL, UNIT_CUBE, true, ROWS(a2_l0c)},
};

static const struct pipe_row a2_cube_pipes[] = {
    {"MTE1", "4", "770", "90", .bandwidth = cube_pipes_mte1},
    {"MTE2", "5", "12", "91", .bandwidth = cube_pipes_mte2},
    {"MTE3", "6", "13", "92", "4*19+518-524", 128},
    {"FIXP", "526", "771", NULL, "524", 128},
    {"Scalar", NULL, "9", "87", NULL, 0},
};
static const struct pipe_row a2_vector_pipes[] = {
    {"MTE2", "5", "12", "91", "62", 128},
    {"MTE3", "6", "13", "92", "61", 128},
    {"Scalar", NULL, "9", "87", NULL, 0},
};
static const struct pipe_row a2_only_vector_pipes[] = {
    {"MTE1", "4", "770", NULL, NULL, 0},  {"MTE2", "5", "12", "91", "62", 128},
    {"MTE3", "6", "13", "92", "61", 128}, {"FIXP", "526", "771", NULL, NULL, 0},
    {"Scalar", NULL, "9", "87", NULL, 0},
};
static const struct scalar_row a2_cube_scalars[] = {
    {"Scalar Time", "9"},         {"Scalar Single", "112"},
    {"Scalar Dual", "113"},       {"Scalar Mte1 Stall", "107"},
    {"Scalar Mte2 Stall", "108"}, {"Scalar Mte3 Stall", "109"},
    {"Scalar WAIT IB", "114"},    {"Scalar Wait", "87"},
    {"Scalar Cube Stall", "110"},
};
static const struct scalar_row a2_vector_scalars[] = {
    {"Scalar Time", "9"},           {"Scalar Single", "112"},
    {"Scalar Dual", "113"},         {"Scalar Mte2 Stall", "108"},
    {"Scalar Mte3 Stall", "109"},   {"Scalar WAIT IB", "114"},
    {"Scalar Wait", "87"},          {"Scalar Ub Stall", "106"},
    {"Scalar Vector Stall", "111"},
};

const struct memory_rows memory_rows_a2 = {
    ROWS(a2_tables),
    ROWS(a2_cube_pipes),
    ROWS(a2_vector_pipes),
    ROWS(a2_only_vector_pipes),
    ROWS(a2_cube_scalars),
    ROWS(a2_vector_scalars),
    "84",
    "85",
    true,
};

static const struct request_row p_l1[] = {
    {"L1 Read MTE", "50", 256},
    {"L1 Write MTE", "49", 512},
    {"L1 Read L0A/L0B/UB", "50", 256},
    {"L1 Write GM/UB", "49", 512},
};
static const struct request_row p_l0a[] = {
    {"L0A Read MTE", "28", 512},
    {"L0A Write Cube", "27", 512},
    {"L0A Read L1", "28", 512},
};
static const struct request_row p_l0b[] = {
    {"L0B Read MTE", "34", 128},
    {"L0B Write Cube", "33", 512},
    {"L0B Read L1", "34", 128},
};
static const struct request_row p_cube[] = {
    {"Cube Read L0A", "27", 512},
    {"Cube Read L0B", "33", 512},
    {"Cube Write L0C", "42", 1024},
};
static const struct request_row p_l0c[] = {
    {"L0C Read Cube", "42", 1024},
    {"L0C Write UB", "39", 256},
    {"L0C Read UB", "41", 256},
};
static const struct request_row p_ub[] = {
    {"UB Read MTE", "62", 16},     {"UB Write MTE", "61", 16},
    {"UB Read GM", "62", 16},      {"UB Write GM", "61", 16},
    {"UB Write Vector", "67", 32}, {"UB Read Vector", "68", 32},
    {"UB Read Scalar", "55", 16},  {"UB Write Scalar", "56", 16},
    {"UB Write L0C", "41", 256},   {"UB Read L0C", "39", 256},
};
static const struct request_row p_vector[] = {
    {"Vector Write UB", "68", 32},
    {"Vector Read UB", "67", 32},
};
static const struct request_row p_gm[] = {
    {"Read Main Memory", "18", 512},
    {"Write Main Memory", "19", 512},
};
static const struct request_table p_tables[] = {
    {"L1", NULL, NULL, UNIT_CUBE, false, ROWS(p_l1)},
    {"L0A", NULL, NULL, UNIT_CUBE, false, ROWS(p_l0a)},
    {"L0B", NULL, NULL, UNIT_CUBE, false, ROWS(p_l0b)},
    {"Cube", NULL, NULL, UNIT_CUBE, false, ROWS(p_cube)},
    {"L0C", NULL, NULL, UNIT_CUBE, false, ROWS(p_l0c)},
    {"UB", NULL, NULL, UNIT_CUBE, false, ROWS(p_ub)},
    {"Vector", NULL, NULL, UNIT_CUBE, false, ROWS(p_vector)},
    {"GM", NULL, NULL, UNIT_CUBE, false, ROWS(p_gm)},
};
static const struct pipe_row p_pipes[] = {
    {"MTE1", "4", "11", "90", NULL, 0},
    {"MTE2", "5", "12", "91", NULL, 0},
    {"MTE3", "6", "13", "92", NULL, 0},
    {"Scalar", NULL, "9", "87", NULL, 0},
};

const struct memory_rows memory_rows_310p = {
    ROWS(p_tables), ROWS(p_pipes), NULL,  0, NULL, 0, NULL, 0, NULL, 0,
    "84",           "85",          false,
};

static const struct request_row a5_gm[] = {
    {"Read Main Memory", "1058", 128, .recorded = "GM>UB/128+GM>REG/128"},
    {"Write Main Memory", "1059", 128, .recorded = "UB>GM/128+REG>GM/128"},
};
static const struct request_row a5_ub[] = {
    {"UB Read MTE", NULL, 256, PATH_L1_TO_UB, .recorded = "L1>UB/256"},
    {"UB Write MTE", NULL, 128, PATH_UB_TO_L1, .recorded = "UB>L1/128"},
    {"UB Read GM", "1058-1407-1408", 128, PATH_GM_TO_UB, .recorded = "GM>UB/128"},
    {"UB Read Vector", "1394", 256},
    {"UB Write Vector", "1393", 256},
    {"UB Read L0C", NULL, 128, PATH_L0C_TO_UB, .mix_only = true,
     .of_cube = {"1804", "1815"}},
};
static const struct request_row a5_vector[] = {
    {"Vector Write UB", "1394", 256},
    {"Vector Read UB", "1393", 256},
};
static const struct request_row a5_dcache[] = {
    {"DCache Read GM", "1407+1408", 128, .recorded = "GM>REG/128"},
    {"DCache Read Vector", "1397+1398+1400+1404", 128,
     .recorded = "REG>GM/128+REG>PRIVATE/128"},
    {"DCache Write Vector", "1395+1396+1404", 128,
     .recorded = "GM>REG/128+PRIVATE>REG/128"},
};
static const struct request_row a5_l1[] = {
    {"L1 Read MTE", "1801-1806", 256},
    {"L1 Write MTE", "1799", 256},
    {"L1 Write L0A/L0B", "1795+1797", 256, PATH_MTE_TO_L0A, PATH_MTE_TO_L0B},
    {"L1 Read L0C", "1806", 128, PATH_L0C_TO_L1},
    {"L1 Read GM", "1058", 128, PATH_GM_TO_L1},
    {"L1 Write UB", "1799-1795-1797", 256, PATH_L1_TO_UB, .mix_only = true},
    {"L1 Read UB", "1801-1806-1058/2", 256, PATH_UB_TO_L1, .mix_only = true},
};
static const struct request_row a5_l0a[] = {
    {"L0A Read MTE", "1795", 256, PATH_MTE_TO_L0A},
    {"L0A Write Cube", "772", 64},
    {"L0A Read L1/GM", "1795", 256, PATH_MTE_TO_L0A},
};
static const struct request_row a5_l0b[] = {
    {"L0B Read MTE", "1797", 256, PATH_MTE_TO_L0B},
    {"L0B Write Cube", "774", 256},
    {"L0B Read L1/GM", "1797", 256, PATH_MTE_TO_L0B},
};
static const struct request_row a5_cube[] = {
    {"Cube Read L0A", "772", 64},
    {"Cube Read L0B", "774", 256},
    {"Cube Write L0C", "776", 1024},
    {"Cube Read L0C", "778", 1024},
};
static const struct request_row a5_l0c[] = {
    {"L0C Read Cube", "776", 1024},
    {"L0C Write Cube", "778", 1024},
    {"L0C Write GM", "1059", 128, PATH_L0C_TO_GM},
    {"L0C Write L1", "1806", 128, PATH_L0C_TO_L1},
    {"L0C Write FIXP", "1804+1806+1815+1059", 128},
    {"L0C Write UB", "1804+1815", 128, PATH_L0C_TO_UB, .mix_only = true},
};
static const struct request_table a5_tables[] = {
    {"GM", "GM Cube", "GM Vector", UNIT_BOTH, false, ROWS(a5_gm)},
    {"UB", NULL, "UB", UNIT_VECTOR, true, ROWS(a5_ub)},
    {"Vector", NULL, "Vector", UNIT_VECTOR, false, ROWS(a5_vector)},
    {"DCache", NULL, "DCache", UNIT_VECTOR, false, ROWS(a5_dcache)},
    {"L1", NULL, NULL, UNIT_CUBE, true, ROWS(a5_l1)},
    {"L0A", NULL, NULL, UNIT_CUBE, true, ROWS(a5_l0a)},
    {"L0B", NULL, NULL, UNIT_CUBE, true, ROWS(a5_l0b)},
    {"Cube", NULL, NULL, UNIT_CUBE, false, ROWS(a5_cube)},
    {"L0C", NULL, NULL, UNIT_CUBE, true, ROWS(a5_l0c)},
};
static const struct pipe_row a5_cube_pipes[] = {
    {"MTE1", "1792", "1794", "13", "1799", 256},
    {"MTE2", "512", "514", "14", "1058", 128},
    {"MTE3", "513", "515", "15", "1801-1806-1058/2", 256},
    {"FIXP", "1813", "1812", "36", "1804+1806+1815+1059", 128},
    {"Scalar", "0", "1", "10", NULL, 0},
};
static const struct pipe_row a5_vector_pipes[] = {
    {"MTE2", "512", "514", "14", "1058-1407-1408", 128},
    {"MTE3", "513", "515", "15", "UB>GM", 1},
    {"Scalar", "0", "1", "10", NULL, 0},
};

const struct memory_rows memory_rows_a5 = {
    ROWS(a5_tables),
    ROWS(a5_cube_pipes),
    ROWS(a5_vector_pipes),
    ROWS(a5_vector_pipes),
    NULL,
    0,
    NULL,
    0,
    "52",
    "53",
    true,
};
