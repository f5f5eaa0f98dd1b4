/* unit.h - includes cmocka and the headers that cmocka needs before it */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* For tests that the runtime of the thread sanitizer cannot execute. */
#ifdef __SANITIZE_THREAD__
#define SKIP_UNDER_THREAD_SANITIZER() skip()
#else
#define SKIP_UNDER_THREAD_SANITIZER() ((void)0)
#endif

#endif
