/* layer_launches.h - the kernels that a program launched inside its annotated layers
 *
 * A program marks a layer with an event such as "layer#3" or "decoder.3". An arrow of
 * the category torch_to_npu leads from the framework's call to the start of the kernel.
 * The arrows are read in a second pass over the file, and only when layers are marked,
 * because there is one for each kernel. */
#ifndef PARSERS_HOST_TRACE_LAYER_LAUNCHES_H
#define PARSERS_HOST_TRACE_LAYER_LAUNCHES_H

#include "lib/base/err.h"
#include "parsers/host_trace/trace_list.h"

/* Returns true for a word of layers, then # or ., then a number. `own` is a further
 * word of the user, or NULL. */
bool layer_name_matches(const char *name, const char *own);

/* Sets the launches of a trace with at least two layers. Layers nested in another one
 * of their thread are removed. */
int layer_launches_read(struct trace_view *trace, const char *path, struct err *err);

#endif
