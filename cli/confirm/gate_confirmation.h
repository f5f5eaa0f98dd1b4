/* gate_confirmation.h - confirms the suspects of a gate */
#ifndef CLI_CONFIRM_GATE_CONFIRMATION_H
#define CLI_CONFIRM_GATE_CONFIRMATION_H

#include "cli/gate/gate_run.h"

/* A gate_confirm_fn. `arg` is not used. Without a coordinator, and for requests that it
 * refuses, the suspects stay open, and the reason is printed to stderr. */
gate_confirm_fn gate_confirmation_run;

#endif
