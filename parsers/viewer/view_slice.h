/* view_slice.h - parameters and members that the timeline requests share */
#ifndef PARSERS_VIEWER_VIEW_SLICE_H
#define PARSERS_VIEWER_VIEW_SLICE_H

#include "parsers/trace_index/trace_index.h"
#include "parsers/viewer/view_call.h"

/* Finds the timeline of the card that a parameter names. */
int call_index(struct view_call *call,
               const char *card_name,
               const struct trace_index **index);
/* Finds the slice of rankId, pid, tid and id. */
int call_slice(struct view_call *call,
               struct view_file **file,
               const struct trace_index **index,
               const struct trace_slice **slice);
/* Checks metaType: a timeline of this kind has "TEXT" only. */
int call_kind(struct view_call *call);

void put_slice_id(struct json_write *json, const struct trace_slice *slice);
/* Writes tid and pid. */
void put_lane_names(struct json_write *json,
                    const struct trace_index *index,
                    uint32_t lane);

#endif
