#include "parsers/visualize/roofline_rows.h"

#include <string.h>

#include "lib/base/mem.h"

/* Members that a row leaves out are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const struct roofline_line a2_unit_cube[] = {
    {"L1 Read + Write", "256*50-128*518+256*49", 512, {0}, false},
    {"Write to L1", "256*50-128*518", 256, {0}, false},
    {"Read from L1", "256*49", 256, {0}, false},
    {"Write to L0A", "256*28", 256, {0}, false},
    {"Write to L0B", "128*34", 128, {0}, false},
    {"Read from L0C", "128*524", 128, {0}, false},
};
static const struct roofline_line a2_unit_vector[] = {
    {"UB Read + Write", "128*61+128*62+256*67+256*68", 512, {0}, false},
    {"Read from UB", "128*61", 128, {0}, false},
    {"Write to UB", "128*62", 128, {0}, false},
    {"Vector Read UB", "256*67", 512, {0}, false},
    {"Vector Write UB", "256*68", 512, {0}, false},
};
static const struct roofline_line a2_pipe_cube[] = {
    {"MTE1",
     "256*49-512*19-128*518+128*524",
     0,
     {PATH_MTE_TO_L0A, PATH_MTE_TO_L0B},
     false,
     {"256*28", "128*34"}},
    {"MTE2",
     "256*28+128*34+256*50-256*518-512*19-128*518+128*524",
     0,
     {PATH_MTE2_WRITE},
     false},
    {"MTE3", "128*1292-128*524+128*518", 0, {PATH_L1_TO_GM}, false},
    {"FIXP",
     "128*524",
     0,
     {PATH_L0C_TO_L1, PATH_L0C_TO_GM},
     false,
     {"128*518", "128*524-128*518"}},
};
static const struct roofline_line a2_pipe_vector[] = {
    {"MTE2", "128*62", 0, {PATH_GM_TO_UB}, false},
    {"MTE3", "128*61", 0, {PATH_UB_TO_GM}, false},
};
static const struct roofline_line a2_transfer_cube[] = {
    {"L1 to GM", "512*19+128*518-128*524", 0, {PATH_L1_TO_GM}, false},
    {"L0C to GM", "128*524-128*518", 0, {PATH_L0C_TO_GM}, false},
    {"L0C to L1", "128*518", 0, {PATH_L0C_TO_L1}, false},
    {"GM/L1 to L0A", "256*28", 0, {PATH_MTE_TO_L0A}, false},
    {"GM/L1 to L0B", "128*34", 0, {PATH_MTE_TO_L0B}, false},
};
static const struct roofline_line a2_transfer_vector[] = {
    {"UB to GM", "128*61", 0, {PATH_UB_TO_GM}, false},
    {"GM to UB", "128*62", 0, {PATH_GM_TO_UB}, false},
};
static const struct roofline_line p_unit_cube[] = {
    {"L1 Read + Write", "256*50+512*49", 768, {0}, false},
    {"Write to L1", "256*50", 256, {0}, false},
    {"Read from L1", "512*49", 128, {0}, false},
    {"Write to L0A", "256*28", 256, {0}, false},
    {"Write to L0B", "128*34", 128, {0}, false},
    {"Read from L0C", "512*44", 512, {0}, false},
};
static const struct roofline_line p_unit_vector[] = {
    {"UB Read + Write", "16*61+16*62+16*67+16*68", 256, {0}, false},
    {"Read from UB", "16*61", 128, {0}, false},
    {"Write to UB", "16*62", 128, {0}, false},
    {"Vector Read UB", "16*67", 512, {0}, false},
    {"Vector Write UB", "16*68", 512, {0}, false},
};

#define A5_L0C "128*1804+128*1815+128*1806+128*1059"
static const struct roofline_line a5_unit_cube[] = {
    {"L1 Read + Write", "256*1801+128*1806+256*1799", 512, {0}, false},
    {"Write to L1", "256*1801+128*1806", 256, {0}, false},
    {"Read from L1", "256*1799", 256, {0}, false},
    {"Write to L0A", "256*1795", 0, {PATH_MTE_TO_L0A}, false},
    {"Write to L0B", "256*1797", 0, {PATH_MTE_TO_L0B}, false},
    {"Read from L0C", A5_L0C, 512, {0}, false},
};
static const struct roofline_line a5_unit_vector[] = {
    {"SIMT VF", "128*1407+128*1408+128*1397+128*1398", 128, {0}, false},
};
static const struct roofline_line a5_pipe_cube[] = {
    {"MTE1", "256*1799", 0, {PATH_MTE_TO_L0A, PATH_MTE_TO_L0B, PATH_L1_TO_UB}, true},
    {"MTE2", "128*1058", 0, {PATH_GM_TO_L1}, false},
    {"MTE3", "256*1801-256*1806-256*1058/2", 0, {PATH_UB_TO_L1}, false},
    {"FIXP", A5_L0C, 0, {PATH_L0C_TO_L1, PATH_L0C_TO_GM, PATH_L0C_TO_UB}, true},
};
static const struct roofline_line a5_transfer_cube[] = {
    {"L0C to GM", "128*1059", 0, {PATH_L0C_TO_GM}, false},
    {"L0C to L1", "128*1806", 0, {PATH_L0C_TO_L1}, false},
    {"GM/L1 to L0A", "256*1795", 0, {PATH_MTE_TO_L0A}, false},
    {"GM/L1 to L0B", "256*1797", 0, {PATH_MTE_TO_L0B}, false},
};

/* Terms that the vendor's tool has not yet added when it draws a line. */
static const struct {
    const char *terms, *vendor;
} late[] = {
    {"256*28+128*34+256*50-256*518-512*19-128*518+128*524",
     "256*50-256*518-512*19-128*518+128*524"},
    {"256*28", ""},
    {"128*34", ""},
    {"128*518", ""},
    {"128*524-128*518", ""},
};

