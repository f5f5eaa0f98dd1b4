/* endpoint.h - where a link goes, and whether it may */
#ifndef LIB_WIRE_ENDPOINT_H
#define LIB_WIRE_ENDPOINT_H

#include <stdbool.h>

#include "lib/base/err.h"

/* Nobody on another machine reaches it. */
bool endpoint_is_private(const char *at);
/* ERR_DENIED: plain tcp off loopback, unless it may go `anywhere`. */
int endpoint_check(const char *at, bool anywhere, struct err *err);
/* The folder of an ipc socket at `path`, ours alone. */
int endpoint_claim_folder(const char *path, struct err *err);

#endif
