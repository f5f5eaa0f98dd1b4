/* lifecycle.h - one process, measured for one run after the other
 *
 * A program that stays alive from point to point (the resident runner) finds this by
 * its name, and calls it where nothing of it runs on a device: in front of each point
 * with the end of a rendezvous that the worker made for it, which is ours from then on,
 * and behind it with -1. The next use of the NPU says HELLO to the new worker's end,
 * and launches are counted from 1. */
#ifndef INJECT_LIFECYCLE_H
#define INJECT_LIFECYCLE_H

/* 0; or -1, and nothing has changed: the caller stands inside of a hook. */
__attribute__((visibility("default"))) int muster_inject_restart(int their_end);

#endif
