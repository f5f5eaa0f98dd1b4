#include "parsers/viewer/view_handlers.h"

#include <string.h>

#include "lib/base/mem.h"
#include "parsers/viewer/viewer_internal.h"

static const struct {
    const char *module, *command;
    view_answer_fn *answer;
} handlers[] = {
    {"global", "heartCheck", answer_heart_check},
    {"global", "moduleConfig/get", answer_modules},
    {"global", "files/getProjectExplorer", answer_projects},
    {"global", "files/get", answer_folder},
    {"global", "files/checkProjectValid", answer_check_project},
    {"global", "files/deleteProjectExplorer", answer_remove_project},
    {"global", "files/clearProjectExplorer", answer_clear_projects},
    {"global", "files/updateProjectExplorer", answer_rename_project},
    {"global", "global/setBaseline", answer_set_baseline},
    {"global", "global/cancelBaseline", answer_cancel_baseline},
    {"timeline", "import/action", answer_import},
    {"timeline", "remote/reset", answer_reset},
    {"timeline", "remote/delete", answer_delete},
    {"timeline", "unit/setCardAlias", answer_alias},
    {"timeline", "unit/threadTraces", answer_slices},
    {"timeline", "unit/threadTracesSummary", answer_summary},
    {"timeline", "unit/threads", answer_slice_list},
    {"timeline", "unit/threadDetail", answer_slice_detail},
    {"timeline", "unit/one/kernelDetail", answer_one_slice},
    {"timeline", "unit/counter", answer_counter},
    {"timeline", "unit/flows", answer_arrows_of_slice},
    {"timeline", "flow/categoryList", answer_arrow_kinds},
    {"timeline", "flow/categoryEvents", answer_arrows_of_kind},
    {"timeline", "search/count", answer_search_count},
    {"timeline", "search/slice", answer_search_hit},
    {"timeline", "search/all/slices", answer_search_all},
    {"timeline", "query/all/same/operators/duration", answer_same_name},
    {"source", "source/code/file", answer_source_text},
    {"source", "source/api/line", answer_old_lines},
    {"source", "source/api/line/dynamic", answer_lines},
    {"source", "source/api/instructions", answer_raw_instructions},
    {"source", "source/api/instructions/dynamic", answer_instructions},
    {"source", "source/details/baseInfo", answer_basic_info},
    {"source", "source/details/computeworkload", answer_workload},
    {"source", "source/details/memoryGraph", answer_memory_map},
    {"source", "source/details/memoryTable", answer_memory_table},
    {"source", "source/details/interCoreLoadAnalysis", answer_core_load},
    {"source", "source/details/roofline", answer_roofline},
    {"source", "source/cache/cachelineRecords", answer_cachelines},
    {"source", "source/queryTopWarpStallReason", answer_stalls},
};

view_answer_fn *view_handler(const char *module, const char *command, bool *has_module)
{
    *has_module = false;
    for (size_t i = 0; i < COUNT(handlers); i++) {
        bool same = strcmp(handlers[i].module, module) == 0;

        *has_module |= same;
        if (same && strcmp(handlers[i].command, command) == 0)
            return handlers[i].answer;
    }
    return NULL;
}
