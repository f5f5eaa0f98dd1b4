/* stamps.h - keeps the time stamps of kernels until they are reported to the profiler
 *
 * Kernels write stamps while a profiler requests them (operator library, switch for
 * operator time stamps). The thread that waits for the stream reports them, as the
 * libraries of a real card do. The report then belongs to the device of that thread. */
#ifndef SIM_RUNTIME_LAUNCH_STAMPS_H
#define SIM_RUNTIME_LAUNCH_STAMPS_H

#include <stdbool.h>

struct stamp_list;
struct stream;

/* Registers at the profiling library that kernels have stamps, once per process. */
void stamps_offer(void);
bool stamps_are_wanted(void);
/* Takes ownership of the list. */
void stamps_keep(const struct stream *stream, struct stamp_list *list, bool is_lccl);
/* Reports the stamps that the launches of the stream have written so far. */
void stamps_report(const struct stream *stream);
void stamps_forget(const struct stream *stream);

#endif
