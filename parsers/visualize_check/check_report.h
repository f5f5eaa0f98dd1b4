/* check_report.h - reports broken rules; checks that the files of this folder share */
#ifndef PARSERS_VISUALIZE_CHECK_CHECK_REPORT_H
#define PARSERS_VISUALIZE_CHECK_CHECK_REPORT_H

#include "lib/base/json_tree.h"
#include "parsers/container/bin.h"
#include "parsers/visualize_check/check_problem.h"

struct checker {
    check_fn *fn;
    void *arg;
    size_t errors;
    const struct bin_block *block; /* NULL: the problem is of the file as a whole */
    struct arena *arena;
    struct map *code;    /* paths of the BIN_CODE blocks */
    struct map *sources; /* paths with lines in the BIN_FILES block */
};

/* Report a problem of checker->block. The rule is a short key, such as "code-path". */
void check_error(struct checker *checker, const char *rule, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void check_warn(struct checker *checker, const char *rule, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns true for a text or a number, which the reader converts to text. */
bool check_is_scalar(const struct json_node *node);
/* Returns the member. Reports a missing member and one of another kind, and returns
 * NULL for both. */
const struct json_node *check_member(struct checker *checker,
                                     const struct json_node *object,
                                     const char *key,
                                     enum json_kind kind);
void check_scalar(struct checker *checker,
                  const struct json_node *object,
                  const char *key);
/* Reports a member that is not an array of texts. */
void check_texts(struct checker *checker,
                 const struct json_node *object,
                 const char *key);
/* Reports children of `array` that have the same value of `key`. */
void check_unique(struct checker *checker,
                  const struct json_node *array,
                  const char *key);

#endif
