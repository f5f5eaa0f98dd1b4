#include "sim/fused/shared/table.h"

#include <acl/acl.h>
#include <string.h>

/* the ways of operators.def */
#define S MC2_SERVER
#define W MC2_WINDOW
#define L MC2_LOCAL
#define N MC2_NOWHERE

enum chip { CHIP_310P, CHIP_A2, CHIP_A3, CHIP_950, CHIPS };

static const struct {
    const char *op;
    enum mc2_way way[CHIPS];
} rows[] = {
#define FUSED(op, source, on_310p, on_a2, on_a3, on_950)                               \
    {#op, {on_310p, on_a2, on_a3, on_950}},
#include "sim/fused/operators.def"
#undef FUSED
};

static enum chip chip_of(const char *soc)
{
    static const struct {
        const char *prefix;
        enum chip chip;
    } chips[] = {
        {"Ascend910_93", CHIP_A3},
        {"Ascend910B", CHIP_A2},
        {"Ascend310P", CHIP_310P},
        {"Ascend950", CHIP_950},
    };

    for (size_t i = 0; soc && i < sizeof(chips) / sizeof(chips[0]); i++)
        if (!strncmp(soc, chips[i].prefix, strlen(chips[i].prefix)))
            return chips[i].chip;
    return CHIP_A2;
}

enum mc2_way table_way(const char *op)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!strcmp(rows[i].op, op))
            return rows[i].way[chip_of(aclrtGetSocName())];
    return MC2_NOWHERE;
}

const char *table_type(const char *op, const char *on_950)
{
    return chip_of(aclrtGetSocName()) == CHIP_950 ? on_950 : op;
}
