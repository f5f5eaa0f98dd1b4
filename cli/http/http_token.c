#include "cli/http/http_token.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { FILE_LIMIT = 4096, TOKEN_LEAST = 24, TOKEN_MOST = 200 };

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static char *hash_of(const char *secret, size_t length)
{
    static const char purpose[] = "muster serve token 1:";
    unsigned char hash[SHA256_DIGEST_LENGTH];
    struct text text = {0};

    text_add(&text, purpose);
    text_add_bytes(&text, secret, length);
    SHA256((const unsigned char *)text.bytes, text.length, hash);
    explicit_bzero(text.bytes, text.length);
    text_reset(&text);
    for (size_t i = 0; i < sizeof(hash); i++)
        text_printf(&text, "%02x", hash[i]);
    return text_take(&text);
}

static char *find_token(const char *bytes)
{
    static const char secret[] = "secret ";

    for (const char *line = bytes; *line; line += strspn(line, "\r\n")) {
        size_t length = strcspn(line, "\r\n");

        if (text_has_prefix(line, secret) && length > strlen(secret))
            return hash_of(line + strlen(secret), length - strlen(secret));
        if (line[0] != '#' && strspn(line, letters) == length &&
            length >= TOKEN_LEAST && length <= TOKEN_MOST)
            return xstrndup(line, length);
        line += length;
    }
    return NULL;
}

int http_token_read(char **token, const char *path, struct err *err)
{
    struct stat status;
    char *bytes;
    size_t size;

    if (stat(path, &status) < 0)
        return err_errno(err, "reading the token %s", path);
    if (status.st_mode & 077)
        return err_set(err, ERR_DENIED,
                       "other users can read the token %s (mode %04o); run chmod 600 "
                       "on it",
                       path, (unsigned)(status.st_mode & 07777));
    if (file_read(&bytes, &size, path, FILE_LIMIT, err) < 0)
        return err_wrap(err, "reading the token");
    *token = find_token(bytes);
    explicit_bzero(bytes, size);
    free(bytes);
    if (!*token)
        return err_set(err, ERR_INPUT,
                       "%s has no token: a line of %d to %d letters, digits, '-' or "
                       "'_', or a key of 'muster keygen --role read'",
                       path, TOKEN_LEAST, TOKEN_MOST);
    return 0;
}
