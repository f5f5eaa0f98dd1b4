/* record_json.h - writes the fields of a capture record as JSON members */
#ifndef CLI_CAPTURE_RECORD_JSON_H
#define CLI_CAPTURE_RECORD_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/json_write.h"

/* Writes the fields into the open object. A record of an unknown type, or one that is
 * too short, has no members. */
void record_json_write(struct json_write *json,
                       const char *type,
                       const uint8_t *record,
                       size_t size);

#endif
