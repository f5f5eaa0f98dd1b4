/* stamps.h - time stamps of kernels, on their way to whoever profiles
 *
 * Kernels write them while a profiler has asked for them (operator library, switch for
 * operator time stamps). They are reported by the thread that waits for the stream, as
 * the card's libraries do it: the report then belongs to that thread's device. */
#ifndef SIM_RUNTIME_STAMPS_H
#define SIM_RUNTIME_STAMPS_H

#include <stdbool.h>

struct stamp_list;
struct stream;

/* Lets profilers know that there are kernels with stamps; once a process. */
void stamps_offer(void);
bool stamps_are_wanted(void);
/* Takes the list over. */
void stamps_keep(const struct stream *stream, struct stamp_list *list, bool is_lccl);
/* Reports what the stream's launches have left so far. */
void stamps_report(const struct stream *stream);
void stamps_forget(const struct stream *stream);

#endif
