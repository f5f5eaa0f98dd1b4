/* output_capture.h - copies the output of a process from a pipe to a file, up to 4 MiB
 *
 * Output beyond the limit is read and dropped, so that the process never waits for the
 * worker. The runner can start the next point before the worker has read the output of
 * the last one. Therefore the runner prints a mark after each point
 * (runner/protocol/mark.h), and bytes after a mark never go to the file of the bytes
 * before it. */
#ifndef WORKER_PROCESS_OUTPUT_CAPTURE_H
#define WORKER_PROCESS_OUTPUT_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_capture;
struct reactor;

struct output_capture_options {
    int in;           /* read end of the pipe, non-blocking; ownership is taken */
    const char *file; /* created when the output exceeds what is held in memory */
    bool holds;       /* hold up to 4 KiB in memory until output_capture_keep() */
    bool has_marks;
};

struct output_capture *
output_capture_create(struct reactor *reactor,
                      const struct output_capture_options *options);
void output_capture_destroy(struct output_capture *capture); /* NULL is allowed */

/* Reads the available output without waiting. */
void output_capture_read(struct output_capture *capture);
/* Reads up to the mark with this number. The runner has printed the mark already, so
 * there is no wait. With `more`, bytes after the mark stay for
 * output_capture_switch_file(). */
void output_capture_read_to(struct output_capture *capture, uint64_t mark, bool more);
/* Sends further output to another file. */
void output_capture_switch_file(struct output_capture *capture, const char *file);
/* Writes the bytes held in memory to the file. */
void output_capture_keep(struct output_capture *capture);
bool output_capture_has_file(const struct output_capture *capture);
/* Writes the last line of the output, at most its last 256 bytes, in printable form. */
void output_capture_last_line(const struct output_capture *capture,
                              char *out,
                              size_t size);

#endif
