/* config.h - defaults of options, from files and from the environment
 *
 * Each source overrides the sources before it: the built-in default;
 * $MUSTER_ETC/muster.yaml or /etc/muster/muster.yaml;
 * $XDG_CONFIG_HOME/muster/muster.yaml or ~/.config/muster/muster.yaml; .muster.yaml in
 * the current folder or the nearest one above; MUSTER_* variables. The command line
 * overrides all of them. Relative paths in a file start at the folder of the file. A
 * project file that other users could have written is not read, because it could name a
 * foreign coordinator. */
#ifndef CLI_APP_CONFIG_H
#define CLI_APP_CONFIG_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/options.h"

struct config_key {
    const char *name;     /* of the key and of its option */
    const char *variable; /* environment variable */
    const char *value; /* value name of the option: other options have the same name */
    const char *built_in; /* default; "": none */
    bool is_path;
    const char *help;
};

extern const struct config_key config_keys[]; /* ended by an empty one */

/* Returns the value and its origin, valid until the program ends. The files are read
 * once; an error in a file is returned by every call. */
int config_get(const struct config_key *key,
               const char **value,
               const char **origin,
               struct err *err);
/* Sets the targets of all rows that have a configuration key. */
int config_apply(const struct option_row *rows, struct err *err);

#endif
