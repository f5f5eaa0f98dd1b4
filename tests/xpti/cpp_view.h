/* cpp_view.h - reads an event as C++ code of a producer or a subscriber does
 *
 * The compiler of C++ places the virtual functions and the map, so a test that calls
 * these functions checks the layouts of the dispatcher. */
#ifndef TESTS_XPTI_CPP_VIEW_H
#define TESTS_XPTI_CPP_VIEW_H

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
extern "C" {
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

enum { CPP_VIEW_KEYS = 4 };

struct cpp_view {
    uint64_t uid, instance, source, target, flags;
    uint16_t event_type, activity;
    const char *name, *file;
    uint32_t line, column;
    int32_t name_number, file_number;
    uint64_t payload_uid;
    bool payload_is_valid;
    const void *payload, *event; /* the results of payload_ref() and event_ref() */
    char *keys[CPP_VIEW_KEYS];   /* of the metadata, in their order */
    int32_t values[CPP_VIEW_KEYS];
    size_t key_count, metadata_count;
};

/* Reads all through the functions of the C++ objects. The three paths to the payload
 * and the two to the metadata must lead to the same objects: else it returns false. */
bool cpp_view_read(void *tracepoint, struct cpp_view *out);
void cpp_view_change(void *tracepoint, uint16_t event_type, int activity);
int32_t cpp_view_add_metadata(void *tracepoint, const char *key, int32_t value);
/* Returns the value of the key in a std::unordered_map, or 0. */
int32_t cpp_view_find(const void *map, uint32_t key);
/* Returns the sum of all values of the map, by iteration. */
int32_t cpp_view_sum(const void *map);

#ifdef __cplusplus
}
#endif

#endif
