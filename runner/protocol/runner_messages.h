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
    TALK_BYTES_MAX = 128 * 1024, /* of a message */
    TALK_WORDS_MAX = 1100,
    TALK_WORDS_FOR_RUNNER = 5, /* in front of the operator's own */
};

/* The words of a point, in this order; the operator's own stand behind. */
enum talk_word {
    TALK_PROGRAM, /* of the runner */
    TALK_KIND,    /* "kernel" or "library" */
    TALK_FILE,
    TALK_ENTRY,  /* "" is the name of the file */
    TALK_BLOCKS, /* of a kernel */
};

struct talk_point {
    uint64_t number;
    const char *cwd;
    const char **words; /* borrowed from the buffer; a NULL behind the last */
    size_t count;
    int their_end; /* of the rendezvous, or -1; yours */
};

struct talk_over {
    uint64_t number; /* of the point */
    int64_t exit_code;
    uint64_t left_bytes; /* of the card's memory, more than before */
    bool spoilt;         /* the card may not be as it was: run nothing more */
    uint64_t began_wall_ns, ended_wall_ns;
};

struct talk; /* one end */

int talk_pair(int ends[2], struct err *err);

struct talk *talk_open(int fd); /* takes the descriptor */
void talk_close(struct talk *talk);
int talk_fd(const struct talk *talk);

/* ERR_LIMIT when the words are too many for a message. */
int talk_say_point(struct talk *talk, const struct talk_point *point, struct err *err);
/* The same if there is room for it now: 1, 0 when there is none, -1. */
int talk_try_point(struct talk *talk, const struct talk_point *point, struct err *err);
/* Takes back a point that the runner has not begun, from the runner's own end: its
 * number, or 0 when there is none. The one called `but` stays, and all behind it. */
uint64_t talk_take_back(int their_end, uint64_t but);
int talk_say_over(struct talk *talk, const struct talk_over *over, struct err *err);

/* Wait for the other side. False: it has gone, or does not say what it should. What is
 * borrowed is good until the next call. */
bool talk_hear_point(struct talk *talk, struct talk_point *point);
/* The same without waiting: 1, 0 when there is nothing yet, -1 when it has gone. */
int talk_hear_over(struct talk *talk, struct talk_over *over);

#endif
