/* advice_list.h - the advice on the launches of a job, or the notes about them */
#ifndef CLI_QUERY_ADVICE_LIST_H
#define CLI_QUERY_ADVICE_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "cli/query/result_filter.h"
#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct map;
struct row_source;

typedef void advice_launch_fn(const struct msg_launch_row *row, void *arg);

enum advice_kind {
    ADVICE_ON_KERNELS,
    ADVICE_NOTES, /* about the measurement */
};

/* Calls fn for each launch with texts of this kind that the filter selects by axis,
 * kernel and rank. The filter is compiled and borrowed; it has no card. */
int advice_each_launch(struct row_source *source,
                       uint64_t job_id,
                       enum advice_kind kind,
                       struct result_filter *filter,
                       advice_launch_fn *fn,
                       void *arg,
                       struct err *err);

/* Each text on a kernel in a point once. All zero but `kind` is an empty list. */
struct advice_list {
    enum advice_kind kind;
    struct advice_item {
        uint64_t point;
        char *point_text, *kernel, *text;
        uint64_t launches; /* that have this text */
        size_t order;      /* in which it was added */
    } * items;
    size_t count, room;
    struct map
        *known; /* "POINT\nKERNEL\nTEXT" -> position + 1, until the list is sorted
                 */
};

/* Adds the texts of a launch. `arg` is the list, so that this is an advice_launch_fn.
 */
void advice_list_add(const struct msg_launch_row *row, void *arg);
/* Sorts the items by point and kernel, after the last one was added. */
void advice_list_sort(struct advice_list *list);
void advice_list_clear(struct advice_list *list);

#endif
