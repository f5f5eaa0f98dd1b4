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

static enum err_code code_of(int number)
{
    static const struct {
        int number;
        enum err_code code;
    } rows[] = {
        {ENOENT, ERR_NOT_FOUND},   {EACCES, ERR_DENIED},      {EPERM, ERR_DENIED},
        {EISDIR, ERR_INPUT},       {ENOTDIR, ERR_INPUT},      {ENOSPC, ERR_NO_SPACE},
        {EDQUOT, ERR_NO_SPACE},    {EMFILE, ERR_NO_RESOURCE}, {ENFILE, ERR_NO_RESOURCE},
        {ENOMEM, ERR_NO_RESOURCE},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].number == number)
            return rows[i].code;
    return ERR_SYSTEM;
}

int err_errno(struct err *err, const char *fmt, ...)
{
    int number = errno;
    char words[96];
    va_list args;

    err->code = code_of(number);
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
