#include "sim/fleet/nodes.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

const char *const nodes_of_driver[] = {"davinci_manager", "devmm_svm", "hisi_hdc",
                                       NULL};

bool nodes_can_open(const char *directory, const char *name)
{
    char path[4096];
    int fd = -1;

    if (snprintf(path, sizeof(path), "%s/%s", directory, name) < (int)sizeof(path))
        fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool nodes_has_card(const char *directory, uint32_t physical)
{
    char name[32];

    snprintf(name, sizeof(name), "davinci%u", physical);
    return nodes_can_open(directory, name);
}
