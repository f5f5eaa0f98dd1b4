/* hostile_packet.h - packets with one defect each, for every message and field
 *
 * The table of messages.c drives the generator, so a new message or field is covered
 * without a change here. hostile_case_next() lists all defects once;
 * hostile_case_random() mixes them with valid messages in any order. */
#ifndef TESTS_FUZZ_HOSTILE_PACKET_H
#define TESTS_FUZZ_HOSTILE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/base/text.h"
#include "lib/wire/messages.h"
#include "tests/fuzz/hostile_values.h"

enum hostile_defect {
    HOSTILE_NONE,       /* a valid message */
    HOSTILE_MISSING,    /* without the field */
    HOSTILE_DOUBLED,    /* with the field twice */
    HOSTILE_WRONG_TYPE, /* the field has another type */
    HOSTILE_LIMIT,      /* the field has a limit of its type */
    HOSTILE_UNKNOWN,    /* with a key that the table lacks */
    HOSTILE_TYPE,       /* the type is missing, misplaced, unknown or no number */
    HOSTILE_CUT,        /* the packet ends early */
    HOSTILE_FRAME,      /* the bytes are not one packet within the limits */
    HOSTILE_PARTS,      /* the message has several frames */
    HOSTILE_FLIPPED,    /* some bits are inverted; random cases only */
    HOSTILE_DEFECTS,
};

/* A defect of a message. All zero is the case before the first one. */
struct hostile_case {
    const struct message *kind;
    enum hostile_defect defect;
    size_t field;   /* in the message's table */
    size_t variant; /* of the defect */
};

/* Prints the case as a line, and flushes the file. */
void hostile_case_log(FILE *file, const struct hostile_case *of);

struct hostile_packet {
    struct text bytes; /* of each frame */
    size_t parts;      /* frames of the message; 1 in a valid one */
};

/* Moves to the next case. Returns false after the last one. */
bool hostile_case_next(struct hostile_case *at);
/* Sets a random case of this message, valid in half of the calls. */
void hostile_case_random(struct hostile_case *at,
                         const struct message *kind,
                         struct hostile_values *values);

void hostile_packet_write(struct hostile_packet *out,
                          const struct hostile_case *of,
                          struct hostile_values *values,
                          bool any_values); /* false: samples in the other fields */

#endif
