/* arch_roles.h - the purpose of each kernel of a layer, and their tree */
#ifndef PARSERS_ARCHITECTURE_ARCH_ROLES_H
#define PARSERS_ARCHITECTURE_ARCH_ROLES_H

#include "lib/base/text.h"
#include "parsers/architecture/architecture.h"

enum arch_role {
    ROLE_ATTENTION,
    ROLE_PROJECTION,
    ROLE_TP_COMM,
    ROLE_ROUTING,
    ROLE_DISPATCH,
    ROLE_EXPERT,
    ROLE_NORM,
    ROLE_NEXT_LAYER,
    ROLE_EP_COMM,
    ROLE_SAMPLING,
    ROLE_SMALL,
    ROLE_COUNT,
};

struct arch_role_time {
    size_t kernels;
    int64_t wall; /* union of its kernels, ns */
    int64_t sum;
    uint32_t largest; /* name of the kernel with the longest sum */
};

const char *arch_role_name(enum arch_role role);
/* Sets roles[i] of the kernels of a layer. */
void arch_roles_find(const struct architecture *architecture,
                     const struct arch_layer *layer,
                     enum arch_role *roles);
void arch_roles_measure(const struct architecture *architecture,
                        const struct arch_layer *layer,
                        struct arch_role_time times[ROLE_COUNT]);
/* Adds the tree of a layer: a line per run of kernels of a role. */
void arch_roles_draw(struct text *out,
                     const struct architecture *architecture,
                     const struct arch_layer *layer);

#endif
