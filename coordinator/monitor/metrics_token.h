/* metrics_token.h - the secret that a collector of metrics sends with its request */
#ifndef COORDINATOR_MONITOR_METRICS_TOKEN_H
#define COORDINATOR_MONITOR_METRICS_TOKEN_H

#include <stdbool.h>

#include "lib/base/err.h"

/* Reads the token from the only line of a file, which other users must not be able to
 * read. The caller frees it. */
int metrics_token_read(char **token, const char *path, struct err *err);
/* Returns true when the request has the header `Authorization: Bearer TOKEN`. The time
 * of the comparison does not depend on the first wrong character. */
bool metrics_token_is_sent(const char *token, const char *request);

#endif
