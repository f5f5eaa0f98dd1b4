/* kernel_features.h - the work of a kernel in a model, by its name and type */
#ifndef PARSERS_ARCHITECTURE_KERNEL_FEATURES_H
#define PARSERS_ARCHITECTURE_KERNEL_FEATURES_H

#include "parsers/framework/kernel_list.h"

enum kernel_feature {
    FEATURE_FIA,
    FEATURE_DFC,      /* DispatchFFNCombine */
    FEATURE_GMM,      /* GroupedMatmul */
    FEATURE_ALLTOALL, /* alltoallv */
    FEATURE_AIV,      /* AivKernel */
    FEATURE_GATE,     /* MoeGatingTopK */
    FEATURE_ROUTING,  /* Cast, HistogramV2 */
    FEATURE_TP_COMM,  /* reduce-scatter, all-gather, all-reduce */
    FEATURE_MATMUL,
    FEATURE_MOVE,         /* TensorMove */
    FEATURE_EXPERT_FFN,   /* QuantBatchMatmulV3, SwiGlu, DynamicQuant */
    FEATURE_NORM,         /* AddRmsNormQuant, AddRmsNormBias, RmsNorm */
    FEATURE_SPLIT_QKV,    /* split_qkv_rmsnorm_rope */
    FEATURE_CACHE,        /* ReshapeAndCache */
    FEATURE_SAMPLING,     /* ArgMax, rejection_, IndexFill, LogicalAnd */
    FEATURE_SAMPLING_END, /* ArgMax, rejection_: a token was chosen */
    FEATURE_ATTENTION,    /* FlashAttentionScore */
    FEATURE_ATTENTION_GRAD,
    FEATURE_COUNT,
};

struct kernel_features;
/* Computes the features of all names of the list. */
struct kernel_features *kernel_features_create(const struct kernel_list *kernels);
void kernel_features_destroy(struct kernel_features *features); /* NULL is allowed */
bool kernel_features_has(const struct kernel_features *features,
                         const struct kernel *kernel,
                         enum kernel_feature feature);

#endif
