/* unit.h - includes cmocka and the headers that cmocka needs before it */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Ends a test case that cannot run here. The text is `REASON; to run it: COMMAND`,
 * which `make check` prints at its end. */
#define SKIP(text)                                                                     \
    do {                                                                               \
        print_message("SKIPPED: %s\n", text);                                          \
        skip();                                                                        \
    } while (0)

/* For tests that the runtime of the thread sanitizer cannot execute. */
#ifdef __SANITIZE_THREAD__
#define SKIP_UNDER_THREAD_SANITIZER()                                                  \
    SKIP("the thread sanitizer cannot run it; to run it: make check")
#else
#define SKIP_UNDER_THREAD_SANITIZER() ((void)0)
#endif

#endif
