/* source_detail.h - data of instrumented launches, and the kernel binaries
 *
 * A capture holds both in pieces, which are joined by their offsets. The head of a
 * piece announces `bytes` bytes; the caller has checked that so many follow. */
#ifndef PARSERS_SOURCE_SOURCE_DETAIL_H
#define PARSERS_SOURCE_SOURCE_DETAIL_H

#include "lib/capture/format/records.h"
#include "parsers/source/source.h"

void source_add_piece(struct source_launch *launch,
                      int64_t block,
                      const struct record_file_piece *head,
                      const uint8_t *bytes);
void source_add_binary_piece(struct source *source,
                             int64_t block,
                             const struct record_kernel_binary *head,
                             const uint8_t *bytes);
/* Gives each launch the binary with its hash. Call it after the last piece. */
void source_link_binaries(struct source *source);
/* Moves the bytes of a launch's binary into the source and leaves *bytes empty. */
void source_give_binary(struct source *source,
                        struct source_launch *launch,
                        struct text *bytes);
void source_clear_binaries(struct source *source);
void source_launch_clear_detail(struct source_launch *launch);

#endif
