#include "lib/wire/role.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/mem.h"

static const struct {
    const char *word;
    enum role role;
} roles[] = {
    {"read", ROLE_READ},
    {"submit", ROLE_SUBMIT},
    {"admin", ROLE_ADMIN},
    {"worker", ROLE_WORKER},
};

bool role_parse(const char *word, enum role *role)
{
    for (size_t i = 0; i < COUNT(roles); i++)
        if (!strcmp(roles[i].word, word)) {
            *role = roles[i].role;
            return true;
        }
    return false;
}

const char *role_word(enum role role)
{
    for (size_t i = 0; i < COUNT(roles); i++)
        if (roles[i].role == role)
            return roles[i].word;
    return "any";
}
