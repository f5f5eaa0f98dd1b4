/* view_sides.h - the three sides of a figure: compare, baseline and diff
 *
 * `compare` is the opened file and `baseline` the file of a comparison. Without a
 * comparison the sides baseline and diff have all members, with empty values. */
#ifndef PARSERS_VIEWER_VIEW_SIDES_H
#define PARSERS_VIEWER_VIEW_SIDES_H

#include "parsers/viewer/view_call.h"

enum view_field_kind {
    VIEW_LABEL,  /* a text; equal on the sides compare and diff */
    VIEW_FIGURE, /* a number or "NA", as text; the side diff is computed */
    VIEW_SHOWN,  /* 1 in the file, true in the answer */
    VIEW_UNIT,   /* the number of a unit in the file, its text in the answer */
};

struct view_field {
    const char *name, *key; /* in the answer, in the file */
    enum view_field_kind kind;
};

/* Writes the members compare, baseline and diff. A NULL node is an empty side; `none`
 * is the text of its figures. */
void put_sides(struct json_write *json,
               const struct view_field *fields,
               size_t count,
               const char *none,
               const struct json_node *compare,
               const struct json_node *baseline);
/* Writes compare - baseline with up to three decimals, or "" when one is no number. */
void put_difference(struct json_write *json, const char *compare, const char *baseline);

/* Finds the element of a list in which `key` is `value`; NULL when there is none. */
const struct json_node *
view_find(const struct json_node *list, const char *key, const char *value);
/* Writes a list of texts or numbers as a list of texts. */
void put_scalars(struct json_write *json,
                 const char *key,
                 const struct json_node *list);

#endif
