#include "lib/base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    va_list args;

    err->code = code;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return -1;
}

int err_errno(struct err *err, const char *fmt, ...)
{
    int number = errno;
    char words[96];
    va_list args;

    err->code = number == ENOENT                        ? ERR_NOT_FOUND
                : number == EACCES || number == EPERM   ? ERR_DENIED
                : number == EISDIR || number == ENOTDIR ? ERR_INPUT
                                                        : ERR_SYSTEM;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof(err->text) - used, ": %s",
             strerror_r(number, words, sizeof(words)));
    errno = number;
    return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
    char front[sizeof(err->text)];
    char whole[2 * sizeof(err->text) + 2];
    va_list args;

    va_start(args, fmt);
    vsnprintf(front, sizeof(front), fmt, args);
    va_end(args);
    snprintf(whole, sizeof(whole), "%s: %s", front, err->text);
    snprintf(err->text, sizeof(err->text), "%.*s", (int)sizeof(err->text) - 1, whole);
    return -1;
}
