/* trace_flags.c - names of the slices that SET and WAIT events describe */
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

static const struct {
    const char *name;
    char kind;
} flags[] = {{"SET_FLAG", 's'},
             {"set_event", 's'},
             {"WAIT_FLAG", 'w'},
             {"wait_event", 'w'}};

char trace_flag_kind(const char *name)
{
    for (size_t i = 0; i < COUNT(flags); i++)
        if (strcmp(name, flags[i].name) == 0)
            return flags[i].kind;
    return '\0';
}

bool trace_is_flag(const char *name)
{
    return trace_flag_kind(name) != '\0';
}
