#include "coordinator/monitor/metrics_token.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "lib/base/file.h"

enum { TOKEN_MIN = 16, TOKEN_MAX = 256 };

static const char characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789-._~+/=";

static int check(const char *token, const char *path, struct err *err)
{
    size_t length = strlen(token);

    if (length < TOKEN_MIN || length > TOKEN_MAX)
        return err_set(err, ERR_INPUT,
                       "%s: a token has %d to %d characters; write one with: openssl "
                       "rand -hex 32 >FILE",
                       path, TOKEN_MIN, TOKEN_MAX);
    if (token[strspn(token, characters)] != '\0')
        return err_set(err, ERR_INPUT,
                       "%s: a token is one line of letters, digits and -._~+/=", path);
    return 0;
}

int metrics_token_read(char **token, const char *path, struct err *err)
{
    struct stat status;
    char *bytes;
    size_t size;

    if (stat(path, &status) < 0)
        return err_errno(err, "%s", path);
    if (status.st_mode & 077)
        return err_set(err, ERR_DENIED,
                       "other users can read %s (mode %04o); run chmod 600 on it", path,
                       (unsigned)(status.st_mode & 07777));
    if (file_read(&bytes, &size, path, TOKEN_MAX + 2, err) < 0)
        return -1;
    bytes[strcspn(bytes, "\r\n")] = '\0';
    if (check(bytes, path, err) < 0) {
        free(bytes);
        return -1;
    }
    *token = bytes;
    return 0;
}

static bool is_equal(const char *token, const char *sent, size_t length)
{
    size_t size = strlen(token);
    volatile unsigned char differ = size != length;

    for (size_t i = 0; i < length; i++)
        differ |= (unsigned char)(sent[i] ^ token[i % size]);
    return !differ;
}

bool metrics_token_is_sent(const char *token, const char *request)
{
    static const char header[] = "authorization:", scheme[] = "bearer ";

    for (const char *line = strstr(request, "\r\n"); line && line[2] != '\r';
         line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, header, strlen(header)) != 0)
            continue;
        const char *value = line + strlen(header);
        value += strspn(value, " \t");
        if (strncasecmp(value, scheme, strlen(scheme)) != 0)
            return false;
        value += strlen(scheme);
        return is_equal(token, value, strcspn(value, " \t\r\n"));
    }
    return false;
}
