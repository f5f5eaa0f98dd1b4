#include "parsers/source/launch_selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"
#include "parsers/source/source_launches.h"

enum { OTHERS_MAX = 100 }; /* bytes of the list of other launches */

bool launch_selection_matches(const char *selection, const char *kernel, uint32_t order)
{
    char folder[300];

    if (strchr(selection, '/'))
        snprintf(folder, sizeof(folder), "%s/%" PRIu32, kernel, order);
    else
        snprintf(folder, sizeof(folder), "%s", kernel);
    return text_matches_any(folder, selection);
}

int launch_selection_fail(const char *selection, const char *others, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "no launch matches '%.64s'; the launches are %s",
                   selection, others);
}

int launch_selection_apply(struct source *source,
                           const char *selection,
                           struct err *err)
{
    struct text others = {0};
    size_t kept = 0;
    int result = 0;

    for (size_t i = 0; i < source->count; i++) {
        struct source_launch *launch = source->launches[i];

        if (launch_selection_matches(selection, launch->kernel, launch->order)) {
            source->launches[kept++] = launch;
            continue;
        }
        if (others.length < OTHERS_MAX)
            text_printf(&others, "%s%s/%" PRIu32, others.length ? ", " : "",
                        launch->kernel, launch->order);
        source_launch_destroy(launch);
    }
    if (kept == 0 && source->count > 0)
        result = launch_selection_fail(selection, text_get(&others), err);
    source->count = kept;
    text_clear(&others);
    return result;
}
