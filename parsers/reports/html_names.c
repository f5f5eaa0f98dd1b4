#include "parsers/reports/html_names.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/reports/model.h"

/* The kernel is left out of the names when the job has only one. */
char **report_work_names(const struct report *report)
{
    size_t count;
    const struct report_work *works = report_works(report, &count);
    char **names = xcalloc(count + 1, sizeof(*names));

    for (size_t i = 0; i < count; i++) {
        bool alone = strcmp(works[0].kernel, works[count - 1].kernel) == 0;

        if (alone && *works[i].shape)
            names[i] = xstrdup(works[i].shape);
        else
            names[i] = xasprintf("%s%s%s", works[i].kernel, *works[i].shape ? " " : "",
                                 works[i].shape);
    }
    return names;
}

char **report_card_names(const struct report *report)
{
    size_t count;
    const struct report_card *cards = report_cards(report, &count);
    char **names = xcalloc(count + 1, sizeof(*names));

    for (size_t i = 0; i < count; i++)
        names[i] =
            xasprintf("%s:%llu", cards[i].host, (unsigned long long)cards[i].card);
    return names;
}

void report_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}
