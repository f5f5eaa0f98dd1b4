/* check_report.h - between check.c, which walks, and what looks into payloads */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_REPORT_H
#define PARSERS_VISUALIZE_CHECK_CHECK_REPORT_H

#include "lib/base/json_tree.h"
#include "parsers/visualize_check/check.h"

struct checker {
    check_fn *fn;
    void *arg;
    size_t errors;
    const struct bin_block *block; /* NULL: the file as a whole */
    struct arena *arena;
    struct map *code;    /* paths of 0x01 */
    struct map *sources; /* those that 0x03 has lines of */
};

void check_error(struct checker *checker, const char *rule, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void check_warn(struct checker *checker, const char *rule, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* By block type: what its JSON must be. */
void check_basic_info(struct checker *checker, const struct json_node *root);
void check_workload(struct checker *checker, const struct json_node *root);
void check_memory_map(struct checker *checker, const struct json_node *root);
void check_memory_table(struct checker *checker, const struct json_node *root);
void check_occupancy(struct checker *checker, const struct json_node *root);
void check_roofline(struct checker *checker, const struct json_node *root);
void check_files(struct checker *checker, const struct json_node *root);
void check_instructions(struct checker *checker, const struct json_node *root);
void check_cachelines(struct checker *checker, const struct json_node *root);
void check_stalls(struct checker *checker, const struct json_node *root);
/* Reads its block itself: a tree of it may not fit. */
void check_trace(struct checker *checker);

/* Records of 32 bytes: 0x0A and 0x0B. */
void check_tracekit(struct checker *checker);
/* A file of source code as a viewer shows it. */
void check_code_text(struct checker *checker, const uint8_t *bytes, size_t size);

/* A text or a number: what the reader turns into text by itself. */
bool check_is_scalar(const struct json_node *node);
/* The member, told when it is missing or of another kind. */
const struct json_node *check_member(struct checker *checker,
                                     const struct json_node *object,
                                     const char *key,
                                     enum json_kind kind);
void check_scalar(struct checker *checker,
                  const struct json_node *object,
                  const char *key);
/* An array of texts only. */
void check_texts(struct checker *checker,
                 const struct json_node *object,
                 const char *key);
/* True when all children of `array` have different values of `key`; tells others. */
void check_unique(struct checker *checker,
                  const struct json_node *array,
                  const char *key);

#endif
