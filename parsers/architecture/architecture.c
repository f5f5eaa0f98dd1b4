#include "parsers/architecture/architecture.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/architecture/arch_phases.h"

const char *arch_phase_name(enum arch_phase phase)
{
    static const char *const names[] = {
        [PHASE_PREFILL] = "prefill",
        [PHASE_DECODE] = "decode",
        [PHASE_FORWARD] = "forward",
        [PHASE_BACKWARD] = "backward",
    };

    return names[phase];
}

const struct kernel *architecture_kernel(const struct architecture *architecture,
                                         size_t row)
{
    return &architecture->analysis->input->kernels.rows[architecture->rows[row]];
}

size_t architecture_count(const struct architecture *architecture,
                          size_t first,
                          size_t count,
                          enum kernel_feature feature)
{
    size_t found = 0;

    for (size_t i = first; i < first + count; i++)
        found += kernel_features_has(architecture->features,
                                     architecture_kernel(architecture, i), feature);
    return found;
}

static bool
has(const struct architecture *architecture, size_t row, enum kernel_feature feature)
{
    return kernel_features_has(architecture->features,
                               architecture_kernel(architecture, row), feature);
}

/* Lists all kernels of the capture without shadows. */
static void list_rows(struct architecture *architecture)
{
    const struct kernel_list *kernels = &architecture->analysis->input->kernels;

    architecture->rows = xcalloc(kernels->count + 1, sizeof(size_t));
    for (size_t i = 0; i < kernels->count; i++)
        if (!kernels->rows[i].is_shadow)
            architecture->rows[architecture->row_count++] = i;
}

static int64_t
end_of(const struct architecture *architecture, size_t first, size_t count)
{
    int64_t end = 0;

    for (size_t i = first; i < first + count; i++)
        if (i == first || architecture_kernel(architecture, i)->end > end)
            end = architecture_kernel(architecture, i)->end;
    return end;
}

static void add_layer(struct architecture *architecture,
                      enum arch_phase phase,
                      size_t first,
                      size_t count)
{
    const struct kernel *kernel = architecture_kernel(architecture, first);

    architecture->layers =
        xreallocarray(architecture->layers, architecture->layer_count + 1,
                      sizeof(*architecture->layers));
    architecture->layers[architecture->layer_count++] =
        (struct arch_layer){.phase = phase,
                            .first = first,
                            .count = count,
                            .start = kernel->start,
                            .end = end_of(architecture, first, count),
                            .attention = kernel_duration(kernel)};
}

static void add_pass(struct architecture *architecture, size_t first_layer)
{
    architecture->passes =
        xreallocarray(architecture->passes, architecture->pass_count + 1,
                      sizeof(*architecture->passes));
    architecture->passes[architecture->pass_count++] =
        (struct arch_pass){.first = first_layer};
}

/* Reads the first number of the shapes "32,3,224;1". */
static double queries_of(const struct architecture *architecture,
                         const struct kernel *kernel)
{
    const char *shapes =
        names_text(architecture->analysis->input->names, kernel->shapes);

    return strtod(shapes, NULL);
}

static struct arch_attention *
list_attention(const struct architecture *architecture, size_t **places, size_t *count)
{
    struct arch_attention *rows = xcalloc(architecture->row_count + 1, sizeof(*rows));
    bool sampled = false;

    *places = xcalloc(architecture->row_count + 1, sizeof(**places));
    *count = 0;
    for (size_t i = 0; i < architecture->row_count; i++) {
        const struct kernel *kernel = architecture_kernel(architecture, i);

        sampled |= has(architecture, i, FEATURE_SAMPLING_END);
        if (!has(architecture, i, FEATURE_FIA))
            continue;
        (*places)[*count] = i;
        rows[(*count)++] =
            (struct arch_attention){.start = kernel->start,
                                    .duration = kernel_duration(kernel),
                                    .queries = queries_of(architecture, kernel),
                                    .samples_before = sampled};
        sampled = false;
    }
    return rows;
}

/* A layer lasts until the next FIA, the last one of all to the last kernel. */
static void find_inference(struct architecture *architecture)
{
    size_t *places, count;
    struct arch_attention *rows = list_attention(architecture, &places, &count);
    bool *begins = xcalloc(count + 1, sizeof(*begins));

    architecture->phases_are_sure = arch_phases_find(rows, count);
    arch_passes_find(rows, count, begins);
    for (size_t i = 0; i < count; i++) {
        size_t next = i + 1 < count ? places[i + 1] : architecture->row_count;

        if (begins[i])
            add_pass(architecture, i);
        add_layer(architecture, rows[i].is_prefill ? PHASE_PREFILL : PHASE_DECODE,
                  places[i], next - places[i]);
    }
    free(rows);
    free(places);
    free(begins);
}

