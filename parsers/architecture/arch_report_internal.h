/* arch_report_internal.h - sections of the report that are in a file of their own */
#ifndef PARSERS_ARCHITECTURE_ARCH_REPORT_INTERNAL_H
#define PARSERS_ARCHITECTURE_ARCH_REPORT_INTERNAL_H

#include "parsers/architecture/arch_report.h"

void arch_report_decode(struct text *out, const struct architecture *architecture);
void arch_report_pipeline(struct text *out, const struct architecture *architecture);
void arch_report_variation(struct text *out, const struct architecture *architecture);
void arch_report_summary(struct text *out, const struct architecture *architecture);
/* Adds a table of the roles of a layer with their times. */
void arch_report_roles(struct text *out,
                       const struct architecture *architecture,
                       const struct arch_layer *layer);

#endif
