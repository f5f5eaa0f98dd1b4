/* card_line.h - one card as a line of the screen, and the sort orders of cards */
#ifndef CLI_VIEW_CARD_LINE_H
#define CLI_VIEW_CARD_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/wire/messages.h"

struct card_line {
    uint64_t card, runs_ms, ended, failed, faults, silent_ms;
    char name[80], state[16], job[64], model[32];
    char does[96]; /* point, repeat and rank; of an idle card the reason */
};

void card_line_fill(struct card_line *line, const struct msg_worker_row *row);

/* Widths of the columns that adapt to their content. */
struct card_widths {
    int name, job, does;
};
void card_line_measure(const struct card_line *line, struct card_widths *widths);

enum { CARD_LINE_MAX = 512 };
void card_line_head(char out[CARD_LINE_MAX], const struct card_widths *widths);
void card_line_text(char out[CARD_LINE_MAX],
                    const struct card_line *line,
                    const struct card_widths *widths);
/* Returns the colour code: green when it works, yellow when drained, red with a fault
 * or without a heartbeat, "" when idle. */
const char *card_line_color(const struct card_line *line);

/* Returns the name of a sort order; NULL after the last one. */
const char *card_order_name(size_t order);
/* Sorts pointers to lines that the screen owns; equal lines by host and card. */
void card_line_sort(const struct card_line **lines, size_t count, size_t order);

#endif
