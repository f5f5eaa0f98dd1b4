/* view_put.h - writes members of JSON objects */
#ifndef PARSERS_VIEWER_VIEW_PUT_H
#define PARSERS_VIEWER_VIEW_PUT_H

#include "lib/base/json_write.h"

/* Write one member of the open object. */
void put_text(struct json_write *json, const char *key, const char *value);
void put_number(struct json_write *json, const char *key, int64_t value);
void put_bool(struct json_write *json, const char *key, bool value);
void put_empty_list(struct json_write *json, const char *key);

#endif
