/* json.h - reads JSON in one pass, member by member
 *
 * After an error the reader stays in the error state and returns nothing more. Strings
 * keep their escapes, because no relevant string has any. */
#ifndef SIM_HCCL_RANKS_JSON_H
#define SIM_HCCL_RANKS_JSON_H

#include <stdbool.h>

#define JSON_TEXT 128 /* longer strings are cut */

struct json {
    const char *at;
    unsigned depth;
    bool bad;
};

/* The function must consume the value of the member. */
typedef void json_member_fn(struct json *json, const char *key, void *arg);
typedef void json_element_fn(struct json *json, void *arg);

void json_object(struct json *json, json_member_fn *member, void *arg);
void json_array(struct json *json, json_element_fn *element, void *arg);
void json_scalar(struct json *json,
                 char *out); /* a string, a number, true, false or null */
void json_skip(struct json *json);
bool json_is_over(struct json *json); /* true when only white space is left */

#endif
