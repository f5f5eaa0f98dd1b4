/* runner_messages.h - what the worker and the resident runner say to each other
 *
 * Over a SOCK_SEQPACKET pair that the runner inherits. The worker sends a POINT: the
 * words of one operator call, and the end of the rendezvous where the guest is to meet
 * the worker for it; without that nothing is measured. The runner runs it and answers
 * OVER, then takes the next, which may lie in the socket already. It begins what it has
 * taken out; who is quicker may take it back. When the socket closes it ends, and after
 * a point that spoilt it. A message is believed only after all of it was looked at. */
#ifndef RUNNER_PROTOCOL_RUNNER_MESSAGES_H
#define RUNNER_PROTOCOL_RUNNER_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum {
    RUNNER_MESSAGES_BYTES_MAX = 128 * 1024, /* of a message */
    RUNNER_MESSAGES_WORDS_MAX = 1100,
    RUNNER_MESSAGES_WORDS_FOR_RUNNER = 5, /* in front of the operator's own */
};

/* The words of a point, in this order; the operator's own stand behind. */
enum runner_messages_word {
    RUNNER_MESSAGES_PROGRAM, /* of the runner */
    RUNNER_MESSAGES_KIND,    /* "kernel" or "library" */
    RUNNER_MESSAGES_FILE,
    RUNNER_MESSAGES_ENTRY,  /* "" is the name of the file */
    RUNNER_MESSAGES_BLOCKS, /* of a kernel */
};

struct runner_messages_point {
    uint64_t number;
    const char *cwd;
    const char **words; /* borrowed from the buffer; a NULL behind the last */
    size_t count;
    int their_end; /* of the rendezvous, or -1; yours */
};

struct runner_messages_over {
    uint64_t number; /* of the point */
    int64_t exit_code;
    uint64_t left_bytes; /* of the card's memory, more than before */
    bool spoilt;         /* the card may not be as it was: run nothing more */
    uint64_t began_wall_ns, ended_wall_ns;
};

struct runner_messages; /* one end */

int runner_messages_pair(int ends[2], struct err *err);

struct runner_messages *runner_messages_open(int fd); /* takes the descriptor */
void runner_messages_close(struct runner_messages *talk);
int runner_messages_fd(const struct runner_messages *talk);

/* ERR_LIMIT when the words are too many for a message. */
int runner_messages_say_point(struct runner_messages *talk,
                              const struct runner_messages_point *point,
                              struct err *err);
/* The same if there is room for it now: 1, 0 when there is none, -1. */
int runner_messages_try_point(struct runner_messages *talk,
                              const struct runner_messages_point *point,
                              struct err *err);
/* Takes back a point that the runner has not begun, from the runner's own end: its
 * number, or 0 when there is none. The one called `but` stays, and all behind it. */
uint64_t runner_messages_take_back(int their_end, uint64_t but);
int runner_messages_say_over(struct runner_messages *talk,
                             const struct runner_messages_over *over,
                             struct err *err);

/* Wait for the other side. False: it has gone, or does not say what it should. What is
 * borrowed is good until the next call. */
bool runner_messages_hear_point(struct runner_messages *talk,
                                struct runner_messages_point *point);
/* The same without waiting: 1, 0 when there is nothing yet, -1 when it has gone. */
int runner_messages_hear_over(struct runner_messages *talk,
                              struct runner_messages_over *over);

#endif
