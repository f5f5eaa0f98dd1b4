/* hooks_experts.c - the functions of a dispatch of tokens to experts
 *
 * All their parameters are pointers or 64-bit integers, which functions receive in the
 * same way. The depth of hooks stays: the functions of the runtime that the operator
 * calls are intercepted. */
#include "inject/hooks/hook_frame.h"
#include "inject/program/expert_rows.h"

#define FIVE(m, a, b, c, d, e) m(a), m(b), m(c), m(d), m(e)
#define WORDS_22(m)                                                                    \
    FIVE(m, 0, 1, 2, 3, 4), FIVE(m, 5, 6, 7, 8, 9), FIVE(m, 10, 11, 12, 13, 14),       \
        FIVE(m, 15, 16, 17, 18, 19), m(20), m(21)
#define WORDS_27(m) WORDS_22(m), FIVE(m, 22, 23, 24, 25, 26)
#define WORDS_28(m) WORDS_27(m), m(27)
#define WORDS_32(m) WORDS_27(m), FIVE(m, 27, 28, 29, 30, 31)
#define WORDS_33(m) WORDS_32(m), m(32)

#define TYPE(i)    uint64_t
#define DECLARE(i) uint64_t w##i
#define NAME(i)    w##i

/* Indexes of the parameters. */
struct places {
    int x, ranks, rank, experts, shared_ranks, quantisation, sums, executor;
};

static void prepare(const uint64_t *words, const struct places *at)
{
    const struct expert_rows_call call = {
        .x = (const void *)(uintptr_t)words[at->x],
        .sums = (const void *)(uintptr_t)words[at->sums],
        .ranks = words[at->ranks],
        .rank = words[at->rank],
        .experts = words[at->experts],
        .shared_ranks = words[at->shared_ranks],
        .quantisation = words[at->quantisation],
    };
    void *const *executor = (void *const *)(uintptr_t)words[at->executor];

    if (executor)
        expert_rows_prepare(*executor, &call);
}

#define PREPARE(name, count, ...)                                                      \
    typedef int name##_fn(WORDS_##count(TYPE));                                        \
    EXPORT int name(WORDS_##count(DECLARE));                                           \
    EXPORT int name(WORDS_##count(DECLARE))                                            \
    {                                                                                  \
        static const struct places at = {__VA_ARGS__};                                 \
        const uint64_t words[] = {WORDS_##count(NAME)};                                \
        name##_fn *real = (name##_fn *)real_function_bypass(HOOKED_##name);            \
        int result, saved;                                                             \
                                                                                       \
        if (real)                                                                      \
            return real(WORDS_##count(NAME));                                          \
        real = (name##_fn *)real_function_get(HOOKED_##name);                          \
        if (!real)                                                                     \
            return real_function_missing(HOOKED_##name);                               \
        result = real(WORDS_##count(NAME));                                            \
        saved = errno;                                                                 \
        if (result == 0 && hook_depth == 0 && lifecycle_connect()) {                   \
            hook_depth++;                                                              \
            prepare(words, &at);                                                       \
            hook_leave();                                                              \
        }                                                                              \
        errno = saved;                                                                 \
        return result;                                                                 \
    }

#define RUN(name)                                                                      \
    typedef int name##_fn(void *, uint64_t, void *, void *);                           \
    EXPORT int name(void *workspace, uint64_t size, void *executor, void *stream);     \
    EXPORT int name(void *workspace, uint64_t size, void *executor, void *stream)      \
    {                                                                                  \
        name##_fn *real = (name##_fn *)real_function_bypass(HOOKED_##name);            \
        int result;                                                                    \
                                                                                       \
        if (real)                                                                      \
            return real(workspace, size, executor, stream);                            \
        real = (name##_fn *)real_function_get(HOOKED_##name);                          \
        if (!real)                                                                     \
            return real_function_missing(HOOKED_##name);                               \
        expert_rows_begin(executor);                                                   \
        result = real(workspace, size, executor, stream);                              \
        expert_rows_end();                                                             \
        return result;                                                                 \
    }

PREPARE(aclnnMoeDistributeDispatchGetWorkspaceSize,
        27,
        .x = 0,
        .ranks = 6,
        .rank = 7,
        .experts = 8,
        .shared_ranks = 14,
        .quantisation = 15,
        .sums = 22,
        .executor = 26)
RUN(aclnnMoeDistributeDispatch)
PREPARE(aclnnMoeDistributeDispatchV2GetWorkspaceSize,
        28,
        .x = 0,
        .ranks = 6,
        .rank = 7,
        .experts = 8,
        .shared_ranks = 14,
        .quantisation = 15,
        .sums = 23,
        .executor = 27)
RUN(aclnnMoeDistributeDispatchV2)
PREPARE(aclnnMoeDistributeDispatchV3GetWorkspaceSize,
        32,
        .x = 0,
        .ranks = 7,
        .rank = 8,
        .experts = 9,
        .shared_ranks = 15,
        .quantisation = 16,
        .sums = 27,
        .executor = 31)
RUN(aclnnMoeDistributeDispatchV3)
PREPARE(aclnnMoeDistributeDispatchV4GetWorkspaceSize,
        33,
        .x = 0,
        .ranks = 8,
        .rank = 9,
        .experts = 10,
        .shared_ranks = 16,
        .quantisation = 17,
        .sums = 28,
        .executor = 32)
RUN(aclnnMoeDistributeDispatchV4)
PREPARE(aclnnMoeDistributeDispatchTeardownGetWorkspaceSize,
        22,
        .x = 0,
        .ranks = 5,
        .rank = 6,
        .experts = 7,
        .shared_ranks = 10,
        .quantisation = 11,
        .sums = 18,
        .executor = 21)
RUN(aclnnMoeDistributeDispatchTeardown)