/* Uses the layers of the first step of the dominant group. */
static void find_training(struct architecture *architecture)
{
    const struct analysis *analysis = architecture->analysis;
    const struct structures *structures =
        &analysis->steps[analysis->groups[0].steps[0]].structures;
    bool begins = true;

    architecture->row_count = structures->kernel_count;
    architecture->rows =
        xmemdup(structures->kernels, (structures->kernel_count + 1) * sizeof(size_t));
    for (size_t i = 0; i < structures->count; i++) {
        const struct structure *row = &structures->rows[i];
        enum arch_phase phase =
            row->kind == STRUCTURE_LAYER ? PHASE_FORWARD : PHASE_BACKWARD;

        if (row->count == 0 ||
            (row->kind != STRUCTURE_LAYER && row->kind != STRUCTURE_LAYER_GRAD))
            continue;
        if (begins ||
            architecture->layers[architecture->layer_count - 1].phase != phase)
            add_pass(architecture, architecture->layer_count);
        add_layer(architecture, phase, row->first, row->count);
        begins = row->ends_pass;
    }
}

/* Sets the kernels, times and phases of each pass, and the size of most of them. */
static void measure_passes(struct architecture *architecture)
{
    size_t most = 0;

    for (size_t i = 0; i < architecture->pass_count; i++) {
        struct arch_pass *pass = &architecture->passes[i];
        size_t next = i + 1 < architecture->pass_count ? pass[1].first
                                                       : architecture->layer_count;
        const struct arch_layer *last = &architecture->layers[next - 1];

        pass->count = next - pass->first;
        pass->first_row = architecture->layers[pass->first].first;
        pass->row_count = last->first + last->count - pass->first_row;
        pass->start = architecture->layers[pass->first].start;
        for (size_t j = pass->first; j < next; j++) {
            const struct arch_layer *layer = &architecture->layers[j];

            pass->phase_counts[layer->phase]++;
            if (j == pass->first || layer->end > pass->end)
                pass->end = layer->end;
        }
    }
    for (size_t i = 0; i < architecture->pass_count; i++) {
        size_t equal = 0;

        for (size_t j = 0; j < architecture->pass_count; j++)
            equal += architecture->passes[j].count == architecture->passes[i].count;
        if (equal > most) {
            most = equal;
            architecture->pass_size = architecture->passes[i].count;
        }
    }
    for (size_t i = 0; i < architecture->pass_count; i++)
        architecture->passes[i].is_partial =
            architecture->passes[i].count != architecture->pass_size;
}

static bool layer_has(const struct architecture *architecture,
                      const struct arch_layer *layer,
                      enum kernel_feature feature)
{
    return architecture_count(architecture, layer->first, layer->count, feature) > 0;
}

static char *type_of(const struct architecture *architecture,
                     const struct arch_layer *layer)
{
    bool grouped = layer_has(architecture, layer, FEATURE_GMM);
    const char *kind = "Dense";

    if (!architecture->has_fia)
        return xstrdup(layer->phase == PHASE_FORWARD ? "Forward layer"
                                                     : "Backward layer");
    if (layer_has(architecture, layer, FEATURE_DFC))
        kind = "MoE+DFC";
    else if (grouped && layer_has(architecture, layer, FEATURE_ALLTOALL))
        kind = "MoE+GMM";
    else if (grouped || layer_has(architecture, layer, FEATURE_GATE))
        kind = "MoE+other";
    return xasprintf("%s%s%s", layer->phase == PHASE_DECODE ? "Decode " : "", kind,
                     layer_has(architecture, layer, FEATURE_SAMPLING) ? "+sampling"
                                                                      : "");
}

static size_t find_type(struct architecture *architecture, char *name)
{
    for (size_t i = 0; i < architecture->type_count; i++)
        if (strcmp(architecture->types[i].name, name) == 0) {
            free(name);
            return i;
        }
    architecture->types =
        xreallocarray(architecture->types, architecture->type_count + 1,
                      sizeof(*architecture->types));
    architecture->types[architecture->type_count] = (struct arch_type){.name = name};
    return architecture->type_count++;
}

struct wall {
    int64_t ns;
    size_t layer;
};

static int compare_walls(const void *a, const void *b)
{
    const struct wall *left = a, *right = b;

    if (left->ns != right->ns)
        return left->ns < right->ns ? -1 : 1;
    return left->layer < right->layer ? -1 : left->layer > right->layer;
}

