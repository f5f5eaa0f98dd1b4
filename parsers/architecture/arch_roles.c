#include "parsers/architecture/arch_roles.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/busy_time/intervals.h"

enum { RUNS_SHOWN = 40, KERNELS_SHOWN = 8 };

const char *arch_role_name(enum arch_role role)
{
    static const char *const names[] = {
        [ROLE_ATTENTION] = "attention",      [ROLE_PROJECTION] = "attention projection",
        [ROLE_TP_COMM] = "TP communication", [ROLE_ROUTING] = "MoE routing",
        [ROLE_DISPATCH] = "expert dispatch", [ROLE_EXPERT] = "expert FFN",
        [ROLE_NORM] = "post-MoE norm",       [ROLE_NEXT_LAYER] = "next-layer prep",
        [ROLE_EP_COMM] = "EP communication", [ROLE_SAMPLING] = "sampling",
        [ROLE_SMALL] = "small ops",
    };

    return names[role];
}

/* Places of the first kernels of a layer that divide it; count where there is none. */
struct landmarks {
    size_t comm, gate, experts;
};

static size_t first_of(const struct architecture *architecture,
                       const struct arch_layer *layer,
                       enum kernel_feature feature)
{
    size_t i = 0;

    while (i < layer->count &&
           !kernel_features_has(architecture->features,
                                architecture_kernel(architecture, layer->first + i),
                                feature))
        i++;
    return i;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_next(const struct architecture *architecture,
                    const struct arch_layer *layer,
                    size_t i,
                    enum kernel_feature feature)
{
    return i + 1 < layer->count &&
           kernel_features_has(architecture->features,
                               architecture_kernel(architecture, layer->first + i + 1),
                               feature);
}

/* The rules of a role, in their order; the first that applies decides. */
static enum arch_role role_of(const struct architecture *architecture,
                              const struct arch_layer *layer,
                              const struct landmarks *marks,
                              size_t i)
{
    const struct kernel_features *features = architecture->features;
    const struct kernel *kernel = architecture_kernel(architecture, layer->first + i);
    bool is_moe = marks->experts < layer->count || marks->gate < layer->count;
    bool is_matmul = kernel_features_has(features, kernel, FEATURE_MATMUL);
    bool is_norm = kernel_features_has(features, kernel, FEATURE_NORM);
    bool before_gate = is_next(architecture, layer, i, FEATURE_GATE) ||
                       (is_next(architecture, layer, i, FEATURE_MATMUL) &&
                        is_next(architecture, layer, i + 1, FEATURE_GATE));
    bool before_prep = is_next(architecture, layer, i, FEATURE_SPLIT_QKV) ||
                       is_next(architecture, layer, i, FEATURE_CACHE);
    const struct {
        bool applies;
        enum arch_role role;
    } rules[] = {
        {i == 0 && (kernel_features_has(features, kernel, FEATURE_FIA) ||
                    kernel_features_has(features, kernel, FEATURE_ATTENTION) ||
                    kernel_features_has(features, kernel, FEATURE_ATTENTION_GRAD)),
         ROLE_ATTENTION},
        {(is_matmul || kernel_features_has(features, kernel, FEATURE_MOVE)) &&
             i < marks->comm && i < smaller(marks->gate, marks->experts) &&
             !before_gate && !before_prep && architecture->has_fia,
         ROLE_PROJECTION},
        {kernel_features_has(features, kernel, FEATURE_TP_COMM), ROLE_TP_COMM},
        {kernel_features_has(features, kernel, FEATURE_GATE) ||
             (is_moe && kernel_features_has(features, kernel, FEATURE_ROUTING)) ||
             ((is_matmul || is_norm) && before_gate),
         ROLE_ROUTING},
        {kernel_features_has(features, kernel, FEATURE_DFC) ||
             kernel_features_has(features, kernel, FEATURE_GMM),
         ROLE_DISPATCH},
        {is_moe && i > smaller(marks->gate, marks->experts) &&
             kernel_features_has(features, kernel, FEATURE_EXPERT_FFN),
         ROLE_EXPERT},
        {is_norm, ROLE_NORM},
        {kernel_features_has(features, kernel, FEATURE_SPLIT_QKV) ||
             kernel_features_has(features, kernel, FEATURE_CACHE) ||
             (is_matmul && before_prep),
         ROLE_NEXT_LAYER},
        {kernel_features_has(features, kernel, FEATURE_ALLTOALL) ||
             kernel_features_has(features, kernel, FEATURE_AIV),
         ROLE_EP_COMM},
        {kernel_features_has(features, kernel, FEATURE_SAMPLING), ROLE_SAMPLING},
    };

    for (size_t rule = 0; rule < COUNT(rules); rule++)
        if (rules[rule].applies)
            return rules[rule].role;
    return ROLE_SMALL;
}

void arch_roles_find(const struct architecture *architecture,
                     const struct arch_layer *layer,
                     enum arch_role *roles)
{
    struct landmarks marks = {
        .comm = first_of(architecture, layer, FEATURE_TP_COMM),
        .gate = first_of(architecture, layer, FEATURE_GATE),
        .experts = smaller(first_of(architecture, layer, FEATURE_DFC),
                           first_of(architecture, layer, FEATURE_GMM)),
    };

