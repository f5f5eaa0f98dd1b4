#include "lib/wire/refusals.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { WHO_SIZE = 64 };

struct kind {
    uint64_t count;
    size_t callers;
    char who[REFUSALS_CALLERS][WHO_SIZE];
};

struct refusals {
    refusal_fn *first;
    void *arg;
    struct kind kinds[REFUSAL_KINDS];
};

static const char *const words[REFUSAL_KINDS] = {
    [REFUSAL_KEY] = "unknown-key",           [REFUSAL_WITHDRAWN] = "withdrawn-key",
    [REFUSAL_CUT_OFF] = "cut-off",           [REFUSAL_BROKEN_OFF] = "broken-off",
    [REFUSAL_MALFORMED] = "malformed-frame", [REFUSAL_MESSAGE] = "unusable-message",
    [REFUSAL_ROLE] = "wrong-role",
};

struct refusals *refusals_create(void)
{
    return xcalloc(1, sizeof(struct refusals));
}

void refusals_destroy(struct refusals *refusals)
{
    free(refusals);
}

void refusals_tell(struct refusals *refusals, refusal_fn *first, void *arg)
{
    refusals->first = first;
    refusals->arg = arg;
}

static bool is_known(const struct kind *kind, const char *who)
{
    for (size_t i = 0; i < kind->callers; i++)
        if (!strncmp(kind->who[i], who, WHO_SIZE - 1))
            return true;
    return false;
}

void refusals_add(struct refusals *refusals, enum refusal which, const char *who)
{
    struct kind *kind = &refusals->kinds[which];

    kind->count++;
    if (kind->callers == REFUSALS_CALLERS || is_known(kind, who))
        return;
    snprintf(kind->who[kind->callers++], WHO_SIZE, "%s", who);
    if (refusals->first)
        refusals->first(which, who, refusals->arg);
}

void refusals_take_back(struct refusals *refusals, enum refusal which)
{
    if (refusals->kinds[which].count > 0)
        refusals->kinds[which].count--;
}

uint64_t refusals_count(const struct refusals *refusals, enum refusal kind)
{
    return refusals->kinds[kind].count;
}

const char *refusal_kind_word(enum refusal kind)
{
    return words[kind];
}
