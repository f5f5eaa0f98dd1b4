/* args.h - macros that expand a parameter list into declarations, types, names, fields
 *
 * A list consists of pairs in parentheses: (void *, stream), (uint32_t, blocks). */
#ifndef INJECT_HOOKS_ARGS_H
#define INJECT_HOOKS_ARGS_H

#define ARG_DECLARE(type, name) type name
#define ARG_TYPE(type, name)    type
#define ARG_NAME(type, name)    name
#define ARG_FIELD(type, name)   type name;
#define ARG_FROM(type, name)    call->name

#define ARG_EACH_1(m, a)       m a
#define ARG_EACH_2(m, a, ...)  m a, ARG_EACH_1(m, __VA_ARGS__)
#define ARG_EACH_3(m, a, ...)  m a, ARG_EACH_2(m, __VA_ARGS__)
#define ARG_EACH_4(m, a, ...)  m a, ARG_EACH_3(m, __VA_ARGS__)
#define ARG_EACH_5(m, a, ...)  m a, ARG_EACH_4(m, __VA_ARGS__)
#define ARG_EACH_6(m, a, ...)  m a, ARG_EACH_5(m, __VA_ARGS__)
#define ARG_EACH_7(m, a, ...)  m a, ARG_EACH_6(m, __VA_ARGS__)
#define ARG_EACH_8(m, a, ...)  m a, ARG_EACH_7(m, __VA_ARGS__)
#define ARG_EACH_9(m, a, ...)  m a, ARG_EACH_8(m, __VA_ARGS__)
#define ARG_EACH_10(m, a, ...) m a, ARG_EACH_9(m, __VA_ARGS__)

#define ARG_RUN_1(m, a)       m a
#define ARG_RUN_2(m, a, ...)  m a ARG_RUN_1(m, __VA_ARGS__)
#define ARG_RUN_3(m, a, ...)  m a ARG_RUN_2(m, __VA_ARGS__)
#define ARG_RUN_4(m, a, ...)  m a ARG_RUN_3(m, __VA_ARGS__)
#define ARG_RUN_5(m, a, ...)  m a ARG_RUN_4(m, __VA_ARGS__)
#define ARG_RUN_6(m, a, ...)  m a ARG_RUN_5(m, __VA_ARGS__)
#define ARG_RUN_7(m, a, ...)  m a ARG_RUN_6(m, __VA_ARGS__)
#define ARG_RUN_8(m, a, ...)  m a ARG_RUN_7(m, __VA_ARGS__)
#define ARG_RUN_9(m, a, ...)  m a ARG_RUN_8(m, __VA_ARGS__)
#define ARG_RUN_10(m, a, ...) m a ARG_RUN_9(m, __VA_ARGS__)

#define ARG_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, which, ...) which
#define ARG_EACH(m, ...)                                                               \
    ARG_PICK(__VA_ARGS__, ARG_EACH_10, ARG_EACH_9, ARG_EACH_8, ARG_EACH_7, ARG_EACH_6, \
             ARG_EACH_5, ARG_EACH_4, ARG_EACH_3, ARG_EACH_2, ARG_EACH_1, )             \
    (m, __VA_ARGS__)
#define ARG_RUN(m, ...)                                                                \
    ARG_PICK(__VA_ARGS__, ARG_RUN_10, ARG_RUN_9, ARG_RUN_8, ARG_RUN_7, ARG_RUN_6,      \
             ARG_RUN_5, ARG_RUN_4, ARG_RUN_3, ARG_RUN_2, ARG_RUN_1, )                  \
    (m, __VA_ARGS__)

/* int name(type a, type b)   type, type   a, b   type a; type b;   call->a, call->b */
#define ARGS_DECLARED(...) ARG_EACH(ARG_DECLARE, __VA_ARGS__)
#define ARGS_TYPES(...)    ARG_EACH(ARG_TYPE, __VA_ARGS__)
#define ARGS_NAMES(...)    ARG_EACH(ARG_NAME, __VA_ARGS__)
#define ARGS_FIELDS(...)   ARG_RUN(ARG_FIELD, __VA_ARGS__)
#define ARGS_FROM(...)     ARG_EACH(ARG_FROM, __VA_ARGS__)

#endif
