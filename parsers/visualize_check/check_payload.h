/* check_payload.h - the rules of each block type, for check.c */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_PAYLOAD_H
#define PARSERS_VISUALIZE_CHECK_CHECK_PAYLOAD_H

#include "parsers/visualize_check/check_report.h"

/* check_details.c */
void check_basic_info(struct checker *checker, const struct json_node *root);
void check_workload(struct checker *checker, const struct json_node *root);
void check_memory_map(struct checker *checker, const struct json_node *root);
void check_memory_table(struct checker *checker, const struct json_node *root);

/* check_load.c */
void check_occupancy(struct checker *checker, const struct json_node *root);
void check_roofline(struct checker *checker, const struct json_node *root);

/* check_source.c */
void check_files(struct checker *checker, const struct json_node *root);
void check_instructions(struct checker *checker, const struct json_node *root);
void check_cachelines(struct checker *checker, const struct json_node *root);
void check_stalls(struct checker *checker, const struct json_node *root);
/* Checks the records of 32 bytes of BIN_MEMORY_RECORDS and BIN_CACHE_SETS. */
void check_tracekit(struct checker *checker);
/* Checks a source file against the limits of the viewer's display. */
void check_code_text(struct checker *checker, const uint8_t *bytes, size_t size);

/* check_trace.c: parses the payload event by event, because its tree may not fit into
 * memory. */
void check_trace(struct checker *checker);

#endif
