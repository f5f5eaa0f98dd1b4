/* pass_through.h - issues a launch once, as the program asked for it */
#ifndef INJECT_REPLAY_PASS_THROUGH_H
#define INJECT_REPLAY_PASS_THROUGH_H

struct device;
struct launch;

/* Calls the real function. Waits first while another thread replays on the device. The
 * device may be NULL. Returns the result for the program. */
int pass_through(const struct launch *launch, struct device *device);

#endif
