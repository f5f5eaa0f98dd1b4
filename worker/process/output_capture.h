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

struct printed;
struct reactor;

struct printed_options {
    int in;           /* the pipe's end; ours from now on, and does not block */
    const char *file; /* made by the first byte that is more than is held */
    bool holds;       /* keeps a little in memory until printed_keep() */
    bool has_marks;
};

struct printed *printed_create(struct reactor *reactor,
                               const struct printed_options *options);
void printed_destroy(struct printed *printed); /* NULL is welcome */

/* Takes what there is, without waiting for more. */
void printed_hear(struct printed *printed);
/* Takes what was printed up to the mark of this number: it is there, or never comes.
 * With `more` what stands behind it waits for printed_into(). */
void printed_hear_to(struct printed *printed, uint64_t mark, bool more);
/* What was heard until now stays where it is; what comes goes into another file. */
void printed_into(struct printed *printed, const char *file);
/* What is only held goes into the file. */
void printed_keep(struct printed *printed);
bool printed_has_file(const struct printed *printed);
/* The last line, as far as it was kept. */
void printed_last_words(const struct printed *printed, char *out, size_t size);

#endif
