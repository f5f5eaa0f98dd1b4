/* openapi.h - the OpenAPI description of the API, made from its endpoints */
#ifndef CLI_API_OPENAPI_H
#define CLI_API_OPENAPI_H

#include "lib/base/text.h"

void openapi_write(struct text *out);

#endif
