/* report_json_internal.h - members of the JSON that several parts write */
#ifndef PARSERS_ANOMALY_REPORT_REPORT_JSON_INTERNAL_H
#define PARSERS_ANOMALY_REPORT_REPORT_JSON_INTERNAL_H

#include "parsers/anomaly_report/report_json.h"

void json_put_text(struct json_write *json, const char *key, const char *value);
void json_put_bool(struct json_write *json, const char *key, bool value);
void json_put_count(struct json_write *json, const char *key, uint64_t value);
/* Nanoseconds as ms. */
void json_put_ms(struct json_write *json, const char *key, int64_t ns);
/* Nanoseconds as us. */
void json_put_us(struct json_write *json, const char *key, int64_t ns);
/* With six decimals; NaN becomes null. */
void json_put_ratio(struct json_write *json, const char *key, double value);
/* "group_0"; SIZE_MAX becomes null. */
void json_put_group(struct json_write *json, const char *key, size_t group);
void json_put_labels(struct json_write *json, const char *key, unsigned labels);
void json_put_tags(struct json_write *json, const char *key, unsigned tags);

/* bubble_windows and wait_anchor_ops */
void json_write_gaps(struct json_write *json, const struct analysis *analysis);
void json_write_anchors(struct json_write *json, const struct analysis *analysis);
void json_write_structures(struct json_write *json, const struct analysis *analysis);
/* The operators among the first ten of one of the two rankings; or the AI CPU
 * operators.
 */
/* The numbers of the streams of a step, ascending. */
void json_write_streams(struct json_write *json,
                        const struct analysis *analysis,
                        const struct step *step);
/* The operators of the framework with the most time on the host. */
void json_write_host_ops(struct json_write *json, const struct analysis *analysis);
void json_write_ops(struct json_write *json,
                    const struct analysis *analysis,
                    bool aicpu);

#endif
