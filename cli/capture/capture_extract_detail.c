#include "cli/capture/capture_extract_detail.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/records.h"
#include "parsers/transfers/transfer_reader.h"

static const uint64_t part_limit = ((uint64_t)100 << 20) + 64;
static const uint64_t code_limit = (uint64_t)256 << 20;

struct code {
    uint64_t hash, total;
    struct text bytes;
};

struct capture_extract_detail {
    struct text part; /* the part whose pieces are being joined */
    uint64_t launch;
    uint32_t number;
    struct code *codes;
    size_t code_count;
};

struct capture_extract_detail *capture_extract_detail_create(void)
{
    return xcalloc(1, sizeof(struct capture_extract_detail));
}

void capture_extract_detail_destroy(struct capture_extract_detail *detail)
{
    if (!detail)
        return;
    for (size_t i = 0; i < detail->code_count; i++)
        text_clear(&detail->codes[i].bytes);
    free(detail->codes);
    text_clear(&detail->part);
    free(detail);
}

static int add_to_file(const char *folder,
                       const char *name,
                       const void *bytes,
                       size_t size,
                       struct err *err)
{
    char path[PATH_MAX];
    int fd, result = 0;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
    if (fd < 0)
        return err_errno(err, "opening %s", path);
    if (fd_write_all(fd, bytes, size) < 0)
        result = err_errno(err, "writing %s", path);
    close(fd);
    return result;
}

static void add_row(void *arg, const struct transfer *transfer)
{
    uint8_t row[TRANSFER_CHART_ROW_BYTES];

    transfer_write_chart_row(row, transfer);
    text_add_bytes(arg, row, sizeof(row));
}

static int write_chart(const struct capture_extract_detail *detail,
                       const char *folder,
                       struct err *err)
{
    struct text rows = {0};
    struct transfer_reader reader;
    int result;

    transfer_reader_init(&reader, add_row, &rows);
    reader.transfers_left = part_limit * 4 / TRANSFER_CHART_ROW_BYTES;
    transfer_read_part(&reader, detail->number, (const uint8_t *)detail->part.bytes,
                       detail->part.length);
    result = add_to_file(folder, "MemoryChart.bin", text_get(&rows), rows.length, err);
    text_clear(&rows);
    return result;
}

static int add_part(struct capture_extract_detail *detail,
                    const char *folder,
                    const struct record_file_piece *head,
                    const uint8_t *bytes,
                    struct err *err)
{
    if (head->offset == 0) {
        text_reset(&detail->part);
        detail->launch = head->launch;
        detail->number = head->part;
    }
    if (detail->launch != head->launch || detail->number != head->part ||
        head->offset != detail->part.length ||
        head->bytes > part_limit - detail->part.length)
        return err_set(err, ERR_INPUT,
                       "transfers of launch %" PRIu64 ", part %" PRIu32
                       ": a piece is missing; run 'muster capture verify'",
                       head->launch, head->part);
    text_add_bytes(&detail->part, bytes, head->bytes);
    return detail->part.length == head->total ? write_chart(detail, folder, err) : 0;
}

int extract_piece(struct capture_extract_detail *detail,
                  const char *folder,
                  const uint8_t *record,
                  size_t size,
                  struct err *err)
{
    struct record_file_piece head;
    const uint8_t *bytes = record + sizeof(head);

    memcpy(&head, record, sizeof(head));
    if (head.bytes > size - sizeof(head))
        return err_set(
            err, ERR_INPUT,
            "file.piece record is shorter than its header announces; run 'muster "
            "capture verify'");
    if (strncmp(head.name, "dbi", sizeof(head.name)) == 0)
        return add_part(detail, folder, &head, bytes, err);
    if (strncmp(head.name, "bbcount", sizeof(head.name)) == 0)
        return add_to_file(folder, "kernel0.extra.0", bytes, head.bytes, err);
    if (strncmp(head.name, "dfx_region_map.txt", sizeof(head.name)) == 0)
        return add_to_file(folder, "dfx_region_map.txt", bytes, head.bytes, err);
    if (strncmp(head.name, "dfx_tune.log", sizeof(head.name)) == 0)
        return add_to_file(folder, "dfx_tune.log", bytes, head.bytes, err);
    return 0;
}

int extract_binary(struct capture_extract_detail *detail,
                   const uint8_t *record,
                   size_t size,
                   struct err *err)
{
    struct record_kernel_binary head;
    struct code *code = NULL;

    memcpy(&head, record, sizeof(head));
    if (head.bytes > size - sizeof(head) || head.total > code_limit)
        return err_set(err, ERR_INPUT,
                       "kernel.binary record is shorter than its header announces; run "
                       "'muster capture verify'");
    for (size_t i = 0; i < detail->code_count && !code; i++)
        if (detail->codes[i].hash == head.hash)
            code = &detail->codes[i];
    if (!code) {
        detail->codes = xreallocarray(detail->codes, detail->code_count + 1,
                                      sizeof(detail->codes[0]));
        code = &detail->codes[detail->code_count++];
        *code = (struct code){.hash = head.hash, .total = head.total};
    }
    if (head.offset == code->bytes.length &&
        head.bytes <= code->total - code->bytes.length)
        text_add_bytes(&code->bytes, record + sizeof(head), head.bytes);
    return 0;
}

int extract_code(const struct capture_extract_detail *detail,
                 const char *folder,
                 const uint8_t *record,
                 struct err *err)
{
    struct record_launch_code head;
    char start[32];

    memcpy(&head, record, sizeof(head));
    for (size_t i = 0; i < detail->code_count; i++) {
        const struct code *code = &detail->codes[i];

        if (code->hash != head.hash || code->bytes.length != code->total)
            continue;
        snprintf(start, sizeof(start), "0x%" PRIx64 "\n", head.pc_start);
        if (add_to_file(folder, "pc_start_addr.txt", start, strlen(start), err) < 0)
            return -1;
        return add_to_file(folder, "aicore_binary.o", code->bytes.bytes,
                           code->bytes.length, err);
    }
    return 0;
}
