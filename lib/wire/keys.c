#include "lib/wire/keys.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"

enum { FILE_LIMIT = 1 << 20, NAME_LIMIT = 128 };

struct keys {
    char public[KEY_TEXT + 1];
    char secret[KEY_TEXT + 1];
    char server[KEY_TEXT + 1];  /* "" in a server */
    char *allow_file;           /* NULL in a client */
    struct key_holder *allowed; /* sorted by key */
    size_t allowed_count;
    struct key_holder *admitted; /* by keys_admit(), in no file */
    size_t admitted_count;
};

/* The test keys of zmq_curve(7): their secret halves are public. */
static const char *const published[] = {
    "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
    "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
};

static int reject_published(const char *key, struct err *err)
{
    for (size_t i = 0; i < COUNT(published); i++)
        if (!strcmp(published[i], key))
            return err_set(err, ERR_DENIED,
                           "this is a test key of ZeroMQ's manual, its secret is "
                           "published; create one with muster keygen");
    return 0;
}

static bool decode(uint8_t key[KEY_BYTES], const char *text)
{
    static const char marks[] = ".-:+=^!/*?&<>()[]{}@%$#"; /* of Z85, RFC 32 */

    if (strlen(text) != KEY_TEXT)
        return false;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(marks, *c))
            return false;
    return zmq_z85_decode(key, text) != NULL;
}

static int
write_new(const char *path, mode_t mode, const char *content, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

    if (fd < 0 && errno == EEXIST)
        return err_set(err, ERR_INPUT,
                       "%s exists and is not replaced; remove it, or name another file",
                       path);
    if (fd < 0)
        return err_errno(err, "creating %s", path);
    bool good = fchmod(fd, mode) == 0 &&
                fd_write_all(fd, content, strlen(content)) == 0 && fsync(fd) == 0;
    int error = errno;
    close(fd);
    if (good)
        return 0;
    unlink(path);
    errno = error;
    return err_errno(err, "writing %s", path);
}

int keys_generate(const char *path, enum role role, const char *name, struct err *err)
{
    char public[KEY_TEXT + 1], secret[KEY_TEXT + 1], content[256];

    if (!*name || strlen(name) > NAME_LIMIT || strpbrk(name, "\r\n"))
        return err_set(err, ERR_INPUT, "a key's name is one line of 1 to %d characters",
                       NAME_LIMIT);
    if (zmq_curve_keypair(public, secret) < 0)
        return err_set(err, ERR_SYSTEM, "creating a key pair: %s", zmq_strerror(errno));

    snprintf(content, sizeof(content), "secret %s\npublic %s\n", secret, public);
    int result = write_new(path, 0600, content, err);
    explicit_bzero(content, sizeof(content));
    explicit_bzero(secret, sizeof(secret));
    if (result < 0)
        return -1;

    char *public_path = xasprintf("%s.pub", path);
    snprintf(content, sizeof(content), "%s %s %s\n", public, role_word(role), name);
    result = write_new(public_path, FILE_MODE, content, err);
    if (result < 0)
        unlink(path);
    free(public_path);
    return result;
}

/* Gets the first word and the rest of a line. Comments and empty lines are skipped. */
typedef int line_fn(struct keys *keys, char *word, char *rest, struct err *err);

static int read_lines(struct keys *keys, const char *path, line_fn *fn, struct err *err)
{
    char *bytes, *cursor;
    size_t size, number = 0;
    int result = 0;

    if (file_read(&bytes, &size, path, FILE_LIMIT, err) < 0)
        return -1;
    cursor = bytes;
    for (char *line; result == 0 && (line = strsep(&cursor, "\n"));) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (!*line || !strcmp(line, "#") || !strncmp(line, "# ", 2))
            continue;
        char *rest = line;
        char *word = strsep(&rest, " \t");
        result = fn(keys, word, rest ? rest + strspn(rest, " \t") : "", err);
        if (result < 0)
            err_wrap(err, "%s:%zu", path, number);
    }
    explicit_bzero(bytes, size);
    free(bytes);
    return result;
}

static int secret_line(struct keys *keys, char *word, char *rest, struct err *err)
{
    uint8_t key[KEY_BYTES];
    char *into = !strcmp(word, "secret")   ? keys->secret
                 : !strcmp(word, "public") ? keys->public
                                           : NULL;

    if (!into)
        return err_set(err, ERR_INPUT,
                       "the line is neither `secret KEY` nor `public KEY`");
    if (!decode(key, rest))
        return err_set(err, ERR_INPUT, "the key does not have %d characters of Z85",
                       KEY_TEXT);
    memcpy(into, rest, KEY_TEXT);
    explicit_bzero(key, sizeof(key));
    return 0;
}

