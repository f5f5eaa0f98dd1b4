#include "lib/capture/core_list.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/num.h"

/* Reads "3" or "3-5". */
static int read_entry(struct core_list *list, const char *entry, struct err *err)
{
    uint64_t first, last;
    const char *dash = strchr(entry, '-');
    char begin[32];

    snprintf(begin, sizeof(begin), "%.*s", (int)(dash ? dash - entry : 31), entry);
    if (!num_parse_u64(begin, &first) ||
        !num_parse_u64(dash ? dash + 1 : begin, &last) || first > last ||
        last >= CORE_LIST_MAX)
        return err_set(err, ERR_INPUT,
                       "'%.40s' is no core number below %d and no range; write a list "
                       "such as 0,2-3",
                       entry, CORE_LIST_MAX);
    for (; first <= last; first++)
        list->has[first] = true;
    return 0;
}

int core_list_parse(struct core_list *list, const char *text, struct err *err)
{
    char entry[32];

    *list = (struct core_list){.is_limited = text != NULL};
    for (const char *at = text; at; at++) {
        size_t length = strcspn(at, ",");

        snprintf(entry, sizeof(entry), "%.*s", (int)length, at);
        if (read_entry(list, entry, err) < 0)
            return -1;
        at += length;
        if (!*at)
            break;
    }
    return 0;
}

bool core_list_has(const struct core_list *list, unsigned core)
{
    return !list->is_limited || (core < CORE_LIST_MAX && list->has[core]);
}
