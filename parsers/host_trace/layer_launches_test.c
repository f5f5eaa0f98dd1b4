/* layer_launches_test.c - marked layers, and the kernels that were launched in them */
#include "parsers/host_trace/layer_launches.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "parsers/host_trace/trace_view.h"
#include "tests/support/unit.h"

static void names_of_layers(void **ctx)
{
    static const char *const layers[] = {"layer#0", "Layer.12",  "block#3",
                                         "MLP#1",   "decoder.7", "TransformerBlock#2"};
    static const char *const others[] = {
        "layer",    "layer#",    "layer#3a", "layers#3", "layer_3",
        "player#3", "layer#3#4", "",         "decoder.", "aten::mm"};
    (void)ctx;
    for (size_t i = 0; i < COUNT(layers); i++)
        assert_true(layer_name_matches(layers[i], NULL));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(layer_name_matches(others[i], NULL));
    assert_true(layer_name_matches("Stage.7", "stage"));
    assert_true(layer_name_matches("layer#0", "stage"));
    assert_false(layer_name_matches("stage.7", NULL));
    assert_false(layer_name_matches("stages.7", "stage"));
}

/* Two layers on one thread, the first with a nested one, and arrows in any order. */
static const char text[] =
    "{\"traceEvents\":["
    "{\"ph\":\"f\",\"cat\":\"async_npu\",\"name\":\"torch_to_npu\",\"id\":7,\"ts\":"
    "\"200.5\"},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"layer#0\",\"pid\":1,\"tid\":"
    "1,"
    "\"ts\":100,\"dur\":50},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"MLP#0\",\"pid\":1,\"tid\":1,"
    "\"ts\":120,\"dur\":10},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"layer#1\",\"pid\":1,\"tid\":"
    "1,"
    "\"ts\":150,\"dur\":50},"
    "{\"ph\":\"s\",\"name\":\"torch_to_npu\",\"id\":7,\"ts\":\"125\"},"
    "{\"ph\":\"s\",\"name\":\"torch_to_npu\",\"id\":\"99999999999999999999999\",\"ts\":"
    "150},"
    "{\"ph\":\"f\",\"name\":\"torch_to_npu\",\"id\":\"99999999999999999999999\",\"ts\":"
    "300},"
    "{\"ph\":\"s\",\"name\":\"torch_to_npu\",\"id\":9,\"ts\":200},"
    "{\"ph\":\"f\",\"name\":\"torch_to_npu\",\"id\":9,\"ts\":310},"
    "{\"ph\":\"s\",\"name\":\"HostToDevice\",\"id\":10,\"ts\":160},"
    "{\"ph\":\"f\",\"name\":\"HostToDevice\",\"id\":10,\"ts\":320}]}";

static struct names *names;
static struct trace_view trace;

static void read_trace(const char *json, const struct trace_words *words)
{
    char path[] = "/tmp/muster-layers-XXXXXX";
    int fd = mkstemp(path);
    struct err err;

    names = names_create();
    assert_int_equal(write(fd, json, strlen(json)), strlen(json));
    close(fd);
    assert_int_equal(trace_view_read(&trace, names, NULL, words, path, &err), 0);
    unlink(path);
}

/* With a word of the user, other annotations are layers too. */
static void a_user_may_name_the_layers(void **ctx)
{
    char *own = strdup(text);
    (void)ctx;
    for (char *at = own; (at = strstr(at, "layer#"));)
        memcpy(at, "stage", 5);
    read_trace(own, NULL);
    assert_int_equal(trace.launch_count, 0);
    trace_view_clear(&trace);
    names_destroy(names);
    read_trace(own, &(struct trace_words){.layer = "stage"});
    assert_int_equal(trace.layer_count, 2);
    assert_int_equal(trace.launch_count, 2);
    assert_int_equal(trace.launches[1].layer, 1);
    trace_view_clear(&trace);
    names_destroy(names);
    free(own);
}

static void kernels_belong_to_the_layer_of_their_launch(void **ctx)
{
    (void)ctx;
    read_trace(text, NULL);
    assert_int_equal(trace.layer_count, 2);
    assert_int_equal(trace.layers[1].start, 150000);
    assert_int_equal(trace.launch_count, 2);
    assert_int_equal(trace.launches[0].start, 200500);
    assert_int_equal(trace.launches[0].layer, 0);
    assert_int_equal(trace.launches[1].start, 300000);
    assert_int_equal(trace.launches[1].layer, 1);
    trace_view_clear(&trace);
    names_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_layers),
        cmocka_unit_test(kernels_belong_to_the_layer_of_their_launch),
        cmocka_unit_test(a_user_may_name_the_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
