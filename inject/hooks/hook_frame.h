/* hook_frame.h - code around each hook: depth check, errno, call of the real function
 *
 * A hook acts at depth 0, in a call of the program. Calls that inject or the runtime
 * make inside a hook go straight to the real function. The real function starts with
 * the program's errno, and the program gets the errno of the real function. */
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

/* The exported function: a jump while nothing is profiled, else NAME_slow(). */
#define HOOK_FRONT(name, ...)                                                          \
    typedef int name##_fn(ARGS_TYPES(__VA_ARGS__));                                    \
    static __attribute__((noinline)) int name##_slow(ARGS_DECLARED(__VA_ARGS__));      \
    EXPORT int name(ARGS_DECLARED(__VA_ARGS__));                                       \
    EXPORT int name(ARGS_DECLARED(__VA_ARGS__))                                        \
    {                                                                                  \
        name##_fn *bypass = (name##_fn *)real_function_bypass(HOOKED_##name);          \
                                                                                       \
        if (__builtin_expect(bypass != NULL, 1))                                       \
            return bypass(ARGS_NAMES(__VA_ARGS__));                                    \
        return name##_slow(ARGS_NAMES(__VA_ARGS__));                                   \
    }

/* The head of NAME_slow(). Calls the real function and returns when the hook has
 * nothing to do. Otherwise `real` is set and the depth is raised; call hook_leave() at
 * the end. */
#define HOOK_HEAD(name, wanted, ...)                                                   \
    name##_fn *real = (name##_fn *)real_function_get(HOOKED_##name);                   \
    if (!real)                                                                         \
        return real_function_missing(HOOKED_##name);                                   \
    if (hook_depth > 0 || !(wanted))                                                   \
        return real(ARGS_NAMES(__VA_ARGS__));                                          \
    hook_depth++;

/* A hook with statements before and after the call. `after` may change `result`. */
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

/* The same for a function and its implementation NAMEImpl. */
#define HOOK_WITH_IMPL(name, wanted, before, after, ...)                               \
    HOOK(name, wanted, before, after, __VA_ARGS__)                                     \
    HOOK(name##Impl, wanted, before, after, __VA_ARGS__)

#endif
