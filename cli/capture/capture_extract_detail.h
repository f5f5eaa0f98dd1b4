/* capture_extract_detail.h - writes the vendor's files of instrumented launches
 *
 * Pieces are joined in memory: the transfer records are decoded for MemoryChart.bin,
 * and the binary of a kernel may belong to many launches. */
#ifndef CLI_CAPTURE_CAPTURE_EXTRACT_DETAIL_H
#define CLI_CAPTURE_CAPTURE_EXTRACT_DETAIL_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct capture_extract_detail;

struct capture_extract_detail *capture_extract_detail_create(void);
void capture_extract_detail_destroy(
    struct capture_extract_detail *detail); /* NULL is allowed */

/* Add one record of the kind file.piece or kernel.binary. `folder` is the dump folder
 * of the launch. */
int extract_piece(struct capture_extract_detail *detail,
                  const char *folder,
                  const uint8_t *record,
                  size_t size,
                  struct err *err);
int extract_binary(struct capture_extract_detail *detail,
                   const uint8_t *record,
                   size_t size,
                   struct err *err);
/* Writes the kernel binary that a launch.code record names into the dump folder. */
int extract_code(const struct capture_extract_detail *detail,
                 const char *folder,
                 const uint8_t *record,
                 struct err *err);

#endif
