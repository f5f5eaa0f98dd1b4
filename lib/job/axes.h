/* axes.h - the axes of a sweep while they are read: names, values, how many */
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
    size_t value_count; /* of all names together */
};

extern const char axes_card[]; /* the name that cards.ids gives values to */

/* Each false, and told, when it cannot be. */
bool axes_have_room(struct axes *axes,
                    const struct yaml_node *node,
                    const char *key,
                    size_t values);
bool axes_add(struct axes *axes, const struct yaml_node *at, const char *key);
/* A name on the axis added last. */
struct variable *
axes_add_name(struct axes *axes, const struct yaml_node *name, const char *key);
/* Its values, a list or a range: how many. When they are wrong it gets an empty one, so
 * that the name is known all the same. `distinct`: none may stand there twice. */
bool axes_read_values(struct axes *axes,
                      const struct yaml_node *node,
                      const char *key,
                      bool distinct,
                      struct variable *variable,
                      size_t *count);
bool axes_is_card(const char *text); /* a number of one */

/* include_read.c: points beside those of the axes. First the names, when no axis has
 * given any; then the points. */
void include_read_names(struct axes *axes, const struct yaml_node *list);
void include_read(struct axes *axes, const struct yaml_node *list);

#endif
