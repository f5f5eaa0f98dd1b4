#include "worker/capture/launch_ranges.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"

/* Copies the line at `at`. Returns the start of the next line. */
static const char *next_line(const char *at, char *out, size_t size)
{
    size_t length = strcspn(at, "\n");

    snprintf(out, size, "%.*s", (int)length, at);
    return at + length + (at[length] == '\n');
}

size_t launch_ranges_count(const char *patterns)
{
    char entry[LAUNCH_RANGE_BYTES_MAX];
    size_t count = 0;

    for (const char *at = patterns; *at && count < LAUNCH_RANGES_MAX; count++)
        at = next_line(at, entry, sizeof(entry));
    return count ? count : 1;
}

void launch_ranges_get(const char *patterns,
                       size_t entry,
                       char out[LAUNCH_RANGE_BYTES_MAX])
{
    const char *at = patterns;

    out[0] = '\0';
    for (size_t i = 0; i <= entry; i++) {
        if (!*at) {
            out[0] = '\0';
            return;
        }
        at = next_line(at, out, LAUNCH_RANGE_BYTES_MAX);
    }
}

/* Returns the first entry that the name matches, or -1. */
static int find_entry(const char *patterns, const char *name)
{
    char entry[LAUNCH_RANGE_BYTES_MAX];
    const char *at = patterns;

    for (int i = 0; *at && i < LAUNCH_RANGES_MAX; i++) {
        at = next_line(at, entry, sizeof(entry));
        if (text_matches_any(name, entry))
            return i;
    }
    return -1;
}

int launch_ranges_find(const char *patterns, const char *open_ranges)
{
    char name[LAUNCH_RANGE_BYTES_MAX];

    if (!*patterns)
        return 0;
    for (const char *at = open_ranges; *at;) {
        int entry;

        at = next_line(at, name, sizeof(name));
        entry = find_entry(patterns, name);
        if (entry >= 0)
            return entry;
    }
    return -1;
}
