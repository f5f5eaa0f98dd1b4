/* kernel_config_internal.h - state and checks that the readers of a kernel's
 * description share */
#ifndef LIB_JOB_KERNEL_KERNEL_CONFIG_INTERNAL_H
#define LIB_JOB_KERNEL_KERNEL_CONFIG_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/yaml.h"
#include "lib/job/problem/problems.h"

struct config {
    const char *path;
    const char *folder;         /* of the file, absolute */
    const struct yaml_node *at; /* the node of the job file that names the file */
    struct arena *arena;
    struct problems *problems;
    bool failed;
    const char *kernel, *entry, *blocks;
    const struct yaml_node *params;
    struct yaml_node *args, *last_arg;
};

/* Reads one value. A NULL function accepts the field and uses it elsewhere. */
typedef void field_fn(struct config *config, const struct yaml_node *node);

struct config_field {
    const char *name;
    bool required;
    field_fn *read;
};

void config_complain(struct config *config,
                     const struct yaml_node *node,
                     const char *key,
                     const char *fmt,
                     ...) __attribute__((format(printf, 4, 5)));
/* Return NULL or 0 after a reported problem. */
const char *config_text(struct config *config, const struct yaml_node *node);
uint64_t
config_number(struct config *config, const struct yaml_node *node, const char *key);
/* Returns the absolute path of a file that the description names. */
const char *config_path(struct config *config, const struct yaml_node *node);
/* Reads the members of a map by a table whose last row has no name. */
void config_read_fields(struct config *config,
                        const struct yaml_node *map,
                        const struct config_field *fields);

/* kernel_params.c: adds the arguments of the runner for all parameters */
void config_add_params(struct config *config);

#endif
