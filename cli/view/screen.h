/* screen.h - draws jobs, cards and the latest events of a fleet as lines of text
 *
 * The caller passes the size of the terminal and writes the text. Control characters in
 * names and texts are replaced, so that they cannot move the cursor. */
#ifndef CLI_VIEW_SCREEN_H
#define CLI_VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"
#include "lib/wire/messages.h"

struct screen;

struct screen *screen_create(const char *title);
void screen_destroy(struct screen *screen); /* NULL is allowed */

/* Removes all jobs and cards, which the caller then adds again. Events and rates stay.
 */
void screen_begin(struct screen *screen, uint64_t now_ms);
void screen_add_job(struct screen *screen, const struct msg_job_row *row);
void screen_add_card(struct screen *screen, const struct msg_worker_row *row);
void screen_add_event(struct screen *screen, const struct msg_event_row *row);
/* Shows an error in the first line until the next screen_begin(). */
void screen_set_error(struct screen *screen, const char *text);

struct screen_shape {
    size_t width, height; /* 0: no limit */
    size_t skip;          /* number of cards to scroll past */
    size_t order;         /* sort order of the cards; see card_line.h */
    const char *hint;     /* last line of a screen with a height; or NULL */
    bool color, in_place; /* in_place: clear the rest of each line */
};

/* Appends the lines to `out`. Returns the number of cards above the first one shown,
 * which is `skip` limited to the cards that do not fit. */
size_t screen_draw(struct text *out,
                   const struct screen *screen,
                   const struct screen_shape *shape);

#endif
