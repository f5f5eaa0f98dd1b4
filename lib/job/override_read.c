/* override_read.c - reads the condition of each override */
#include "lib/base/mem.h"
#include "lib/job/job_reader.h"

enum { WHEN_BYTES_MAX = 4096 };
/* Limits points times bytes of conditions. At this limit the evaluation takes some
 * seconds. */
#define WORK_MAX 2000000000u

void override_read(struct job_reader *reader)
{
    struct job *job = reader->job;
    struct err err;
    size_t offset;

    for (size_t i = 0; i < job->override_count; i++) {
        struct job_reader *override = &reader->overrides[i];
        const char *text = override->when ? job_reader_text(override, override->when,
                                                            "when", WHEN_BYTES_MAX)
                                          : NULL;

        if (text &&
            expression_parse(&job->overrides[i].when, text, &job->sweep.variables,
                             job->arena, &offset, &err) < 0)
            job_reader_complain_inside(override, override->when, offset, "when",
                                       err.text);
    }
}

void override_check(struct job_reader *reader)
{
    const struct job *job = reader->job;
    size_t bytes = 0;

    for (size_t i = 0; i < job->override_count; i++)
        bytes += reader->overrides[i].when->length;
    if (bytes * job->sweep.points > WORK_MAX)
        job_reader_complain(&reader->overrides[0], reader->overrides[0].when, "when",
                            "checking %zu bytes of conditions for each of %llu points "
                            "takes too long; use fewer conditions or a smaller sweep",
                            bytes, (unsigned long long)job->sweep.points);
}
