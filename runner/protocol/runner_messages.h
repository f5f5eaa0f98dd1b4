/* runner_messages.h - messages between the worker and the resident runner
 *
 * The runner inherits one end of a SOCK_SEQPACKET pair. The worker sends POINT: the
 * words of one operator call and, for a measured call, a socket on which inject
 * connects to the worker. The runner executes the call, answers END, and reads the next
 * POINT, which can wait in the socket already. Until the runner has read a POINT, the
 * worker can recall it. The runner ends when the socket is closed, and after a point
 * that damaged it. Each message is checked completely before it is used. */
#ifndef RUNNER_PROTOCOL_RUNNER_MESSAGES_H
#define RUNNER_PROTOCOL_RUNNER_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum {
    RUNNER_MESSAGES_BYTES_MAX = 128 * 1024, /* size of a message */
    RUNNER_MESSAGES_WORDS_MAX = 1100,
    RUNNER_MESSAGES_WORDS_FOR_RUNNER = 5, /* before the words of the operator */
};

/* The first words of a point, in this order; those of the operator follow. */
enum runner_messages_word {
    RUNNER_MESSAGES_PROGRAM, /* path of the runner */
    RUNNER_MESSAGES_KIND,    /* "kernel" or "library" */
    RUNNER_MESSAGES_FILE,
    RUNNER_MESSAGES_ENTRY,  /* function name; "": name of the file */
    RUNNER_MESSAGES_BLOCKS, /* number of blocks of a kernel */
};

struct runner_messages_point {
    uint64_t number;
    const char *cwd;
    const char **words; /* NULL-terminated; borrowed from the buffer when received */
    size_t count;
    int inject_fd; /* socket for inject, or -1: not measured. The receiver closes it. */
};

struct runner_messages_end {
    uint64_t number; /* of the point */
    int64_t exit_code;
    uint64_t left_bytes; /* device memory that the point did not free */
    bool damaged;        /* the state of the card is unknown: the runner ends */
    uint64_t began_wall_ns, ended_wall_ns;
};

struct runner_messages; /* one end of the socket pair */

int runner_messages_pair(int ends[2], struct err *err);

struct runner_messages *runner_messages_open(int fd); /* takes ownership */
void runner_messages_close(struct runner_messages *messages);
int runner_messages_fd(const struct runner_messages *messages);

/* Sends a point. ERR_LIMIT: the words do not fit into a message. */
int runner_messages_send_point(struct runner_messages *messages,
                               const struct runner_messages_point *point,
                               struct err *err);
/* The same without waiting. Returns 1, 0 when the socket is full, or -1. */
int runner_messages_try_send_point(struct runner_messages *messages,
                                   const struct runner_messages_point *point,
                                   struct err *err);
/* Reads a point that the runner has not read from the runner's end of the socket, and
 * returns its number; 0: none. The point `keep` stays, with all points after it. */
uint64_t runner_messages_recall(int runner_fd, uint64_t keep);
int runner_messages_send_end(struct runner_messages *messages,
                             const struct runner_messages_end *end,
                             struct err *err);

/* Waits for a point. Returns false when the other end is closed or the message is
 * invalid. The words are valid until the next call. */
bool runner_messages_receive_point(struct runner_messages *messages,
                                   struct runner_messages_point *point);
/* Receives an END without waiting. Returns 1, 0 when there is none, or -1 when the
 * other end is closed or the message is invalid. */
int runner_messages_receive_end(struct runner_messages *messages,
                                struct runner_messages_end *end);

#endif
