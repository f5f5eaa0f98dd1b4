#include "cli/api/api.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/api/answer_cache.h"
#include "cli/api/api_source.h"
#include "cli/api/endpoints.h"
#include "cli/api/job_files.h"
#include "cli/api/openapi.h"
#include "cli/api/trace_answer.h"
#include "cli/api/verdict_answer.h"
#include "cli/http/http_server.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

enum {
    STREAM_VERSIONS = 5, /* an event without a change, to find lost peers */
    STREAM_GAP_MS = 10,  /* between two events, for each stream: each event makes all
                          * clients send requests, so many clients get fewer events */
};

struct api {
    struct api_source source;
    struct answer_cache cache;
    struct trace_files *traces;
    struct remote_copies *copies;
    struct command_runs *verdicts;
    uint64_t version;
    unsigned unchanged;  /* calls of api_publish() since the last event */
    uint64_t publish_ms; /* time of the next event, not earlier */
};

struct api *api_create(const struct client_options *client, const char *out)
{
    struct api *api = xcalloc(1, sizeof(*api));

    api_source_init(&api->source, client, out);
    api->traces = trace_files_create();
    api->copies = remote_copies_create();
    api->verdicts = command_runs_create();
    return api;
}

void api_destroy(struct api *api)
{
    if (!api)
        return;
    api_source_clear(&api->source);
    answer_cache_clear(&api->cache);
    trace_files_destroy(api->traces);
    remote_copies_destroy(api->copies);
    command_runs_destroy(api->verdicts);
    free(api);
}

int api_check(struct api *api, struct err *err)
{
    return api_source_get(&api->source, err) ? 0 : -1;
}

static int query_page(struct api *api,
                      const struct endpoint *endpoint,
                      const struct http_request *request,
                      struct http_response *response,
                      struct err *err)
{
    const char *own[HTTP_ARGUMENTS_MAX];
    struct row_source *source = api_source_get(&api->source, err);
    struct row_page *page;
    int result;

    endpoint_arguments(endpoint, own);
    if (!source)
        return -1;
    if (endpoint->answer) {
        result = endpoint->answer(source, request, response, err);
        if (result < 0)
            api_source_failed(&api->source, err);
        return result;
    }
    page = row_page_create(endpoint->row, request, own);
    result = endpoint->query(source, endpoint, request, page, err);
    if (result < 0)
        api_source_failed(&api->source, err);
    else
        result = row_page_finish(page, response, err);
    row_page_destroy(page);
    return result;
}

static void answer_rows(const struct http_request *request,
                        struct http_response *response,
                        void *arg)
{
    struct api *api = arg;
    const struct endpoint *endpoint = request->data;
    uint64_t version = api_source_version(&api->source), start_ms = clock_mono_ms();
    struct err err = {0};

    if (answer_cache_find(&api->cache, request, version, start_ms, response))
        return;
    if (query_page(api, endpoint, request, response, &err) < 0) {
        http_response_failure(response, &err);
        return;
    }
    uint64_t now_ms = clock_mono_ms();
    answer_cache_add(
        &api->cache, request, version,
        endpoint->may_age ? answer_cache_valid_ms(now_ms, now_ms - start_ms) : 0,
        response);
}

/* Parts of traces are never in the cache, as the first answers only report how much of
 * the trace is read. */
static void answer_trace(const struct http_request *request,
                         struct http_response *response,
                         void *arg)
{
    const struct endpoint *endpoint = request->data;
    const char *known[HTTP_ARGUMENTS_MAX];
    struct api *api = arg;
    const struct trace_answer answer = {
        .source = &api->source,
        .copies = api->copies,
        .files = api->traces,
        .part = endpoint->block ? endpoint->block : endpoint->trace,
        .schema = endpoint->schema,
        .request = request,
    };
    struct err err = {0};
    int result = -1;

    endpoint_arguments(endpoint, known);
    if (http_arguments_check(request, known, &err) == 0)
        result = endpoint->block ? trace_answer_block(&answer, response, &err)
                                 : trace_answer(&answer, response, &err);
    if (result < 0)
        http_response_failure(response, &err);
}

static void answer_verdict(const struct http_request *request,
                           struct http_response *response,
                           void *arg)
{
    const struct endpoint *endpoint = request->data;
    struct api *api = arg;
    const struct verdict_source source = {&api->source.client, api->source.out,
                                          api_source_version(&api->source)};
    struct err err = {0};

    if (!api_source_get(&api->source, &err) ||
        verdict_answer(api->verdicts, &source, endpoint, request, response, &err) < 0)
        http_response_failure(response, &err);
}

/* Files are never in the cache. */
static void answer_file(const struct http_request *request,
                        struct http_response *response,
                        void *arg)
{
    struct api *api = arg;
    struct err err = {0};

    if (job_files_send(&api->source, request, response, &err) == 0)
        return;
    api_source_failed(&api->source, &err);
    http_response_failure(response, &err);
}

static void answer_stream(const struct http_request *request,
                          struct http_response *response,
                          void *arg)
{
    const struct api *api = arg;

    (void)request;
    response->type = "text/event-stream";
    response->is_stream = true;
    text_printf(&response->body, "retry: 500\n\nevent: change\ndata: %" PRIu64 "\n\n",
                api->version);
}

static void answer_description(const struct http_request *request,
                               struct http_response *response,
                               void *arg)
{
    (void)request;
    (void)arg;
    response->type = "application/json";
    openapi_write(&response->body);
}

static http_handler_fn *handler_of(const struct endpoint *endpoint)
{
    return endpoint->trace || endpoint->block ? answer_trace
           : endpoint->verdict                ? answer_verdict
                                              : answer_rows;
}

size_t api_routes(struct http_route *routes)
{
    size_t count = 0;

    assert(endpoint_count + 3 <= API_ROUTES_MAX);
    for (; count < endpoint_count; count++)
        routes[count] = (struct http_route){
            .path = endpoints[count].path,
            .fn = handler_of(&endpoints[count]),
            .data = &endpoints[count],
        };
    routes[count++] = (struct http_route){"/api/v1/jobs/{job}/files/{file}",
                                          answer_file, NULL, false};
    routes[count++] =
        (struct http_route){"/api/v1/changes", answer_stream, NULL, false};
    routes[count++] =
        (struct http_route){"/api/v1/openapi.json", answer_description, NULL, false};
    return count;
}

void api_publish(struct api *api, struct http_server *server)
{
    uint64_t version, now_ms = clock_mono_ms();
    char text[24];

    command_runs_sweep(api->verdicts);
    if (http_server_streams(server) == 0 || now_ms < api->publish_ms)
        return;
    version = api_source_version(&api->source);
    if (!answer_cache_refresh(&api->cache, now_ms) && version == api->version &&
        ++api->unchanged < STREAM_VERSIONS)
        return;
    api->version = version;
    api->unchanged = 0;
    api->publish_ms = now_ms + http_server_streams(server) * STREAM_GAP_MS;
    snprintf(text, sizeof(text), "%" PRIu64, version);
    http_server_publish(server, "change", text);
}
