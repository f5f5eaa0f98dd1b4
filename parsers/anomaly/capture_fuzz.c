/* capture_fuzz.c - any bytes as a file of a capture: an analysis or an error
 *
 * The links of communication_matrix.json are read too, which belong to no analysis.
 *
 * The first byte selects the file. Rows of kernels begin behind a good header, so that
 * the fuzzer does not have to guess it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/anomaly/analysis.h"
#include "parsers/framework/comm_matrix.h"

static const char header[] =
    "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n"
    "1,a,A,AI_CORE,1000,5,0\n1,hcom_x__1_1,B,HCCL,1100,500,95\n2,b,B,AI_CPU,2000,5,"
    "400\n";

static int create_file(const void *bytes, size_t size, char path[32])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0 || fd_write_all(fd, bytes, size) < 0)
        abort();
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

static void read_links(const char *path)
{
    struct names *names = names_create();
    struct comm_matrix matrix;
    struct err err;

    if (comm_matrix_read(&matrix, names, path, &err) == 0)
        comm_matrix_clear(&matrix);
    names_destroy(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum rank_file file = size > 0 ? bytes[0] % RANK_DATABASE : 0;
    struct rank_folder folder = {.path = "x", .output = "x"};
    struct rank_input input;
    struct text kernels = {0};
    struct err err;
    char path[32], kernels_path[32];
    int fd, kernels_fd;

    if (size == 0)
        return 0;
    text_add(&kernels, header);
    if (file == RANK_KERNELS)
        text_add_bytes(&kernels, bytes + 1, size - 1);
    fd = create_file(bytes + 1, size - 1, path);
    kernels_fd = create_file(text_get(&kernels), kernels.length, kernels_path);
    if (file == RANK_COMM_MATRIX)
        read_links(path);
    folder.files[file] = path;
    folder.files[RANK_KERNELS] = kernels_path;
    if (rank_input_read(&input, &folder, &err) == 0) {
        analysis_destroy(analysis_create(&input));
        rank_input_clear(&input);
    }
    text_clear(&kernels);
    close(kernels_fd);
    close(fd);
    return 0;
}