#define LINES(lines) lines, COUNT(lines)

static const struct roofline_chart charts[] = {
    {"Memory Unit(Cube)", ROOFLINE_A2, CORE_AIC, LINES(a2_unit_cube), false},
    {"Memory Unit(Vector)", ROOFLINE_A2, CORE_AIV, LINES(a2_unit_vector), false},
    {"Pipeline(Cube)", ROOFLINE_A2, CORE_AIC, LINES(a2_pipe_cube), false},
    {"Pipeline(Vector)", ROOFLINE_A2, CORE_AIV, LINES(a2_pipe_vector), false},
    {"Memory Transfer(Cube)", ROOFLINE_A2, CORE_AIC, LINES(a2_transfer_cube), false},
    {"Memory Transfer(Vector)", ROOFLINE_A2, CORE_AIV, LINES(a2_transfer_vector),
     false},
    {"Memory Unit", ROOFLINE_310P, CORE_AIC, LINES(p_unit_cube), false},
    {"Memory Unit", ROOFLINE_310P, CORE_AIV, LINES(p_unit_vector), true},
    {"Memory Unit(Cube)", ROOFLINE_A5, CORE_AIC, LINES(a5_unit_cube), false},
    {"Memory Unit(Vector)", ROOFLINE_A5, CORE_AIV, LINES(a5_unit_vector), false},
    {"Pipeline(Cube)", ROOFLINE_A5, CORE_AIC, LINES(a5_pipe_cube), false},
    {"Memory Transfer(Cube)", ROOFLINE_A5, CORE_AIC, LINES(a5_transfer_cube), false},
};

const struct roofline_chart *roofline_charts(size_t *count)
{
    *count = COUNT(charts);
    return charts;
}

const char *roofline_terms_of_vendor(const char *terms)
{
    for (size_t i = 0; i < COUNT(late); i++)
        if (strcmp(late[i].terms, terms) == 0)
            return late[i].vendor;
    return terms;
}
