/* gate_evidence_read.h - reads the code and the environment prints of a job */
#ifndef CLI_GATE_GATE_EVIDENCE_READ_H
#define CLI_GATE_GATE_EVIDENCE_READ_H

#include "cli/query/row_source.h"
#include "lib/gate/gate_evidence.h"

int gate_evidence_read(struct gate_evidence *evidence,
                       struct row_source *source,
                       enum comparison_side side,
                       uint64_t job_id,
                       struct err *err);

#endif
