/* gate_evidence_print.h - prints the figures and signs behind a verdict */
#ifndef CLI_GATE_GATE_EVIDENCE_PRINT_H
#define CLI_GATE_GATE_EVIDENCE_PRINT_H

#include "lib/gate/gate.h"

/* Prints two lines for each suspect, at most 100 of them. */
void gate_evidence_print(const struct gate *gate);

#endif