/* Write access to the list admits any key, so only the owner may have it. */
static int check_allow_file(const char *path, struct err *err)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return err_errno(err, "%s", path);
    if (status.st_mode & 022)
        return err_set(err, ERR_DENIED,
                       "other users can write %s (mode %04o); run chmod 644 on it",
                       path, (unsigned)(status.st_mode & 07777));
    return 0;
}

static int holder_order(const void *left, const void *right)
{
    const struct key_holder *a = left, *b = right;

    return strcmp(a->key, b->key);
}

static int allow_line(struct keys *keys, char *word, char *rest, struct err *err)
{
    uint8_t key[KEY_BYTES];
    char *name = rest;
    const char *role_name = strsep(&name, " \t");
    struct key_holder holder;

    if (!decode(key, word))
        return err_set(err, ERR_INPUT,
                       "the line is not `KEY ROLE NAME`; a key has %d characters",
                       KEY_TEXT);
    if (!role_parse(role_name, &holder.role) || !name || !*name)
        return err_set(err, ERR_INPUT,
                       "the line is not `KEY ROLE NAME`; a role is " ROLE_WORDS);
    if (strlen(name) > NAME_LIMIT)
        return err_set(err, ERR_LIMIT, "the name has more than %d characters",
                       NAME_LIMIT);
    if (reject_published(word, err) < 0)
        return -1;
    for (size_t i = 0; i < keys->allowed_count; i++)
        if (!strcmp(keys->allowed[i].key, word))
            return err_set(err, ERR_INPUT,
                           "key of '%s' appears twice in the allow-list; "
                           "remove one of the lines",
                           keys->allowed[i].name);
    memcpy(holder.key, word, sizeof(holder.key));
    holder.name = xstrdup(name);
    keys->allowed =
        xreallocarray(keys->allowed, keys->allowed_count + 1, sizeof(*keys->allowed));
    keys->allowed[keys->allowed_count++] = holder;
    return 0;
}

static int server_line(struct keys *keys, char *word, char *rest, struct err *err)
{
    uint8_t key[KEY_BYTES];

    (void)rest;
    if (keys->server[0] || !decode(key, word))
        return err_set(err, ERR_INPUT,
                       "the file is not one line `KEY ROLE NAME`; use the .pub file of "
                       "the server");
    if (reject_published(word, err) < 0)
        return -1;
    memcpy(keys->server, word, KEY_TEXT);
    return 0;
}

static int read_secret(struct keys *keys, const char *path, struct err *err)
{
    struct stat status;
    char derived[KEY_TEXT + 1];

    if (stat(path, &status) < 0)
        return err_errno(err, "%s", path);
    if (status.st_mode & 077)
        return err_set(err, ERR_DENIED,
                       "other users can read %s (mode %04o); run chmod 600 on it", path,
                       (unsigned)(status.st_mode & 07777));
    if (read_lines(keys, path, secret_line, err) < 0)
        return -1;
    if (!keys->secret[0] || !keys->public[0])
        return err_set(err, ERR_INPUT, "%s lacks the line `secret KEY` or `public KEY`",
                       path);
    if (zmq_curve_public(derived, keys->secret) < 0)
        return err_set(err, ERR_SYSTEM, "%s: %s", path, zmq_strerror(errno));
    if (strcmp(derived, keys->public))
        return err_set(err, ERR_INPUT,
                       "%s: the secret and the public key are not a pair", path);
    return reject_published(keys->public, err) < 0 ? err_wrap(err, "%s", path) : 0;
}

static int open_keys(struct keys **out,
                     const char *key_file,
                     const char *second_file,
                     line_fn *second_line,
                     struct err *err)
{
    struct keys *keys = xcalloc(1, sizeof(*keys));

    if (!zmq_has("curve")) {
        err_set(err, ERR_SYSTEM, "this ZeroMQ library is built without CURVE");
        goto fail;
    }
    if (read_secret(keys, key_file, err) < 0 ||
        read_lines(keys, second_file, second_line, err) < 0)
        goto fail;
    *out = keys;
    return 0;

fail:
    keys_close(keys);
    return err_wrap(err, "reading keys");
}

static void sort_allowed(struct keys *keys)
{
    if (keys->allowed_count > 0)
        qsort(keys->allowed, keys->allowed_count, sizeof(*keys->allowed), holder_order);
}

