/* combine_call.h - the arguments that the versions of combine have in common, by the
 * names of the vendor's headers */
#ifndef SIM_FUSED_MOE_COMBINE_CALL_H
#define SIM_FUSED_MOE_COMBINE_CALL_H

#include "sim/fused/moe/combine.h"

#define COMBINE_LATER                                                                  \
    .place = TOKENS_PLACE(commAlg), .expand_x = expandX, .ids = expertIds,             \
    .assist = assistInfoForCombine, .send_counts = epSendCounts,                       \
    .expert_scales = expertScales, .mask = xActiveMaskOptional,                        \
    .shared_x = sharedExpertXOptional, .out = xOut, .out_type = outDtype,              \
    .quant_mode = commQuantMode, .list_type = groupListType
#define COMBINE_EXTRA                                                                  \
    .elastic = elasticInfoOptional, .original_x = oriXOptional, .zero = zeroExpertNum, \
    .copy = copyExpertNum, .constant = constExpertNum
#define COMBINE_UNUSED                                                                 \
    (void)tpSendCountsOptional;                                                        \
    (void)activationScaleOptional;                                                     \
    (void)weightScaleOptional;                                                         \
    (void)groupListOptional;                                                           \
    (void)expandScalesOptional
#define COMBINE_UNUSED_EXTRA                                                           \
    (void)constExpertAlpha1Optional;                                                   \
    (void)constExpertAlpha2Optional;                                                   \
    (void)constExpertVOptional

#endif
