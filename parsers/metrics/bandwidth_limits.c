#include "parsers/metrics/bandwidth_limits.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { MAKER_CJ = 88, MAKER_DEFAULT = 0 };

static const struct row {
    const char *soc; /* prefix of the chip's name */
    uint32_t maker;
    double gm, l2; /* TB/s */
    double paths[PATH_END];
} rows[] = {
    /* clang-format off: path 0, then GM_TO_L1 ... in the order of enum path */
    {"Ascend910B1",
     MAKER_DEFAULT,
     1.8,
     8,
     {0, 264, 199.43, 216.88, 209.32, 220.06, 186.8, 437.5, 210.5, 340.1}},
    {"Ascend910B1",
     MAKER_CJ,
     1.34,
     7.4,
     {0, 296, 187.72, 220.48, 202.41, 219.14, 197.82, 439.32, 220.10, 302.32}},
    {"Ascend910B2",
     MAKER_DEFAULT,
     1.75,
     7.78,
     {0, 256.86, 193.99, 211.00, 203.66, 214.11, 181.75, 425.68, 204.81, 330.91}},
    {"Ascend910B2",
     MAKER_CJ,
     1.3,
     7.2,
     {0, 288.00, 182.65, 214.52, 196.94, 213.22, 192.47, 427.45, 214.15, 294.15}},
    {"Ascend910B3",
     MAKER_DEFAULT,
     1.75,
     7.78,
     {0, 256.86, 193.99, 211.00, 203.66, 214.11, 181.75, 425.68, 204.81, 330.91}},
    {"Ascend910B3",
     MAKER_CJ,
     1.3,
     7.2,
     {0, 288.00, 182.65, 214.52, 196.94, 213.22, 192.47, 427.45, 214.15, 294.15}},
    {"Ascend910B4",
     MAKER_DEFAULT,
     0.8,
     4,
     {0, 222, 189.89, 190.7, 190.7, 195.27, 176.75, 368.2, 173.81, 222.17}},
    {"Ascend910B4",
     MAKER_CJ,
     1.25,
     6.3,
     {0, 274, 182.07, 196.27, 189.08, 195.52, 176.06, 391.82, 196.3, 274}},
    /* clang-format on */
};

/* 958x, 957x, 950x */
static const struct row row_950 = {"Ascend950",
                                   MAKER_DEFAULT,
                                   1.6,
                                   8.8,
                                   {0, 162.77, 131.81, 377.80, 130.21, 163.13, 131.76,
                                    377.76, 377.77, 0, 189.02, 188.99, 188.99}};

/* 959x, 95Ax */
static const struct row row_959 = {"Ascend950",
                                   MAKER_DEFAULT,
                                   1.6,
                                   8.8,
                                   {0, 177.57, 143.79, 412.15, 142.05, 177.96, 143.74,
                                    412.10, 412.11, 0, 206.20, 206.18, 206.18}};

static const struct row *find_950(const char *soc)
{
    const char *model = strchr(soc, '_');

    if (!model)
        return NULL;
    if (text_has_prefix(model, "_958") || text_has_prefix(model, "_957") ||
        text_has_prefix(model, "_950"))
        return &row_950;
    if (text_has_prefix(model, "_959") || text_has_prefix(model, "_95A"))
        return &row_959;
    return NULL;
}

static const struct row *find_row(const char *soc, uint32_t maker, bool as_vendor)
{
    const struct row *default_row = NULL;

    if (text_has_prefix(soc, "Ascend950"))
        return find_950(soc);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!text_has_prefix(soc, rows[i].soc))
            continue;
        if (rows[i].maker == maker)
            return &rows[i];
        if (rows[i].maker == MAKER_DEFAULT)
            default_row = &rows[i];
    }
    return as_vendor && text_has_prefix(soc, "Ascend910") ? &rows[0] : default_row;
}

const double *
bandwidth_limits_of_paths(const char *soc, uint32_t hbm_maker, bool as_vendor)
{
    static const double unknown[PATH_END];
    const struct row *row = find_row(soc, hbm_maker, as_vendor);

    return row ? row->paths : unknown;
}

struct memory_limits
bandwidth_limits_of_memory(const char *soc, uint32_t hbm_maker, bool as_vendor)
{
    const struct row *row = find_row(soc, hbm_maker, as_vendor);

    if (!row && as_vendor)
        row = text_has_prefix(soc, "Ascend950") ? &row_959 : &rows[0];
    return row ? (struct memory_limits){row->gm, row->l2} : (struct memory_limits){0};
}
