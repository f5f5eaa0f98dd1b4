#include "cli/fetch/file_kinds.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

static const struct kind {
    const char *name;
    int bit;
    bool of_job; /* lies in the folder of the job itself */
    const char *suffix;
} kinds_known[] = {
    {"bin", FILE_KIND_BIN, false, ".bin"},
    {"csv", FILE_KIND_CSV, false, ".csv"},
    {"trace", FILE_KIND_TRACE, false, ".json"},
    {"report", FILE_KIND_REPORT, true, ""},
};

static int fail_unknown(const char *word, struct err *err)
{
    const char *names[COUNT(kinds_known) + 1] = {NULL};

    for (size_t i = 0; i < COUNT(kinds_known); i++)
        names[i] = kinds_known[i].name;
    const char *nearest = text_nearest(word, names);
    return err_set(err, ERR_INPUT,
                   "--only: unknown kind '%.40s'%s%s%s; use bin, csv, trace or report, "
                   "divided by commas",
                   word, nearest ? " (did you mean '" : "", nearest ? nearest : "",
                   nearest ? "'?)" : "");
}

int file_kinds_parse(int *kinds, const char *list, struct err *err)
{
    *kinds = 0;
    for (;;) {
        size_t length = strcspn(list, ","), known = 0;
        char word[64];

        snprintf(word, sizeof(word), "%.*s", (int)length, list);
        while (known < COUNT(kinds_known) && strcmp(kinds_known[known].name, word) != 0)
            known++;
        if (known == COUNT(kinds_known))
            return fail_unknown(word, err);
        *kinds |= kinds_known[known].bit;
        if (list[length] == '\0')
            return 0;
        list += length + 1;
    }
}

bool file_kinds_match(int kinds, const char *path)
{
    bool of_job = !strchr(path, '/');

    if (kinds == FILE_KINDS_ALL)
        return true;
    for (size_t i = 0; i < COUNT(kinds_known); i++)
        if ((kinds & kinds_known[i].bit) && kinds_known[i].of_job == of_job &&
            text_has_suffix(path, kinds_known[i].suffix))
            return true;
    return false;
}
