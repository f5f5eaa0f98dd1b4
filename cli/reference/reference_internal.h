/* reference_internal.h - one function per generated page; for reference*.c only */
#ifndef CLI_REFERENCE_REFERENCE_INTERNAL_H
#define CLI_REFERENCE_REFERENCE_INTERNAL_H

#include "lib/base/err.h"
#include "lib/base/text.h"

int reference_commands(struct text *out, const char *schema, struct err *err);
int reference_settings(struct text *out, const char *schema, struct err *err);
int reference_job_keys(struct text *out, const char *schema, struct err *err);
int reference_job_manual(struct text *out, const char *schema, struct err *err);

#endif
