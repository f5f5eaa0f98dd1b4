/* report.h - who runs the callbacks of a stream */
#ifndef SIM_RUNTIME_REPORT_H
#define SIM_RUNTIME_REPORT_H

struct stream;

void report_forget(const struct stream *stream); /* it has ended */

#endif
