/* fields.h - reads YAML mappings into structs by a table; errors have line and column
 *
 * Only this module and the readers of the fleet file use libyaml. A table has the keys
 * of a mapping with their types, limits and offsets in a struct. fields_read() fills
 * the struct and reports every key and value that the table does not allow, as a
 * complaint with line, column and key. Reading continues after a complaint, so that one
 * call reports all of them. */
#ifndef SIM_FLEET_FIELDS_H
#define SIM_FLEET_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct yaml_document_s;
struct yaml_node_s;

struct reader {
    const char *file;
    void *context; /* for the read functions of the caller */
    struct yaml_document_s *document;
    char *complaints;
    size_t room, used;
    unsigned count;
};

enum field_type {
    FIELD_U32,
    FIELD_U64,
    FIELD_REAL,
    FIELD_TEXT,  /* max: bytes of the member, NUL included */
    FIELD_OTHER, /* read() reads the value */
    FIELD_LATER, /* allowed; the caller reads it after the others */
};

struct field {
    const char *key;
    enum field_type type;
    size_t offset;
    double min, max;
    /* `key` is the name of the field, for complaints. `into` is the member at offset;
     * with offset 0 it is the struct. */
    void (*read)(struct reader *reader,
                 const char *key,
                 struct yaml_node_s *node,
                 void *into);
};

/* table rows: a member, a value read by a function, the same into a member, a key that
 * the caller reads later */
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

/* Parses the text and returns the root of the document, or NULL after a complaint. */
struct yaml_node_s *fields_open(struct reader *reader, const char *text, size_t size);
void fields_close(struct reader *reader);

/* Reads a mapping. `allowed` is the list of its keys, separated by blanks, with "!"
 * after each required key; NULL: all keys of the table, none required. `what` is the
 * name of the mapping in complaints. Returns a bit for each field of the table that was
 * set. */
uint64_t fields_read(struct reader *reader,
                     const char *what,
                     struct yaml_node_s *node,
                     const struct field *fields,
                     size_t count,
                     const char *allowed,
                     void *into);

/* Calls fn for each item of a list. Complains about a node that is not a list, or has
 * more than max items. */
void fields_each(struct reader *reader,
                 const char *key,
                 struct yaml_node_s *node,
                 size_t max,
                 void (*fn)(struct reader *reader, struct yaml_node_s *item, void *arg),
                 void *arg);
/* Calls fn for each key and value of a mapping of texts. */
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
/* Returns NULL after a complaint. The text is valid until fields_close(). */
const char *
fields_text(struct reader *reader, const char *key, struct yaml_node_s *node);
/* Returns the value of a key, of any type, or NULL when the key is missing. Does not
 * complain. */
struct yaml_node_s *
fields_find(struct reader *reader, struct yaml_node_s *node, const char *key);

__attribute__((format(printf, 4, 5))) void fields_complain(struct reader *reader,
                                                           struct yaml_node_s *node,
                                                           const char *key,
                                                           const char *format,
                                                           ...);

#endif
