/* capture_list.h - lists the ranks of a capture and their files */
#ifndef PARSERS_CAPTURE_REPORT_CAPTURE_LIST_H
#define PARSERS_CAPTURE_REPORT_CAPTURE_LIST_H

#include "lib/base/json_write.h"
#include "lib/base/text.h"
#include "parsers/framework/rank_list.h"

/* Adds each rank with its files, and what each missing file costs. */
void capture_list_text(struct text *out, const struct rank_folders *folders);
void capture_list_json(struct json_write *json, const struct rank_folders *folders);

#endif
