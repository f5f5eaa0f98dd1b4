/* report_list.h - a growing array of items of one size */
#ifndef PARSERS_REPORTS_REPORT_LIST_H
#define PARSERS_REPORTS_REPORT_LIST_H

#include <stddef.h>

/* All zero but `size` is an empty list. The owner frees `items`. */
struct report_list {
    void *items;
    size_t count, room, size;
};

/* Adds an item of zeros. */
void *report_list_add(struct report_list *list);

#endif
