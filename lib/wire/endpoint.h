/* endpoint.h - checks the endpoint of a link */
#ifndef LIB_WIRE_ENDPOINT_H
#define LIB_WIRE_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

/* Returns true when only processes of this machine can reach the endpoint. */
bool endpoint_is_private(const char *at);
/* Checks the form. Returns ERR_DENIED for TCP to other machines, unless `anywhere`. */
int endpoint_check(const char *at, bool anywhere, struct err *err);
/* Writes the endpoint with the address of localhost, because ZeroMQ binds to addresses
 * only. `out` needs the size of `at` and 16 bytes more. */
void endpoint_resolve(char *out, size_t size, const char *at);
/* Returns true when a program accepts TCP connections at the endpoint. Waits for at
 * most a second. */
bool endpoint_has_listener(const char *at);
/* Creates the folder of the ipc socket `path`, for this user only. */
int endpoint_claim_folder(const char *path, struct err *err);

#endif
