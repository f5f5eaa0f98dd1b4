/* gate_files.h - writes gate.json, junit.xml, metrics.txt and gate.html */
#ifndef CLI_GATE_GATE_FILES_H
#define CLI_GATE_GATE_FILES_H

#include "cli/gate/gate_report.h"
#include "lib/base/err.h"

/* Creates the folder. Each file has its old or its new content after a crash. */
int gate_files_write(const struct gate_report *report,
                     const char *folder,
                     struct err *err);

#endif
