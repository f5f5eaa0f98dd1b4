#include "cli/compare/share_option.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"

int share_option_read(const char *option,
                      const char *text,
                      double *share,
                      struct err *err)
{
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    char *number = xstrndup(text, length - percent);
    bool good = num_parse_double(number, share);

    free(number);
    if (good && percent)
        *share /= 100;
    if (!good || !(*share >= 0 && *share <= 10))
        return err_set(err, ERR_INPUT,
                       "%s: expected a share from 0%% to 1000%%, such as 2%%, "
                       "found '%s'",
                       option, text);
    return 0;
}
