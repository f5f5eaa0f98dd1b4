#include "parsers/view_rows/view_put.h"

void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void put_number(struct json_write *json, const char *key, int64_t value)
{
    json_write_key(json, key);
    json_write_i64(json, value);
}

void put_bool(struct json_write *json, const char *key, bool value)
{
    json_write_key(json, key);
    json_write_bool(json, value);
}

void put_empty_list(struct json_write *json, const char *key)
{
    json_write_key(json, key);
    json_write_array(json);
    json_write_array_end(json);
}
