/* config.h - what stands for the options that nobody typed
 *
 * From the weakest to the strongest: what is built in; MUSTER_ETC/muster.yaml (else
 * /etc/muster/muster.yaml); $XDG_CONFIG_HOME/muster/muster.yaml (else ~/.config/...);
 * .muster.yaml in this folder or the nearest one above; MUSTER_* in the environment.
 * What is typed is stronger than all of them. A file's relative paths start at the
 * file. A project file that others could have put there is not read. */
#ifndef CLI_APP_CONFIG_H
#define CLI_APP_CONFIG_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/options.h"

struct config_key {
    const char *name;     /* of the key, and of the option that it stands for */
    const char *variable; /* of the environment */
    const char *value; /* what the option's value is called: tells it from namesakes */
    const char *built_in; /* "": nothing */
    bool is_path;
    const char *help;
};

extern const struct config_key config_keys[]; /* ended by an empty one */

/* The value, and where it comes from: good for the program's life. Files are read once;
 * what is wrong in one of them is told each time. */
int config_get(const struct config_key *key,
               const char **value,
               const char **origin,
               struct err *err);
/* Sets the targets of all rows that a key stands for. */
int config_apply(const struct option_row *rows, struct err *err);

#endif
