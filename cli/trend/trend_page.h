/* trend_page.h - writes the series of a trend as an HTML page with plots */
#ifndef CLI_TREND_TREND_PAGE_H
#define CLI_TREND_TREND_PAGE_H

#include "cli/trend/trend_nights.h"

/* Writes folder/trend.html and creates the folder. */
int trend_page_write(const struct night_trends *trends,
                     const struct trend_nights *nights,
                     const char *folder,
                     struct err *err);

#endif
