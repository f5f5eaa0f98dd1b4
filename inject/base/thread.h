/* thread.h - who calls, how deep inside ourselves, and when */
#ifndef INJECT_BASE_THREAD_H
#define INJECT_BASE_THREAD_H

#include <stdint.h>

/* 0: the program's own call; more: we, or the runtime behind us (guest.h). */
extern __thread int hook_depth __attribute__((tls_model("initial-exec")));

uint64_t thread_now_ns(void); /* monotonic */
/* The same at half the price, and less sure: a few microseconds off at most, where
 * the processor has a counter that runs evenly. Never goes back on one thread. */
uint64_t thread_quick_ns(void);
uint32_t thread_number(void); /* as the system counts */

void thread_forget(void); /* in a child: it has another number */

#endif
