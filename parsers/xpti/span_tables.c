#include "parsers/xpti/span_tables.h"

#include <inttypes.h>
#include <string.h>

/* Writes a cell in quotes; a quote inside is doubled. */
static void put_text(struct text *out, const char *value)
{
    text_add(out, "\"");
    for (; *value; value++)
        text_printf(out, *value == '"' ? "\"\"" : "%c", *value);
    text_add(out, "\",");
}

static void put_us(struct text *out, uint64_t ns)
{
    text_printf(out, "%" PRIu64 ".%03" PRIu64 ",", ns / 1000, ns % 1000);
}

static void put_counts(struct text *out, const struct span_sum *sum)
{
    text_printf(out, "%" PRIu64 ",%" PRIu64 ",", sum->count, sum->unfinished);
}

/* Spans without an end have no time. */
static void put_times(struct text *out, const struct span_sum *sum)
{
    if (sum->count == 0) {
        text_add(out, ",,,,");
        return;
    }
    put_us(out, sum->total_ns);
    put_us(out, sum->total_ns / sum->count);
    put_us(out, sum->least_ns);
    put_us(out, sum->most_ns);
}

#define COUNTS "Count,Unfinished,"
#define TIMES  "Total us,Mean us,Min us,Max us,"

void span_tables_kernels(const struct span_sums *kernels, struct text *out)
{
    text_add(out, "Kernel,File,Line,Device," COUNTS TIMES "\n");
    for (size_t i = 0; i < kernels->count; i++) {
        const struct span_sum *sum = &kernels->sums[i];
        const struct trace_object *object = sum->first->object;

        put_text(out, sum->first->name);
        put_text(out, object ? trace_text(sum->first->process, object->file) : "");
        text_printf(out, "%" PRIu32 ",", object ? object->line : 0);
        put_text(out, object && object->device ? object->device : "");
        put_counts(out, sum);
        put_times(out, sum);
        text_add(out, "\n");
    }
}

void span_tables_transfers(const struct span_sums *transfers, struct text *out)
{
    text_add(out, "Transfer,From,To," COUNTS "Bytes," TIMES "\n");
    for (size_t i = 0; i < transfers->count; i++) {
        const struct span_sum *sum = &transfers->sums[i];
        const struct trace_object *object = sum->first->object;

        put_text(out, sum->first->name);
        put_text(out, object && object->copy_from ? object->copy_from : "");
        put_text(out, object && object->copy_to ? object->copy_to : "");
        put_counts(out, sum);
        text_printf(out, "%" PRIu64 ",", sum->bytes);
        put_times(out, sum);
        text_add(out, "\n");
    }
}

void span_tables_calls(const struct span_sums *calls, struct text *out)
{
    text_add(out, "Call," COUNTS "Failed," TIMES "\n");
    for (size_t i = 0; i < calls->count; i++) {
        const struct span_sum *sum = &calls->sums[i];

        put_text(out, sum->first->name);
        put_counts(out, sum);
        text_printf(out, "%" PRIu64 ",", sum->failed);
        put_times(out, sum);
        text_add(out, "\n");
    }
}
