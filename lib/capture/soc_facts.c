#include "lib/capture/soc_facts.h"

#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Source: the clocks are those of the vendor's simulator, the cores those that the
 * vendor's drivers report. A longer prefix comes before a shorter one. */
static const struct {
    const char *prefix;
    struct soc_facts facts;
} rows[] = {
    {"Ascend910B1", {1850, 24}},     {"Ascend910B2", {1800, 24}},
    {"Ascend910B3", {1800, 20}},     {"Ascend910B4", {1650, 20}},
    {"Ascend910_9362", {1850, 20}},  {"Ascend910_9372", {1850, 20}},
    {"Ascend310P3", {1060, 8}},      {"Ascend310P5", {800, 10}},
    {"Ascend310P7", {550, 10}},      {"Ascend310P", {1060, 10}},
    {"Ascend310B4", {500, 24}},      {"Ascend310B", {1224, 24}},
    {"Ascend950PR_959", {1800, 32}}, {"Ascend950DT_959", {1800, 32}},
    {"Ascend950PR_95A", {1800, 32}}, {"Ascend950DT_95A", {1800, 32}},
    {"Ascend950", {1650, 32}},
};

/* The names of soc_simulated_names(), each in full. */
static const char *const simulated[] = {
    "Ascend910B1",    "Ascend910B2",      "Ascend910B2C",     "Ascend910B3",
    "Ascend910B4",    "Ascend910B4-1",    "Ascend910_9391",   "Ascend910_9392",
    "Ascend910_9381", "Ascend910_9382",   "Ascend910_9372",   "Ascend910_9362",
    "Ascend310P3",    "Ascend950PR_9589", "Ascend950PR_9599",
};

/* The usual model of each family comes before the others. All of them are simulated. */
static const char *const models[] = {"Ascend910B2",     "Ascend910B1",    "Ascend910B3",
                                     "Ascend910B4",     "Ascend910_9391", "Ascend310P3",
                                     "Ascend950PR_9589"};

struct soc_facts soc_facts_of(const char *soc)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (text_has_prefix(soc, rows[i].prefix))
            return rows[i].facts;
    return (struct soc_facts){1850, 24};
}

const char *soc_first_match(const char *pattern)
{
    for (size_t i = 0; i < COUNT(models); i++)
        if (text_matches(models[i], pattern))
            return models[i];
    return NULL;
}

const char *soc_simulated_at(size_t index)
{
    return index < COUNT(simulated) ? simulated[index] : NULL;
}

/* e2e/rows compares this text with that of the simulator. */
const char *soc_simulated_names(void)
{
    return "Ascend910B1 B2 B2C B3 B4 B4-1, Ascend910_9391 _9392 _9381 _9382 _9372 "
           "_9362, Ascend310P3, Ascend950PR_9589 _9599";
}
