/* override_read.c - overrides: for which points each of them holds */
#include "lib/base/mem.h"
#include "lib/job/job_reader.h"

enum { WHEN_BYTES_MAX = 4096 };
/* Points times bytes of expressions: some seconds of work. */
#define WORK_MAX 2000000000u

void override_read(struct job_reader *reader)
{
    struct job *job = reader->job;
    struct err err;
    size_t offset;

    for (size_t i = 0; i < job->override_count; i++) {
        struct job_reader *its = &reader->overrides[i];
        const char *text =
            its->when ? job_reader_text(its, its->when, "when", WHEN_BYTES_MAX) : NULL;

        if (text &&
            expression_parse(&job->overrides[i].when, text, &job->sweep.variables,
                             job->arena, &offset, &err) < 0)
            job_reader_complain_inside(its, its->when, offset, "when", err.text);
    }
}

void override_check(struct job_reader *reader)
{
    const struct job *job = reader->job;
    size_t bytes = 0;

    for (size_t i = 0; i < job->override_count; i++)
        bytes += reader->overrides[i].when->length;
    if (bytes * job->sweep.points > WORK_MAX)
        job_reader_complain(
            &reader->overrides[0], reader->overrides[0].when, "when",
            "too much to decide: %zu bytes of expressions for %llu points", bytes,
            (unsigned long long)job->sweep.points);
}
