/* view_handlers.h - the handlers of all commands; view_handlers.c has the table */
#ifndef PARSERS_VIEWER_VIEW_HANDLERS_H
#define PARSERS_VIEWER_VIEW_HANDLERS_H

#include "parsers/viewer/view_call.h"

/* answers_global.c */
view_answer_fn answer_heart_check, answer_modules, answer_projects, answer_folder,
    answer_check_project, answer_remove_project, answer_clear_projects,
    answer_rename_project, answer_set_baseline, answer_cancel_baseline;
/* answers_import.c */
view_answer_fn answer_import, answer_reset, answer_delete, answer_alias;
/* answers_timeline.c */
view_answer_fn answer_slices, answer_summary, answer_slice_list, answer_slice_detail;
/* answers_search.c */
view_answer_fn answer_search_count, answer_search_hit, answer_search_all,
    answer_same_name, answer_one_slice;
/* answers_arrows.c */
view_answer_fn answer_counter, answer_arrows_of_slice, answer_arrow_kinds,
    answer_arrows_of_kind;
/* answers_source.c */
view_answer_fn answer_source_text, answer_lines, answer_old_lines, answer_instructions,
    answer_raw_instructions;
/* answers_details.c */
view_answer_fn answer_basic_info, answer_workload;
/* answers_memory.c */
view_answer_fn answer_memory_map, answer_memory_table;
/* answers_load.c */
view_answer_fn answer_core_load;
/* answers_roofline.c */
view_answer_fn answer_roofline, answer_cachelines, answer_stalls;

#endif
