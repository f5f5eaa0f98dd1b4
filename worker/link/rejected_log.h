/* rejected_log.h - limits the log lines about rejected messages
 *
 * The first message is logged at once, and then at most one line per
 * REJECTED_LOG_MS, so that a broken coordinator cannot fill the log. */
#ifndef WORKER_LINK_REJECTED_LOG_H
#define WORKER_LINK_REJECTED_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { REJECTED_LOG_MS = 60000 };

struct rejected_log {
    uint64_t messages;  /* rejected so far */
    uint64_t logged_ms; /* time of the last line; 0: none */
};

/* Counts a message. Returns true when a line with the count is due. */
bool rejected_log_add(struct rejected_log *rejected, uint64_t now_ms);

#endif
