/* screen.h - a fleet at a glance: jobs, cards, and what happened last, as lines of text
 *
 * Knows no terminal: it is told how wide and high one is, and what to say. What comes
 * from elsewhere is made printable, so that nobody's name can move a cursor. */
#ifndef CLI_VIEW_SCREEN_H
#define CLI_VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"
#include "lib/wire/messages.h"

struct screen;

struct screen *screen_create(const char *title);
void screen_destroy(struct screen *screen); /* NULL is welcome */

/* Forgets jobs and cards, which are then added anew; events and rates stay. */
void screen_begin(struct screen *screen, uint64_t now_ms);
void screen_add_job(struct screen *screen, const struct msg_job_row *row);
void screen_add_card(struct screen *screen, const struct msg_worker_row *row);
void screen_add_event(struct screen *screen, const struct msg_event_row *row);
/* Instead of the first line's figures, until the next screen_begin(). */
void screen_complain(struct screen *screen, const char *words);

struct screen_shape {
    size_t width, height; /* 0: as wide or long as it is */
    size_t skip;          /* so many cards above are not shown */
    size_t order;         /* of the cards; card_line.h */
    const char *hint;     /* the last line, of a screen with a height; or NULL */
    bool color, in_place; /* drawn over what stands there */
};

/* Lines, each with its end. How many cards above are not shown: at most those that have
 * no room. */
size_t screen_draw(struct text *out,
                   const struct screen *screen,
                   const struct screen_shape *shape);

#endif
