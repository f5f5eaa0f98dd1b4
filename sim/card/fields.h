/* fields.h - YAML mappings into structs by a table, with every complaint placed
 *
 * The only code of the simulator that knows libyaml. A table names the keys of a
 * mapping, their types, limits and places in a struct; fields_read() fills the struct
 * and complains, with line, column and key, of what the table does not allow. It goes
 * on after a complaint, so that one reading tells all of them. */
#ifndef SIM_CARD_FIELDS_H
#define SIM_CARD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct yaml_document_s;
struct yaml_node_s;

struct reader {
    const char *file;
    void *context; /* of the caller's read functions */
    struct yaml_document_s *document;
    char *complaints;
    size_t room, used;
    unsigned count;
};

enum field_type {
    FIELD_U32,
    FIELD_U64,
    FIELD_REAL,
    FIELD_TEXT,  /* max: the room, its end included */
    FIELD_OTHER, /* read() does it */
    FIELD_LATER, /* known, and read by the caller when the rest is */
};

struct field {
    const char *key;
    enum field_type type;
    size_t offset;
    double min, max;
    /* `key` is the field's name, for complaints; `into` the struct's member at offset,
     * or the struct where that is 0 */
    void (*read)(struct reader *reader,
                 const char *key,
                 struct yaml_node_s *node,
                 void *into);
};

/* rows of a table: a member of a struct, what a function reads, what comes later */
#define FIELD_AT(in_struct, of_type, name, low, high, member)                          \
    {                                                                                  \
        .key = name, .type = of_type, .min = low, .max = high,                         \
        .offset = offsetof(struct in_struct, member)                                   \
    }
#define FIELD_BY(name, function)                                                       \
    {                                                                                  \
        .key = name, .type = FIELD_OTHER, .read = function                             \
    }
#define FIELD_IN(in_struct, name, function, member)                                    \
    {                                                                                  \
        .key = name, .type = FIELD_OTHER, .read = function,                            \
        .offset = offsetof(struct in_struct, member)                                   \
    }
#define FIELD_KNOWN(name)                                                              \
    {                                                                                  \
        .key = name, .type = FIELD_LATER                                               \
    }
#define FIELD_COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

/* Opens the document's root; NULL after a complaint. */
struct yaml_node_s *fields_open(struct reader *reader, const char *text, size_t size);
void fields_close(struct reader *reader);

/* Reads a mapping. `allowed` names the keys that it may have, blanks between them, "!"
 * behind those that it must have; NULL: all of the table, none needed. `what` is what
 * the mapping is called. Returns a bit for each field of the table that was there. */
uint64_t fields_read(struct reader *reader,
                     const char *what,
                     struct yaml_node_s *node,
                     const struct field *fields,
                     size_t count,
                     const char *allowed,
                     void *into);

/* Calls fn for each item of a list; complains when it is none, or too long. */
void fields_each(struct reader *reader,
                 const char *key,
                 struct yaml_node_s *node,
                 size_t max,
                 void (*fn)(struct reader *reader, struct yaml_node_s *item, void *arg),
                 void *arg);
/* Calls fn for each pair of a mapping of texts. */
void fields_pairs(struct reader *reader,
                  const char *key,
                  struct yaml_node_s *node,
                  void (*fn)(struct reader *reader,
                             struct yaml_node_s *at,
                             const char *name,
                             const char *value,
                             void *arg),
                  void *arg);

bool fields_number(struct reader *reader,
                   const char *key,
                   struct yaml_node_s *node,
                   uint64_t min,
                   uint64_t max,
                   uint64_t *out);
/* NULL after a complaint; good as long as the document. */
const char *
fields_text(struct reader *reader, const char *key, struct yaml_node_s *node);
/* The value of a key, whatever it is; NULL: not there. No complaint. */
struct yaml_node_s *
fields_find(struct reader *reader, struct yaml_node_s *node, const char *key);

__attribute__((format(printf, 4, 5))) void fields_complain(struct reader *reader,
                                                           struct yaml_node_s *node,
                                                           const char *key,
                                                           const char *format,
                                                           ...);

#endif
