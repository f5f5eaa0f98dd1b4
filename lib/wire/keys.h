/* keys.h - who we are and who may come: CURVE keys in files
 *
 * A key pair is two files: PATH (mode 0600, `secret KEY` and `public KEY`) and
 * PATH.pub, one line `KEY ROLE NAME`. Such lines together are an allow-list; a line
 * that begins with "# " is a comment. A secret that others can read is not used, nor is
 * one that stands in ZeroMQ's manual. */
#ifndef LIB_WIRE_KEYS_H
#define LIB_WIRE_KEYS_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/role.h"

enum { KEY_TEXT = 40, KEY_BYTES = 32 };

struct keys;

/* Somebody on the allow-list. */
struct key_holder {
    char key[KEY_TEXT + 1];
    enum role role;
    char *name;
};

/* Makes a pair; refuses to write over files. Role and name stand in the public one. */
int keys_generate(const char *path, enum role role, const char *name, struct err *err);

/* A server: its own secret, and the list of who may come. */
int keys_open_server(struct keys **out,
                     const char *key_file,
                     const char *allow_file,
                     struct err *err);
/* A client: its own secret, and the server's public file. */
int keys_open_client(struct keys **out,
                     const char *key_file,
                     const char *server_file,
                     struct err *err);
/* A client whose keys are in no file: the server's public one, and its own secret. */
int keys_open_ticket(struct keys **out,
                     const char *server,
                     const char *secret,
                     struct err *err);
/* A new pair. */
int keys_pair(char public[KEY_TEXT + 1], char secret[KEY_TEXT + 1], struct err *err);
/* From now on a worker with this key may come, whatever the list says; and then may
 * not any more. */
int keys_admit(struct keys *keys,
               const char *public,
               const char *name,
               struct err *err);
void keys_dismiss(struct keys *keys, const char *public);
void keys_close(struct keys *keys); /* NULL is welcome */

const char *keys_public(const struct keys *keys);
const char *keys_secret(const struct keys *keys);
const char *keys_server(const struct keys *keys); /* NULL for a server */
/* A server reads its allow-list again. One with a fault changes nothing. */
int keys_reload(struct keys *keys, struct err *err);
/* NULL: not allowed (any more). Good until the list is read again. */
const struct key_holder *keys_find(const struct keys *keys, const char *key);

#endif
