/* core_share.h - whether each rank of a host can have a processor core of its own
 *
 * The affinity masks of the ranks and the CPU limit of their control group decide it.
 * Ranks without a core of their own must not spin: a spinning rank takes the time that
 * the rank needs for which it waits. */
#ifndef LIB_SHM_CORE_SHARE_H
#define LIB_SHM_CORE_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORES_MAX = 1024, CORE_WORDS = CORES_MAX / 64, CORE_RANKS_MAX = 64 };

struct core_set {
    uint64_t words[CORE_WORDS];
};

/* Returns true when each of the sets can be given a core that no other set is given.
 * At most CORE_RANKS_MAX sets. */
bool core_sets_suffice(const struct core_set *sets, size_t count);

/* Reads the cores on which the calling thread may run; none when that fails. */
void core_set_read(struct core_set *set);

/* Returns how many whole cores the control group of this process may use: the lowest
 * limit of the group and its parents, UINT32_MAX without a limit. `cgroup` is
 * /proc/self/cgroup and `root` is /sys/fs/cgroup; tests give other files. */
uint32_t core_quota_read(const char *cgroup, const char *root);

#endif
