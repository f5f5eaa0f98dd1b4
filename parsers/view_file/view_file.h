/* view_file.h - a result file that is open: its blocks, which are read on demand
 *
 * The file stays open while a session uses it, so a file that is replaced by another
 * one stays readable. A file that is changed in place is refused. */
#ifndef PARSERS_VIEW_FILE_VIEW_FILE_H
#define PARSERS_VIEW_FILE_VIEW_FILE_H

#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/base/json_tree.h"
#include "lib/base/text.h"
#include "parsers/container/bin.h"

enum {
    VIEW_BLOCKS_MAX = 1 << 16,
    VIEW_PAYLOAD_MAX = 100 << 20, /* of a block that one answer contains */
    VIEW_TREE_MAX = 16 << 20,     /* of a block that is parsed as a whole */
};

struct view_block {
    unsigned type;
    uint8_t version;
    uint64_t at, size; /* of the payload without filler */
    char *path;        /* of a source file, otherwise NULL */
};

struct view_timeline;

/* The order of a list in a block. */
enum view_order { VIEW_ORDER_UNKNOWN, VIEW_ORDER_ASCENDS, VIEW_ORDER_MIXED };

struct view_file {
    char *shown; /* the path that clients see */
    int fd;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
    struct view_block *blocks;
    size_t count;
    char problem[BIN_PROBLEM_BYTES]; /* damage behind the last complete block, or "" */
    struct view_timeline *timeline;  /* of view_timeline.h, or NULL */
    enum view_order addresses;       /* of the instructions, found out by a request */
    unsigned users; /* sessions; the viewer closes a file without users */
    uint64_t used;  /* counts up with each use */
};

int view_file_open(struct view_file **out,
                   const char *path,
                   const char *shown,
                   struct err *err);
/* Opens a file that has no path; the caller keeps `fd`. */
int view_file_open_copy(struct view_file **out,
                        int fd,
                        const char *shown,
                        struct err *err);
/* Call view_timeline_drop() first. NULL is allowed. */
void view_file_close(struct view_file *file);
/* Returns true when `path` is still the file that is open, unchanged. */
bool view_file_is(const struct view_file *file, const char *path);
bool view_file_is_copy(const struct view_file *file, int fd);
/* Fails when the open file was changed or cut. */
int view_file_check(const struct view_file *file, struct err *err);

/* Returns the first block of a type, or NULL. */
const struct view_block *view_block_find(const struct view_file *file, unsigned type);
/* Returns the last source file of this path, or NULL. */
const struct view_block *view_block_source(const struct view_file *file,
                                           const char *path);
/* pread() that repeats interrupted calls. */
ssize_t view_file_pread(int fd, void *bytes, size_t size, uint64_t at);
int view_file_read(const struct view_file *file,
                   uint64_t at,
                   void *bytes,
                   size_t size,
                   struct err *err);
/* Finds out whether the numbers behind `key`, a key with its quotes, ascend from the
 * place `at` to `end`. The key must not contain other quotes, so that no text of a
 * document contains it. Numbers have the base 10 or 16; they may be texts. With
 * `strictly`, equal numbers do not ascend. */
int view_file_ascends(const struct view_file *file,
                      uint64_t at,
                      uint64_t end,
                      const char *key,
                      int base,
                      bool strictly,
                      bool *ascends,
                      struct err *err);
/* Appends the payload. Fails with ERR_LIMIT above `limit` bytes. */
int view_block_read(const struct view_file *file,
                    const struct view_block *block,
                    size_t limit,
                    struct text *out,
                    struct err *err);
/* Parses the payload, an object, as a tree. */
int view_block_tree(const struct json_node **root,
                    const struct view_file *file,
                    const struct view_block *block,
                    struct arena *arena,
                    struct err *err);
/* Finds the element of the array root.LIST in which member `key` is `value`. *element
 * is NULL when there is none. The other elements are not kept in memory. */
int view_block_element(const struct json_node **element,
                       const struct view_file *file,
                       const struct view_block *block,
                       const char *list,
                       const char *key,
                       const char *value,
                       struct arena *arena,
                       struct err *err);

/* Calls fn for each element of the array root.LIST; the element is valid during the
 * call. A result other than 0 stops, without an error. */
typedef int view_element_fn(void *arg, const struct json_node *element);
int view_block_each(const struct view_file *file,
                    const struct view_block *block,
                    const char *list,
                    view_element_fn *fn,
                    void *arg,
                    struct err *err);

/* Reads one member of the payload, an object. *member is NULL when there is none. */
int view_block_member(const struct json_node **member,
                      const struct view_file *file,
                      const struct view_block *block,
                      const char *key,
                      struct arena *arena,
                      struct err *err);

/* The bytes of a block as input of json_read. */
struct view_stream {
    const struct view_file *file;
    uint64_t at, end;
};
/* Reads up to the first element of the array root.LIST. Fails when there is none. */
int view_list_open(struct json_read *read, const char *list, struct err *err);
/* `stream` must exist as long as the reader. */
struct json_read *view_stream_open(struct view_stream *stream,
                                   const struct view_file *file,
                                   const struct view_block *block);

/* Returns a text, or the literal of a number, otherwise "". */
const char *view_scalar(const struct json_node *node);

#endif
