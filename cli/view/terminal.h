/* terminal.h - abilities of the terminal, from the environment */
#ifndef CLI_VIEW_TERMINAL_H
#define CLI_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the locale has UTF-8: LC_ALL, LC_CTYPE or LANG, in this order. */
bool terminal_has_utf8(void);
/* Returns whether the terminal understands escape sequences: TERM is set, and is not
 * "dumb". */
bool terminal_has_sequences(void);
/* The same, and NO_COLOR is not set. */
bool terminal_has_color(void);
/* Returns the columns of the terminal on this descriptor, or 80. */
size_t terminal_width(int fd);
/* Returns the columns that a line may fill: those of the terminal; else COLUMNS; 0: no
 * limit, because the descriptor is no terminal and COLUMNS is not set. */
size_t terminal_line_limit(int fd);

/* Writes a bar of `cells` for `part` of `whole`. `out` has room for 3 * cells + 1
 * bytes.
 */
void terminal_bar(char *out,
                  size_t cells,
                  unsigned long long part,
                  unsigned long long whole);

#endif
