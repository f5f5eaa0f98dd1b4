/* report.h - the threads that run the callbacks of streams */
#ifndef SIM_RUNTIME_STREAM_REPORT_H
#define SIM_RUNTIME_STREAM_REPORT_H

struct stream;

void report_forget(const struct stream *stream); /* call it when the stream has ended */

#endif
