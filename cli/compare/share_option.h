/* share_option.h - an option whose value is a share */
#ifndef CLI_COMPARE_SHARE_OPTION_H
#define CLI_COMPARE_SHARE_OPTION_H

#include "lib/base/err.h"

/* Accepts 2% and 0.02, from 0 to 10. The name of the option is for the error. */
int share_option_read(const char *option,
                      const char *text,
                      double *share,
                      struct err *err);

#endif
