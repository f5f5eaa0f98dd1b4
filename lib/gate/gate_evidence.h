/* gate_evidence.h - code and environment of both sides of a comparison
 *
 * Equal code excludes the kernel as the cause of a change; a changed environment
 * (driver, firmware, CANN) is a cause of its own. A figure without hash or environment
 * leaves the question open. */
#ifndef LIB_GATE_GATE_EVIDENCE_H
#define LIB_GATE_GATE_EVIDENCE_H

#include "lib/compare/comparison.h"
#include "lib/compare/environments.h"

enum gate_sign { SIGN_UNKNOWN, SIGN_EQUAL, SIGN_DIFFERS };

struct gate_evidence;

struct gate_evidence *gate_evidence_create(void);
void gate_evidence_destroy(struct gate_evidence *evidence); /* NULL is allowed */

/* Adds the hash of the code that a launch of the kernel at the point had; "": unknown.
 * `point` is the text of the task. */
void gate_evidence_add_code(struct gate_evidence *evidence,
                            enum comparison_side side,
                            const char *point,
                            const char *kernel,
                            const char *hash);
/* Returns the environments of the cards of a side, which the caller fills. */
struct environments *gate_evidence_environments(struct gate_evidence *evidence,
                                                enum comparison_side side);

/* Return SIGN_EQUAL when both sides have the same single hash or environment. */
enum gate_sign gate_evidence_code(const struct gate_evidence *evidence,
                                  const char *point,
                                  const char *kernel);
enum gate_sign gate_evidence_environment(const struct gate_evidence *evidence,
                                         const char *serial);
/* Returns what changed in the environments (environments_change()); NULL: nothing. The
 * caller frees the text. */
char *gate_evidence_environment_change(const struct gate_evidence *evidence);

#endif
