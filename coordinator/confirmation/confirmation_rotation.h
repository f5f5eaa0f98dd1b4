/* confirmation_rotation.h - placements of the ranks of a suspect, rotated over their
 * cards
 *
 * They take the place of the neighbour when the host has no other card that could
 * replace the suspect card. What is slow with each rank is its card, or its link. */
#ifndef COORDINATOR_CONFIRMATION_CONFIRMATION_ROTATION_H
#define COORDINATOR_CONFIRMATION_CONFIRMATION_ROTATION_H

#include "coordinator/confirmation/suspect.h"

enum { CONFIRMATION_ROTATED_RANKS_MAX = 64 }; /* more would block the coordinator */

/* Fills the rotated places from HOST:CARD of each rank: shift 1, and half of the ranks,
 * or the cards of a host when the ranks span several. Two ranks have one rotation; one
 * rank, and more ranks than the limit, have none. */
void confirmation_rotation_fill(struct suspect *suspect,
                                char *const *places,
                                uint64_t ranks);

#endif
