/* document_fields.h - the members of the answers that are no rows of a message
 *
 * A table has the members of each schema in a short notation; the OpenAPI description
 * is made from it. */
#ifndef CLI_API_DOCUMENT_FIELDS_H
#define CLI_API_DOCUMENT_FIELDS_H

#include <stdbool.h>

#include "lib/base/json_write.h"

/* Writes the JSON schema of the answer as the value of a key. Returns false, and writes
 * nothing, when the table has no such schema. */
bool document_fields_write(struct json_write *json, const char *schema);

#endif