    for (size_t i = 0; i < layer->count; i++)
        roles[i] = role_of(architecture, layer, &marks, i);
}

/* Returns the name whose kernels of the role take longest. */
static uint32_t largest_of(const struct architecture *architecture,
                           const struct arch_layer *layer,
                           const enum arch_role *roles,
                           enum arch_role role)
{
    uint32_t best = 0;
    int64_t most = -1;

    for (size_t i = 0; i < layer->count; i++) {
        uint32_t name = architecture_kernel(architecture, layer->first + i)->name;
        int64_t sum = 0;

        if (roles[i] != role)
            continue;
        for (size_t j = 0; j < layer->count; j++) {
            const struct kernel *other =
                architecture_kernel(architecture, layer->first + j);

            if (roles[j] == role && other->name == name)
                sum += kernel_duration(other);
        }
        if (sum > most) {
            most = sum;
            best = name;
        }
    }
    return best;
}

void arch_roles_measure(const struct architecture *architecture,
                        const struct arch_layer *layer,
                        struct arch_role_time times[ROLE_COUNT])
{
    enum arch_role *roles = xcalloc(layer->count + 1, sizeof(*roles));

    arch_roles_find(architecture, layer, roles);
    for (enum arch_role role = 0; role < ROLE_COUNT; role++) {
        struct intervals set = {0};

        times[role] = (struct arch_role_time){0};
        for (size_t i = 0; i < layer->count; i++) {
            const struct kernel *kernel =
                architecture_kernel(architecture, layer->first + i);

            if (roles[i] != role)
                continue;
            times[role].kernels++;
            times[role].sum += kernel_duration(kernel);
            intervals_add(&set, kernel->start, kernel->end);
        }
        intervals_merge(&set);
        times[role].wall = intervals_length(&set);
        times[role].largest = largest_of(architecture, layer, roles, role);
        intervals_clear(&set);
    }
    free(roles);
}

/* Returns the token of a kernel, which is shorter than its name. */
static const char *token_at(const struct architecture *architecture, size_t row)
{
    const struct analysis *analysis = architecture->analysis;

    return names_text(analysis->input->names,
                      analysis->tokens[architecture->rows[row]]);
}

/* Adds "TensorMove×2 → MatMulV3" for the kernels [first, end). */
static void draw_run(struct text *out,
                     const struct architecture *architecture,
                     size_t first,
                     size_t end)
{
    size_t shown = 0;

    for (size_t i = first, next; i < end; i = next) {
        const char *token = token_at(architecture, i);

        for (next = i + 1;
             next < end && strcmp(token_at(architecture, next), token) == 0;)
            next++;
        if (shown++ == KERNELS_SHOWN) {
            text_printf(out, " → … %zu more", end - i);
            return;
        }
        text_printf(out, "%s%s", i > first ? " → " : "", token);
        if (next - i > 1)
            text_printf(out, "×%zu", next - i);
    }
}

static bool overlaps_others(const struct architecture *architecture,
                            const struct arch_layer *layer,
                            size_t first,
                            size_t end)
{
    const struct kernel *from = architecture_kernel(architecture, first);
    int64_t to = architecture_kernel(architecture, end - 1)->end;

    for (size_t i = layer->first; i < layer->first + layer->count; i++) {
        const struct kernel *other = architecture_kernel(architecture, i);

        if ((i < first || i >= end) && other->start < to && other->end > from->start)
            return true;
    }
    return false;
}

void arch_roles_draw(struct text *out,
                     const struct architecture *architecture,
                     const struct arch_layer *layer)
{
    enum arch_role *roles = xcalloc(layer->count + 1, sizeof(*roles));
    int32_t main_stream = architecture_kernel(architecture, layer->first)->stream;
    size_t runs = 0;

    arch_roles_find(architecture, layer, roles);
    text_printf(out, "%s (%.2f ms)\n",
                architecture->has_fia ? "FIA" : token_at(architecture, layer->first),
                ns_to_ms(layer->attention));
    for (size_t i = 1, next; i < layer->count; i = next) {
        const struct kernel *kernel =
            architecture_kernel(architecture, layer->first + i);
        int64_t sum = 0;
        bool is_last;

        for (next = i; next < layer->count && roles[next] == roles[i]; next++)
            sum +=
                kernel_duration(architecture_kernel(architecture, layer->first + next));
        is_last = next == layer->count || runs + 1 == RUNS_SHOWN;
        text_printf(out, "%s %s: ", is_last ? "└─" : "├─", arch_role_name(roles[i]));
        draw_run(out, architecture, layer->first + i, layer->first + next);
        text_printf(out, " (%.3f ms", ns_to_ms(sum));
        if (kernel->stream >= 0 && kernel->stream != main_stream)
            text_printf(out, ", stream %d", (int)kernel->stream);
        if (overlaps_others(architecture, layer, layer->first + i, layer->first + next))
            text_add(out, ", overlapped");
        text_add(out, ")\n");
        if (++runs == RUNS_SHOWN && next < layer->count) {
            text_printf(out, "   … %zu more kernels\n", layer->count - next);
            break;
        }
    }
    free(roles);
}
