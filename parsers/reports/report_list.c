#include "parsers/reports/report_list.h"

#include <string.h>

#include "lib/base/mem.h"

void *report_list_add(struct report_list *list)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->items = xreallocarray(list->items, list->room, list->size);
    }
    return memset((char *)list->items + list->count++ * list->size, 0, list->size);
}
