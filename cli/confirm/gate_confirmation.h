/* gate_confirmation.h - confirms the suspects of a gate */
#ifndef CLI_CONFIRM_GATE_CONFIRMATION_H
#define CLI_CONFIRM_GATE_CONFIRMATION_H

#include "cli/gate/gate_run.h"

/* A gate_confirm_fn. `arg` is not used. Without a coordinator, and for requests that it
 * refuses, the suspects stay open, and the reason is printed to stderr. */
gate_confirm_fn gate_confirmation_run;

struct confirmation_request;
/* Takes the largest changes, up to `most` of them; the others stay open. Ranks that one
 * card or link slows down are confirmed together. The caller frees request->suspects.
 */
void gate_confirmation_take(struct confirmation_request *request,
                            const struct gate *gate,
                            size_t most);
/* Applies the answers to the suspects that were taken. An answer that names another
 * card or link than the suspect decides nothing: it becomes unknown, with a reason. */
void gate_confirmation_apply(struct gate *gate, struct confirmation_request *request);

#endif
