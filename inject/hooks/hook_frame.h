/* hook_frame.h - how a hook behaves: the frame around each of them
 *
 * At depth 0 a hook acts; what it calls, and what the runtime calls in its turn, passes
 * through. errno is the program's before the original is called, and the original's
 * afterwards. */
#ifndef INJECT_HOOKS_HOOK_FRAME_H
#define INJECT_HOOKS_HOOK_FRAME_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject/base/abi.h"
#include "inject/base/real_functions.h"
#include "inject/base/thread.h"
#include "inject/hooks/args.h"
#include "inject/lifecycle.h"
#include "inject/session/session.h"

#define EXPORT __attribute__((visibility("default")))

static inline void hook_leave(void)
{
    hook_depth--;
}

/* The front of each hook: a jump when nothing is profiled, and else the slow way. */
#define HOOK_FRONT(name, ...)                                                          \
    typedef int name##_fn(ARGS_TYPES(__VA_ARGS__));                                    \
    static __attribute__((noinline)) int name##_slow(ARGS_DECLARED(__VA_ARGS__));      \
    EXPORT int name(ARGS_DECLARED(__VA_ARGS__));                                       \
    EXPORT int name(ARGS_DECLARED(__VA_ARGS__))                                        \
    {                                                                                  \
        name##_fn *direct = (name##_fn *)real_function_bypass(HOOKED_##name);          \
                                                                                       \
        if (__builtin_expect(direct != NULL, 1))                                       \
            return direct(ARGS_NAMES(__VA_ARGS__));                                    \
        return name##_slow(ARGS_NAMES(__VA_ARGS__));                                   \
    }

/* The head of the slow way: passes when we are inside ourselves, or nothing is wanted;
 * else we are inside from here on, and `real` is there. */
#define HOOK_HEAD(name, wanted, ...)                                                   \
    name##_fn *real = (name##_fn *)real_function_get(HOOKED_##name);                   \
    if (!real)                                                                         \
        return real_function_missing(HOOKED_##name);                                   \
    if (hook_depth > 0 || !(wanted))                                                   \
        return real(ARGS_NAMES(__VA_ARGS__));                                          \
    hook_depth++;

/* A hook that looks on: `before` and `after` are calls, `result` is what it returns. */
#define HOOK(name, wanted, before, after, ...)                                         \
    HOOK_FRONT(name, __VA_ARGS__)                                                      \
    static int name##_slow(ARGS_DECLARED(__VA_ARGS__))                                 \
    {                                                                                  \
        int saved = errno, result;                                                     \
        HOOK_HEAD(name, wanted, __VA_ARGS__)                                           \
        before;                                                                        \
        errno = saved;                                                                 \
        result = real(ARGS_NAMES(__VA_ARGS__));                                        \
        saved = errno;                                                                 \
        after;                                                                         \
        hook_leave();                                                                  \
        errno = saved;                                                                 \
        return result;                                                                 \
    }

/* The same for both forms of a function. */
#define HOOK_WITH_IMPL(name, wanted, before, after, ...)                               \
    HOOK(name, wanted, before, after, __VA_ARGS__)                                     \
    HOOK(name##Impl, wanted, before, after, __VA_ARGS__)

#endif
