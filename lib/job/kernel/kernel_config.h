/* kernel_config.h - reads the vendor's description of one kernel (msprof op --config)
 *
 * The description is a JSON file with a kernel, its blocks and one test case with the
 * parameters of the kernel. Paths in it are relative to its folder. A field that muster
 * cannot follow is a problem. */
#ifndef LIB_JOB_KERNEL_KERNEL_CONFIG_H
#define LIB_JOB_KERNEL_KERNEL_CONFIG_H

#include "lib/base/arena.h"
#include "lib/base/yaml.h"
#include "lib/job/problem/problems.h"

/* Returns the members kernel, entry, blocks and args of a section `operator`, placed at
 * `at`, the node that names the file. Returns NULL after a reported problem. */
const struct yaml_node *kernel_config_read(const char *path,
                                           const struct yaml_node *at,
                                           struct arena *arena,
                                           struct problems *problems);

#endif
