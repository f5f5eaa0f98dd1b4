/* core_list.h - the cores of a simulation that a user selects, such as "0,2-3" */
#ifndef LIB_CAPTURE_CORE_LIST_H
#define LIB_CAPTURE_CORE_LIST_H

#include <stdbool.h>

#include "lib/base/err.h"

enum { CORE_LIST_MAX = 256 }; /* core numbers are below this */

struct core_list {
    bool has[CORE_LIST_MAX];
    bool is_limited; /* false: all cores */
};

/* Reads numbers and ranges, divided by commas. NULL selects all cores. */
int core_list_parse(struct core_list *list, const char *text, struct err *err);
bool core_list_has(const struct core_list *list, unsigned core);

#endif
