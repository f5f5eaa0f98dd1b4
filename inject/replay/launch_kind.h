/* launch_kind.h - the kind of a launch, as its records contain it */
#ifndef INJECT_REPLAY_LAUNCH_KIND_H
#define INJECT_REPLAY_LAUNCH_KIND_H

#include <stdbool.h>
#include <stdint.h>

struct launch;
struct mc2;

/* Returns the enum launch_kind of a launch. The runtime reports it for a kernel of one
 * card. */
uint32_t launch_kind_of(const struct launch *launch);
/* Returns the kind of a kernel that accesses other cards. `mc2` is NULL for memory that
 * processes share without HCCL. */
uint32_t launch_kind_across(const struct mc2 *mc2);

/* Returns true for an operator that only some ranks of its communicator run: it writes
 * into the windows of the others and waits for none of them. A replay would wait for
 * the flags that the receivers clear, so only application replay measures it. */
bool launch_is_one_sided(const char *kernel);

#endif
