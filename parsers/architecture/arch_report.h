/* arch_report.h - the report about the architecture of the model, in Markdown */
#ifndef PARSERS_ARCHITECTURE_ARCH_REPORT_H
#define PARSERS_ARCHITECTURE_ARCH_REPORT_H

#include "lib/base/text.h"
#include "parsers/architecture/architecture.h"

/* Writes ten sections. */
void arch_report_write(struct text *out, const struct architecture *architecture);
/* Returns the name of the file, by the name of the folder. The caller frees it. */
char *arch_report_file_name(const struct analysis *analysis);

#endif
