/* keys.h - CURVE keys of this program, and the allow-list of a server
 *
 * A key pair is two files: PATH with the lines `secret KEY` and `public KEY` (mode
 * 0600), and PATH.pub with one line `KEY ROLE NAME`. Such lines together are an
 * allow-list; a line that begins with "# " is a comment. A secret key is rejected when
 * other users can read its file, and when it is one of the test keys that ZeroMQ's
 * manual publishes. */
#ifndef LIB_WIRE_KEYS_H
#define LIB_WIRE_KEYS_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/role.h"

enum { KEY_TEXT = 40, KEY_BYTES = 32 };

struct keys;

/* An entry of the allow-list. */
struct key_holder {
    char key[KEY_TEXT + 1]; /* public */
    enum role role;
    char *name;
};

/* Creates the two files of a pair; fails when one exists. PATH.pub has role and name.
 */
int keys_generate(const char *path, enum role role, const char *name, struct err *err);

/* Opens the keys of a server: its own pair, and the allow-list. */
int keys_open_server(struct keys **out,
                     const char *key_file,
                     const char *allow_file,
                     struct err *err);
/* Opens the keys of a client: its own pair, and the server's public file. */
int keys_open_client(struct keys **out,
                     const char *key_file,
                     const char *server_file,
                     struct err *err);
/* Opens the keys of a client from a join ticket: the server's public key, and the
 * client's secret key. */
int keys_open_ticket(struct keys **out,
                     const char *server,
                     const char *secret,
                     struct err *err);
/* Creates a pair without files. */
int keys_pair(char public[KEY_TEXT + 1], char secret[KEY_TEXT + 1], struct err *err);
/* Admits a worker with this key until keys_dismiss(), beside the allow-list. */
int keys_admit(struct keys *keys,
               const char *public,
               const char *name,
               struct err *err);
void keys_dismiss(struct keys *keys, const char *public);
void keys_close(struct keys *keys); /* NULL is allowed */

const char *keys_public(const struct keys *keys);
const char *keys_secret(const struct keys *keys);
const char *keys_server(const struct keys *keys); /* NULL for a server */
/* Reads the allow-list of a server again. When the list has an error, the old one
 * stays. */
int keys_reload(struct keys *keys, struct err *err);
/* Returns NULL when the key is not allowed. The pointer is valid until the next
 * keys_reload(), keys_admit() or keys_dismiss(). */
const struct key_holder *keys_find(const struct keys *keys, const char *key);

#endif
