#include "lib/wire/message_words.h"

#include <string.h>

#include "lib/base/mem.h"

static const char *const rank_status_words[] = {
    [RANK_DONE] = "done",
    [RANK_FAILED] = "failed",
    [RANK_TIMEOUT] = "timeout",
    [RANK_NOT_INJECTED] = "not-injected",
    [RANK_CANCELLED] = "cancelled",
    [RANK_NOT_STARTED] = "not-started",
    [RANK_LOST] = "lost",
    [RANK_NOTHING_PROFILED] = "nothing-profiled",
    [RANK_TOO_FEW_LAUNCHES] = "too-few-launches",
};

const char *rank_status_word(enum rank_status status)
{
    return rank_status_words[status];
}

bool rank_status_parse(const char *word, enum rank_status *status)
{
    for (size_t i = 0; i < COUNT(rank_status_words); i++)
        if (!strcmp(word, rank_status_words[i])) {
            *status = (enum rank_status)i;
            return true;
        }
    return false;
}

static const char *const refusal_words[] = {
    [ERR_NONE] = "none",           [ERR_SYSTEM] = "system",
    [ERR_NOT_FOUND] = "not-found", [ERR_INPUT] = "input",
    [ERR_LIMIT] = "limit",         [ERR_CONFLICT] = "conflict",
    [ERR_DENIED] = "denied",       [ERR_UNREACHABLE] = "unreachable",
    [ERR_TIMEOUT] = "timeout",     [ERR_STORE] = "store",
    [ERR_NO_SPACE] = "no-space",   [ERR_NO_RESOURCE] = "no-resource",
    [ERR_INTERNAL] = "internal",
};

const char *refusal_word(enum err_code code)
{
    return refusal_words[code];
}

enum err_code refusal_code(const char *word)
{
    for (size_t i = 0; i < COUNT(refusal_words); i++)
        if (!strcmp(word, refusal_words[i]))
            return (enum err_code)i;
    return ERR_INTERNAL;
}
