/* data.h - JSON inside a page, which the script of the page draws
 *
 * The block is an element with its kind and the JSON in a <script> that no browser
 * executes. A text cannot end this <script>, because < is written as \u003c. */
#ifndef LIB_HTML_DATA_H
#define LIB_HTML_DATA_H

#include <stddef.h>

#include "lib/base/json_write.h"

struct html_data {
    struct text *page;
    size_t start; /* offset of the JSON in the page */
    struct json_write json;
};

/* Kind: a name in `drawers` of script/draw.js. The id may be NULL. The caller writes
 * one JSON value between the two calls. */
void html_data_begin(struct html_data *data,
                     struct text *page,
                     const char *kind,
                     const char *id);
void html_data_end(struct html_data *data);

/* Write a member of an object. A number that is not finite becomes null. */
void html_data_text(struct json_write *json, const char *key, const char *value);
void html_data_texts(struct json_write *json,
                     const char *key,
                     const char *const *values,
                     size_t count);
void html_data_numbers(struct json_write *json,
                       const char *key,
                       const double *values,
                       size_t count);

#endif
