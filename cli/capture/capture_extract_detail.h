/* capture_extract_detail.h - what instrumented launches left, as the vendor's files of
 * it
 *
 * Pieces are put together in memory: transfer records go apart on their way into
 * MemoryChart.bin, and a kernel's binary may belong to many launches. */
#ifndef CLI_CAPTURE_CAPTURE_EXTRACT_DETAIL_H
#define CLI_CAPTURE_CAPTURE_EXTRACT_DETAIL_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct capture_extract_detail;

struct capture_extract_detail *capture_extract_detail_create(void);
void capture_extract_detail_destroy(
    struct capture_extract_detail *detail); /* NULL is welcome */

/* Records of these kinds; `folder` is the launch's dump/. */
int extract_piece(struct capture_extract_detail *detail,
                  const char *folder,
                  const uint8_t *record,
                  size_t size,
                  struct err *err);
int extract_binary(struct capture_extract_detail *detail,
                   const uint8_t *record,
                   size_t size,
                   struct err *err);
/* Writes the binary of a launch.code record beside what else the launch left. */
int extract_code(const struct capture_extract_detail *detail,
                 const char *folder,
                 const uint8_t *record,
                 struct err *err);

#endif
