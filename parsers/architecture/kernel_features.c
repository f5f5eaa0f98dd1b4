#include "parsers/architecture/kernel_features.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

/* Patterns of names and types in small letters. */
static const char *const patterns[FEATURE_COUNT] = {
    [FEATURE_FIA] = "*fusedinferattentionscore*",
    [FEATURE_DFC] = "*dispatchffncombine*",
    [FEATURE_GMM] = "*groupedmatmul*",
    [FEATURE_ALLTOALL] = "*alltoallv*",
    [FEATURE_AIV] = "aivkernel*",
    [FEATURE_GATE] = "*moegatingtopk*",
    [FEATURE_ROUTING] = "cast|*_cast|histogramv2*|*_histogramv2",
    [FEATURE_TP_COMM] = ("hcom_reducescatter*|hcom_allgather*|hcom_allreduce*|"
                         "*allgather*aicpu*|*reduce_scatter*aicpu*"),
    [FEATURE_MATMUL] = "matmul*|*_matmul*|batchmatmul*",
    [FEATURE_MOVE] = "tensormove*|*_tensormove",
    [FEATURE_EXPERT_FFN] = "*quantbatchmatmulv3*|*swiglu*|*dynamicquant*",
    [FEATURE_NORM] = "*addrmsnormquant*|*addrmsnormbias*|*rmsnorm",
    [FEATURE_SPLIT_QKV] = "*split_qkv_rmsnorm_rope*",
    [FEATURE_CACHE] = "*reshapeandcache*",
    [FEATURE_SAMPLING] = "argmax*|*_argmax*|*rejection_*|indexfill*|logicaland*",
    [FEATURE_SAMPLING_END] = "argmax*|*_argmax*|*rejection_*",
    [FEATURE_ATTENTION] = "flashattentionscore",
    [FEATURE_ATTENTION_GRAD] = "flashattentionscoregrad",
};

struct kernel_features {
    uint32_t *bits; /* per name */
    bool *known;
};

static uint32_t bits_of(const char *name)
{
    char *small = xstrdup(name);
    uint32_t bits = 0;

    for (char *at = small; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    for (enum kernel_feature i = 0; i < FEATURE_COUNT; i++)
        if (text_matches_any(small, patterns[i]))
            bits |= 1u << i;
    free(small);
    return bits;
}

static void learn(struct kernel_features *features, struct names *names, uint32_t name)
{
    if (features->known[name])
        return;
    features->known[name] = true;
    features->bits[name] = bits_of(names_text(names, name));
}

struct kernel_features *kernel_features_create(const struct kernel_list *kernels)
{
    struct kernel_features *features = xcalloc(1, sizeof(*features));
    size_t count = names_count(kernels->names);

    features->bits = xcalloc(count + 1, sizeof(*features->bits));
    features->known = xcalloc(count + 1, sizeof(*features->known));
    for (size_t i = 0; i < kernels->count; i++) {
        learn(features, kernels->names, kernels->rows[i].name);
        learn(features, kernels->names, kernels->rows[i].type);
    }
    return features;
}

void kernel_features_destroy(struct kernel_features *features)
{
    if (!features)
        return;
    free(features->bits);
    free(features->known);
    free(features);
}

bool kernel_features_has(const struct kernel_features *features,
                         const struct kernel *kernel,
                         enum kernel_feature feature)
{
    return (features->bits[kernel->name] | features->bits[kernel->type]) >> feature & 1;
}
