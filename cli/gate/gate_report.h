/* gate_report.h - everything that the files of a gate contain
 *
 * The writers append to the text. All members are borrowed. */
#ifndef CLI_GATE_GATE_REPORT_H
#define CLI_GATE_GATE_REPORT_H

#include "lib/gate/gate.h"
#include "lib/gate/gate_reasons.h"

struct map;
struct text;

struct gate_report {
    const char *job_key, *against; /* "": there is no base */
    const char *metric;
    double tolerance;
    const struct gate *gate;
    const struct gate_reasons *reasons;
    const struct gate_result *result;
    const char *sentence;
    const char *problem;       /* why the gate cannot pass, such as no base; or NULL */
    bool simulated;            /* a figure is */
    bool nights_unknown;       /* a change lacks the noise between nights */
    const char *const *drifts; /* a sentence for each drift */
    size_t drift_count;
    const char *environment_change; /* of the cards; NULL: none */
    double false_alarms;            /* share (false_alarms.h); NaN: unknown */
    struct map *seconds; /* key of a point to a double: time that its tasks took */
};

const char *gate_code_name(enum gate_code code); /* "passed", "regressed" ... */

void gate_to_json(const struct gate_report *report, struct text *out);
/* A suite for each kernel with a case for each point, and a suite for the fleet. A case
 * fails or has an error exactly when the exit code is not 0. */
void gate_to_junit(const struct gate_report *report, struct text *out);
/* OpenMetrics text with few digits, because GitLab compares the values as texts. */
void gate_to_metrics(const struct gate_report *report, struct text *out);
void gate_to_html(const struct gate_report *report, struct text *out);

#endif
