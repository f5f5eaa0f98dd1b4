/* output_capture.h - what a program prints: from a pipe into a file, up to a limit
 *
 * What is beyond the limit is read and forgotten, so that the program never waits for
 * us. A process that takes one point after the other runs ahead of us, so between what
 * it prints for one and for the next it prints a mark (runner/protocol/mark.h): nothing
 * from behind a mark goes to where the bytes before it go. */
#ifndef WORKER_PROCESS_OUTPUT_CAPTURE_H
#define WORKER_PROCESS_OUTPUT_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_capture;
struct reactor;

struct output_capture_options {
    int in;           /* the pipe's end; ours from now on, and does not block */
    const char *file; /* made by the first byte that is more than is held */
    bool holds;       /* keeps a little in memory until output_capture_keep() */
    bool has_marks;
};

struct output_capture *
output_capture_create(struct reactor *reactor,
                      const struct output_capture_options *options);
void output_capture_destroy(struct output_capture *printed); /* NULL is welcome */

/* Takes what there is, without waiting for more. */
void output_capture_read(struct output_capture *printed);
/* Takes what was printed up to the mark of this number: it is there, or never comes.
 * With `more` what stands behind it waits for output_capture_into(). */
void output_capture_read_to(struct output_capture *printed, uint64_t mark, bool more);
/* What was heard until now stays where it is; what comes goes into another file. */
void output_capture_into(struct output_capture *printed, const char *file);
/* What is only held goes into the file. */
void output_capture_keep(struct output_capture *printed);
bool output_capture_has_file(const struct output_capture *printed);
/* The last line, as far as it was kept. */
void output_capture_last_words(const struct output_capture *printed,
                               char *out,
                               size_t size);

#endif
