#include "cli/view/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"

enum { WIDTH = 80, COLUMNS_MAX = 100000 };

bool terminal_has_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < COUNT(variables); i++) {
        const char *locale = getenv(variables[i]);

        if (locale && *locale) /* the first one that is set decides */
            return strstr(locale, "UTF-8") || strstr(locale, "utf8") ||
                   strstr(locale, "UTF8") || strstr(locale, "utf-8");
    }
    return false;
}

bool terminal_has_sequences(void)
{
    const char *term = getenv("TERM");

    return term && *term && strcmp(term, "dumb") != 0;
}

bool terminal_has_color(void)
{
    const char *no_color = getenv("NO_COLOR");

    return terminal_has_sequences() && !(no_color && *no_color);
}

size_t terminal_width(int fd)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH;
}

size_t terminal_line_limit(int fd)
{
    const char *columns = getenv("COLUMNS");
    uint64_t limit;

    if (isatty(fd))
        return terminal_width(fd);
    return columns && num_parse_u64(columns, &limit) && limit <= COLUMNS_MAX
               ? (size_t)limit
               : 0;
}

void terminal_bar(char *out,
                  size_t cells,
                  unsigned long long part,
                  unsigned long long whole)
{
    unsigned long long filled = whole ? part * cells / whole : cells;
    bool utf8 = terminal_has_utf8();

    *out = '\0';
    for (size_t i = 0; i < cells; i++)
        strcat(out, i < filled ? (utf8 ? "\u2588" : "#") : (utf8 ? "\u2591" : "."));
}
