#include "parsers/viewer/view_slice.h"

#include <string.h>

#include "lib/base/num.h"
#include "parsers/view_file/view_file.h"
#include "parsers/view_file/view_timeline.h"

static int get_index(struct view_call *call,
                     struct view_file *file,
                     const struct trace_index **index)
{
    struct err err;

    return view_timeline_get(index, file, &err) < 0
               ? call_fail_err(call, VIEW_UNREAD, &err)
               : 0;
}

int call_index(struct view_call *call,
               const char *card_name,
               const struct trace_index **index)
{
    struct view_file *file;

    return call_card(call, card_name, &file) < 0 ? -1 : get_index(call, file, index);
}

int call_kind(struct view_call *call)
{
    const char *kind;

    if (call_text(call, "metaType", &kind) < 0)
        return -1;
    return strcmp(kind, "TEXT") == 0
               ? 0
               : call_fail(call, VIEW_PARAMETER,
                           "params.metaType '%.40s' is unknown; expected 'TEXT'", kind);
}

int call_slice(struct view_call *call,
               struct view_file **file,
               const struct trace_index **index,
               const struct trace_slice **slice)
{
    const char *pid, *tid, *id;
    uint64_t number;

    if (call_card(call, "rankId", file) < 0 || get_index(call, *file, index) < 0 ||
        call_text(call, "pid", &pid) < 0 || call_text(call, "tid", &tid) < 0 ||
        call_text(call, "id", &id) < 0 || call_kind(call) < 0)
        return -1;
    *slice = num_parse_u64(id, &number) ? trace_find_slice(*index, number) : NULL;
    if (!*slice ||
        trace_slice_lane(*index, *slice) != trace_find_lane(*index, pid, tid))
        return call_fail(call, VIEW_DATA,
                         "lane '%.80s' of '%.80s' has no slice '%.40s'", tid, pid, id);
    return 0;
}

void put_slice_id(struct json_write *json, const struct trace_slice *slice)
{
    json_write_key(json, "id");
    json_write_wide_u64(json, slice->id);
}

void put_lane_names(struct json_write *json,
                    const struct trace_index *index,
                    uint32_t lane)
{
    uint32_t process = index->lanes[lane].process;

    put_text(json, "tid", names_text(index->names, index->lanes[lane].tid));
    put_text(json, "pid", names_text(index->names, index->processes[process].pid));
}
