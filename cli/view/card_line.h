/* card_line.h - a card as a line of the screen, and the orders in which cards stand
 * there */
#ifndef CLI_VIEW_CARD_LINE_H
#define CLI_VIEW_CARD_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/wire/messages.h"

struct card_line {
    uint64_t card, runs_ms, ended, failed, faults, silent_ms;
    char name[80], state[16], job[64], model[32];
    char does[96]; /* or why it does nothing */
};

void card_line_take(struct card_line *line, const struct msg_worker_row *row);

/* Widths of the columns that are as wide as what stands in them. */
struct card_widths {
    int name, job, does;
};
void card_line_measure(const struct card_line *line, struct card_widths *widths);

enum { CARD_LINE_MAX = 512 };
void card_line_head(char out[CARD_LINE_MAX], const struct card_widths *widths);
void card_line_words(char out[CARD_LINE_MAX],
                     const struct card_line *line,
                     const struct card_widths *widths);
/* Of the terminal: works, out of service, something is wrong; "" for what is idle. */
const char *card_line_color(const struct card_line *line);

/* What a person can have them sorted by; NULL behind the last one. */
const char *card_order_name(size_t order);
/* Pointers, for they belong to the screen; equals stand by host and card. */
void card_line_sort(const struct card_line **lines, size_t count, size_t order);

#endif
