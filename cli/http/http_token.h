/* http_token.h - reads the token that gives access to a server
 *
 * The file has one line of 24 to 200 letters, digits, '-' or '_'; or it is the file of
 * a secret key that `muster keygen --role read` wrote. The token of such a key is a
 * hash of it, so the token does not open a connection to the coordinator. */
#ifndef CLI_HTTP_TOKEN_H
#define CLI_HTTP_TOKEN_H

#include "lib/base/err.h"

/* Fails when other users can read the file. The caller frees *token. */
int http_token_read(char **token, const char *path, struct err *err);

#endif
