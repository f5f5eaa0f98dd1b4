#include "cli/compare/verdict_filter.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

int verdict_filter_check(const char *only, struct err *err)
{
    char *copy = xstrdup(only), *rest = copy, *word;
    int result = 0;

    while (result == 0 && *only && (word = strsep(&rest, ","))) {
        bool known = false;

        for (enum comparison_outcome i = 0; i < OUTCOME_COUNT; i++)
            known |= strcmp(word, comparison_outcome_name(i)) == 0;
        if (!known)
            result =
                err_set(err, ERR_INPUT,
                        "--only: '%s' is not a verdict; the verdicts are regressed, "
                        "improved, same, inconclusive, not-measured, gone, added",
                        word);
    }
    free(copy);
    return result;
}

bool verdict_filter_matches(const char *only, enum comparison_outcome outcome)
{
    const char *name = comparison_outcome_name(outcome);
    size_t length = strlen(name);

    for (const char *at = only; *at; at += strcspn(at, ",")) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length]))
            return true;
    }
    return *only == '\0';
}
