/* axes.h - builds the axes of a sweep while its sections are read */
#ifndef LIB_JOB_AXES_H
#define LIB_JOB_AXES_H

#include "lib/job/job_reader.h"

enum { AXES_NAMES_MAX = 256, AXES_VALUE_BYTES_MAX = 1024, AXES_CARD_MAX = 65535 };

struct axes {
    struct job_reader *reader;
    size_t lengths[JOB_AXES_MAX];
    size_t count;
    struct variable variables[AXES_NAMES_MAX];
    size_t variable_count;
    size_t value_count; /* of all variables together */
};

extern const char axes_card[]; /* name of the variable whose values are cards.ids */

/* Both return false and add a problem when a limit is exceeded. axes_have_room() counts
 * `values` more values. */
bool axes_have_room(struct axes *axes,
                    const struct yaml_node *node,
                    const char *key,
                    size_t values);
bool axes_add(struct axes *axes, const struct yaml_node *at, const char *key);
/* Adds a variable to the last axis. Returns NULL and adds a problem for an invalid
 * name. */
struct variable *
axes_add_name(struct axes *axes, const struct yaml_node *name, const char *key);
/* Adds an axis with one variable whose values a key determines. The key adds problems
 * at the node `at`. The values are not copied. Returns NULL after a problem. */
const struct variable *axes_add_fixed(struct axes *axes,
                                      const struct yaml_node *at,
                                      const char *key,
                                      const char *name,
                                      const struct value *values,
                                      size_t count);
/* Reads a list or a range into the values of the variable, and sets *count. On a
 * problem the variable gets one empty value, so that texts may still use its name.
 * `distinct`: no value may appear twice. */
bool axes_read_values(struct axes *axes,
                      const struct yaml_node *node,
                      const char *key,
                      bool distinct,
                      struct variable *variable,
                      size_t *count);
/* Returns true when the text is a card number without leading zeros. */
bool axes_is_card(const char *text);

/* include_read.c: include_read_names() takes the variables from the first entry when no
 * axis has any; include_read() reads the points. */
void include_read_names(struct axes *axes, const struct yaml_node *list);
void include_read(struct axes *axes, const struct yaml_node *list);

/* rotation_read.c: add the variables `shift` and `pair` */
extern const char axes_shift[], axes_pair[];
void rotation_read_axis(struct axes *axes);
void pairs_read_axis(struct axes *axes);
/* parts_read.c: adds the variable `part`, and its values */
extern const struct value parts_values[];
void parts_read_axis(struct axes *axes);

#endif
