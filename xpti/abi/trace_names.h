/* trace_names.h - names of trace types and event types */
#ifndef XPTI_ABI_TRACE_NAMES_H
#define XPTI_ABI_TRACE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns "task_begin" and the like, or "unknown" for a type without a name. */
const char *xpti_trace_type_name(uint16_t type);
/* Returns the name of what a begin and its end enclose: "task". */
const char *xpti_span_name(uint16_t begin);
/* Returns the type with the name, or 0 when no type has it. */
uint16_t xpti_trace_type_find(const char *name);
/* Returns true when the type has a name. */
bool xpti_trace_type_is_known(uint16_t type);
const char *xpti_event_type_name(uint16_t event_type);

#endif
