#include "parsers/metrics/l2_model.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const struct {
    const char *soc;
    size_t sets;
} chips[] = {
    {"Ascend910B1", 16384},    {"Ascend910B2", 16384},    {"Ascend910B2C", 16384},
    {"Ascend910B3", 16384},    {"Ascend910B4", 8192},     {"Ascend910B4-1", 14336},
    {"Ascend910_9362", 14336}, {"Ascend910_9372", 16384}, {"Ascend910_9381", 16384},
    {"Ascend910_9382", 16384}, {"Ascend910_9391", 16384}, {"Ascend910_9392", 16384},
};

/* bit in the number of a line (address / 512 + 1): the line was stored to */
#define DIRTY (1ull << 63)

struct l2_model {
    size_t sets;
    uint64_t *lines; /* per set, most recently used first; line number, 0: empty */
};

struct l2_model *l2_model_create(const char *soc)
{
    for (size_t i = 0; i < COUNT(chips); i++)
        if (strcmp(soc, chips[i].soc) == 0) {
            struct l2_model *model = xcalloc(1, sizeof(*model));

            model->sets = chips[i].sets;
            model->lines = xcalloc(model->sets * L2_WAYS, sizeof(uint64_t));
            return model;
        }
    return NULL;
}

void l2_model_destroy(struct l2_model *model)
{
    if (!model)
        return;
    free(model->lines);
    free(model);
}

size_t l2_model_sets(const struct l2_model *model)
{
    return model->sets;
}

struct l2_access
l2_model_access(struct l2_model *model, uint64_t address, bool is_store)
{
    uint64_t line = address / L2_LINE_BYTES + 1, *ways, found;
    struct l2_access access = {.set = (size_t)((line - 1) % model->sets)};
    size_t at = 0;

    ways = model->lines + access.set * L2_WAYS;
    while (at < L2_WAYS - 1 && (ways[at] & ~DIRTY) != line)
        at++;
    found = ways[at];
    access.is_hit = (found & ~DIRTY) == line;
    access.evicts = !access.is_hit && found != 0;
    access.writes_back = access.evicts && (found & DIRTY);
    memmove(ways + 1, ways, at * sizeof(*ways));
    ways[0] = line | (is_store || (access.is_hit && (found & DIRTY)) ? DIRTY : 0);
    return access;
}