int keys_open_server(struct keys **out,
                     const char *key_file,
                     const char *allow_file,
                     struct err *err)
{
    if (check_allow_file(allow_file, err) < 0)
        return err_wrap(err, "reading keys");
    if (open_keys(out, key_file, allow_file, allow_line, err) < 0)
        return -1;
    (*out)->allow_file = xstrdup(allow_file);
    sort_allowed(*out);
    return 0;
}

static void free_allowed(struct keys *keys)
{
    for (size_t i = 0; i < keys->allowed_count; i++)
        free(keys->allowed[i].name);
    free(keys->allowed);
}

int keys_reload(struct keys *keys, struct err *err)
{
    struct keys fresh = {0};

    if (check_allow_file(keys->allow_file, err) < 0 ||
        read_lines(&fresh, keys->allow_file, allow_line, err) < 0) {
        free_allowed(&fresh);
        return err_wrap(err, "reading keys");
    }
    sort_allowed(&fresh);
    free_allowed(keys);
    keys->allowed = fresh.allowed;
    keys->allowed_count = fresh.allowed_count;
    return 0;
}

int keys_open_client(struct keys **out,
                     const char *key_file,
                     const char *server_file,
                     struct err *err)
{
    if (open_keys(out, key_file, server_file, server_line, err) < 0)
        return -1;
    if ((*out)->server[0])
        return 0;
    keys_close(*out);
    *out = NULL;
    return err_set(err, ERR_INPUT, "reading keys: %s is empty", server_file);
}

int keys_open_ticket(struct keys **out,
                     const char *server,
                     const char *secret,
                     struct err *err)
{
    struct keys *keys = xcalloc(1, sizeof(*keys));
    uint8_t key[KEY_BYTES];

    if (!decode(key, server) || !decode(key, secret) ||
        zmq_curve_public(keys->public, secret) < 0) {
        keys_close(keys);
        return err_set(err, ERR_INPUT,
                       "a key of the join ticket does not have %d characters",
                       KEY_TEXT);
    }
    explicit_bzero(key, sizeof(key));
    memcpy(keys->server, server, KEY_TEXT);
    memcpy(keys->secret, secret, KEY_TEXT);
    *out = keys;
    return 0;
}

int keys_pair(char public[KEY_TEXT + 1], char secret[KEY_TEXT + 1], struct err *err)
{
    if (zmq_curve_keypair(public, secret) < 0)
        return err_set(err, ERR_SYSTEM, "creating a key pair: %s", zmq_strerror(errno));
    return 0;
}

int keys_admit(struct keys *keys, const char *public, const char *name, struct err *err)
{
    struct key_holder holder = {.role = ROLE_WORKER};
    uint8_t key[KEY_BYTES];

    if (!decode(key, public))
        return err_set(err, ERR_INPUT, "the key of %s does not have %d characters",
                       name, KEY_TEXT);
    memcpy(holder.key, public, KEY_TEXT);
    holder.name = xstrdup(name);
    keys->admitted = xreallocarray(keys->admitted, keys->admitted_count + 1,
                                   sizeof(*keys->admitted));
    keys->admitted[keys->admitted_count++] = holder;
    return 0;
}

void keys_dismiss(struct keys *keys, const char *public)
{
    for (size_t i = 0; i < keys->admitted_count; i++)
        if (!strcmp(keys->admitted[i].key, public)) {
            free(keys->admitted[i].name);
            keys->admitted[i] = keys->admitted[--keys->admitted_count];
            return;
        }
}

void keys_close(struct keys *keys)
{
    if (!keys)
        return;
    free_allowed(keys);
    while (keys->admitted_count > 0)
        free(keys->admitted[--keys->admitted_count].name);
    free(keys->admitted);
    free(keys->allow_file);
    explicit_bzero(keys, sizeof(*keys));
    free(keys);
}

const char *keys_public(const struct keys *keys)
{
    return keys->public;
}

const char *keys_secret(const struct keys *keys)
{
    return keys->secret;
}

const char *keys_server(const struct keys *keys)
{
    return keys->server[0] ? keys->server : NULL;
}

static int key_order(const void *key, const void *holder)
{
    return strcmp(key, ((const struct key_holder *)holder)->key);
}

const struct key_holder *keys_find(const struct keys *keys, const char *key)
{
    for (size_t i = 0; i < keys->admitted_count; i++)
        if (!strcmp(keys->admitted[i].key, key))
            return &keys->admitted[i];
    if (keys->allowed_count == 0)
        return NULL;
    return bsearch(key, keys->allowed, keys->allowed_count, sizeof(*keys->allowed),
                   key_order);
}
