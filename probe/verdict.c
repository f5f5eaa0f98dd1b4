/* verdict.c - names of verdicts, and the text of a report */
#include <stdarg.h>
#include <stdio.h>

#include "probe/probe.h"

static const char *const names[PROBE_VERDICTS] = {
    [PROBE_CONFIRMED] = "confirmed", [PROBE_DIFFERS] = "differs",
    [PROBE_FACT] = "fact",           [PROBE_BY_HAND] = "by-hand",
    [PROBE_NOT_HERE] = "not-here",
};

const char *probe_verdict_name(enum probe_verdict verdict)
{
    return names[verdict];
}

void probe_report_add(struct probe_report *report, const char *format, ...)
{
    size_t room = sizeof(report->text) - report->length;
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(report->text + report->length, room, format, args);
    va_end(args);
    if (size > 0)
        report->length += (size_t)size < room ? (size_t)size : room - 1;
}
