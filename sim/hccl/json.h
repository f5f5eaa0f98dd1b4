/* json.h - reading JSON from the front to the end, member by member
 *
 * A reader that met something wrong stays so and gives nothing more. Strings keep their
 * escapes: nothing that matters here has any. */
#ifndef SIM_HCCL_JSON_H
#define SIM_HCCL_JSON_H

#include <stdbool.h>

#define JSON_TEXT 128 /* longer strings are cut */

struct json {
    const char *at;
    unsigned depth;
    bool bad;
};

/* Must take the member's value. */
typedef void json_member_fn(struct json *json, const char *key, void *arg);
typedef void json_element_fn(struct json *json, void *arg);

void json_object(struct json *json, json_member_fn *member, void *arg);
void json_array(struct json *json, json_element_fn *element, void *arg);
void json_scalar(struct json *json, char *out); /* a string, a number or a word */
void json_skip(struct json *json);
bool json_is_over(struct json *json); /* nothing but blanks is left */

#endif
