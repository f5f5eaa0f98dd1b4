/* entry.h - name of the function that a point calls */
#ifndef RUNNER_ENTRY_H
#define RUNNER_ENTRY_H

#include "runner/protocol/runner_messages.h"

/* Returns the entry that the point names. Without one, writes the name of the file,
 * up to its first dot, to `out` and returns it: "path/add_custom.o" is "add_custom". */
const char *entry_name(const struct runner_messages_point *point, char out[256]);

#endif
