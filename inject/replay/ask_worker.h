/* ask_worker.h - asks the worker whether a launch is replayed */
#ifndef INJECT_REPLAY_ASK_WORKER_H
#define INJECT_REPLAY_ASK_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct launch;
union control_message;

/* Fills a PREPARE message; `number` is the number of the launch in this process. */
void ask_worker_prepare(union control_message *question,
                        const struct launch *launch,
                        const struct device *device,
                        const char *kernel,
                        uint64_t number);
/* Sends the question and applies the answer to later launches. Returns true when this
 * launch is to be replayed. Without an answer the session ends. */
bool ask_worker(const struct launch *launch,
                union control_message *question,
                union control_message *answer);
/* Returns true when ranges of this name are selected. Asks only once for each name. */
bool ask_worker_about_range(const char *name);

#endif