static void measure_type(struct architecture *architecture, size_t index)
{
    struct arch_type *type = &architecture->types[index];
    struct wall *walls = xcalloc(type->count + 1, sizeof(*walls));
    size_t used = 0;

    for (size_t i = 0; i < architecture->layer_count; i++) {
        const struct arch_layer *layer = &architecture->layers[i];

        if (layer->type == index)
            walls[used++] = (struct wall){layer->end - layer->start, i};
    }
    qsort(walls, used, sizeof(*walls), compare_walls);
    type->least = walls[0].ns;
    type->most = walls[used - 1].ns;
    type->typical = walls[used / 2].layer;
    type->phase = architecture->layers[type->typical].phase;
    free(walls);
}

static void find_types(struct architecture *architecture)
{
    for (size_t i = 0; i < architecture->layer_count; i++) {
        struct arch_layer *layer = &architecture->layers[i];

        layer->type = find_type(architecture, type_of(architecture, layer));
        architecture->types[layer->type].count++;
    }
    for (size_t i = 0; i < architecture->type_count; i++)
        measure_type(architecture, i);
}

static void add_check(struct architecture *architecture,
                      size_t pass,
                      const char *op,
                      size_t count,
                      size_t expected,
                      bool repeats)
{
    size_t each = expected > 0 && count % expected == 0 ? count / expected : 0;

    architecture->checks =
        xreallocarray(architecture->checks, architecture->check_count + 1,
                      sizeof(*architecture->checks));
    architecture->checks[architecture->check_count++] = (struct arch_check){
        pass,     op,   count,
        expected, each, repeats ? count == each * expected : count == expected};
}

/* Compares the calls of a pass with its layers. A grouped product may be called several
 * times in a layer. */
static void check_pass(struct architecture *architecture, size_t index)
{
    const struct arch_pass *pass = &architecture->passes[index];
    size_t first = pass->first_row, count = pass->row_count, dfc = 0, gmm = 0, moe = 0;

    for (size_t i = pass->first; i < pass->first + pass->count; i++) {
        const char *name = architecture->types[architecture->layers[i].type].name;

        dfc += strstr(name, "MoE+DFC") != NULL;
        gmm += strstr(name, "MoE+GMM") != NULL;
        moe += strstr(name, "MoE") != NULL;
    }
    if (architecture->has_fia) {
        add_check(architecture, index, "FusedInferAttentionScore",
                  architecture_count(architecture, first, count, FEATURE_FIA),
                  pass->count, false);
        add_check(architecture, index, "DispatchFFNCombine",
                  architecture_count(architecture, first, count, FEATURE_DFC), dfc,
                  false);
        add_check(architecture, index, "GroupedMatmul",
                  architecture_count(architecture, first, count, FEATURE_GMM), gmm,
                  true);
        add_check(architecture, index, "MoeGatingTopK",
                  architecture_count(architecture, first, count, FEATURE_GATE), moe,
                  false);
        return;
    }
    add_check(architecture, index, "FlashAttentionScore",
              architecture_count(architecture, first, count, FEATURE_ATTENTION),
              pass->phase_counts[PHASE_FORWARD], false);
    add_check(architecture, index, "FlashAttentionScoreGrad",
              architecture_count(architecture, first, count, FEATURE_ATTENTION_GRAD),
              pass->phase_counts[PHASE_BACKWARD], false);
}

struct architecture *architecture_create(const struct analysis *analysis)
{
    struct architecture *architecture = xcalloc(1, sizeof(*architecture));

    architecture->analysis = analysis;
    architecture->features = kernel_features_create(&analysis->input->kernels);
    list_rows(architecture);
    for (size_t i = 0; i < architecture->row_count && !architecture->has_fia; i++)
        architecture->has_fia = has(architecture, i, FEATURE_FIA);
    if (architecture->has_fia) {
        find_inference(architecture);
    } else {
        free(architecture->rows);
        find_training(architecture);
    }
    measure_passes(architecture);
    find_types(architecture);
    for (size_t i = 0; i < architecture->pass_count; i++)
        check_pass(architecture, i);
    return architecture;
}

void architecture_destroy(struct architecture *architecture)
{
    if (!architecture)
        return;
    for (size_t i = 0; i < architecture->type_count; i++)
        free(architecture->types[i].name);
    free(architecture->types);
    free(architecture->layers);
    free(architecture->passes);
    free(architecture->checks);
    free(architecture->rows);
    kernel_features_destroy(architecture->features);
    free(architecture);
}
