/* dispatch_test.c - the dispatcher's functions as a producer and a subscriber use them
 */
#include "xpti/abi/dispatch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/support/unit.h"
#include "tests/xpti/cpp_view.h"

static atomic_uint calls, other_calls;
static uint64_t last_instance;

static void count(uint16_t type,
                  struct xpti_event *parent,
                  struct xpti_event *object,
                  uint64_t instance,
                  const void *user)
{
    (void)type, (void)parent, (void)object, (void)user;
    atomic_fetch_add(&calls, 1);
    last_instance = instance;
}

static void count_other(uint16_t type,
                        struct xpti_event *parent,
                        struct xpti_event *object,
                        uint64_t instance,
                        const void *user)
{
    (void)type, (void)parent, (void)object, (void)instance, (void)user;
    atomic_fetch_add(&other_calls, 1);
}

static int start(void **ctx)
{
    (void)ctx;
    xptiReset();
    xptiForceSetTraceEnabled(true);
    atomic_store(&calls, 0);
    atomic_store(&other_calls, 0);
    return 0;
}

static int stop(void **ctx)
{
    (void)ctx;
    xptiReset();
    return 0;
}

static struct xpti_event *make(const char *name, uint32_t line, uint64_t *instance)
{
    struct xpti_payload payload = {.name = name, .file = "app.cpp", .line = line};

    return xptiMakeEvent(name, &payload, XPTI_EVENT_ALGORITHM, XPTI_ACTIVE, instance);
}

static void streams_are_numbered_from_one(void **ctx)
{
    (void)ctx;
    assert_int_equal(xptiRegisterStream("sycl"), 2); /* 1 is xpti.framework */
    assert_int_equal(xptiRegisterStream("ur.call"), 3);
    assert_int_equal(xptiRegisterStream("sycl"), 2);
    assert_int_equal(xptiRegisterStream("xpti.framework"), 1);
    assert_int_equal(xptiRegisterStream(NULL), XPTI_NO_STREAM);
    assert_int_equal(xptiInitialize(NULL, 1, 0, ""), XPTI_INVALID_ARGUMENT);
}

static void an_unregistered_stream_loses_its_callbacks_and_keeps_its_number(void **ctx)
{
    struct xpti_event *event = make("f", 1, NULL);
    uint8_t stream = xptiRegisterStream("sycl");
    uint16_t mine = xptiRegisterUserDefinedTracePoint("mine", 5);

    (void)ctx;
    assert_int_equal(xptiUnregisterStream(NULL), XPTI_INVALID_ARGUMENT);
    assert_int_equal(xptiUnregisterStream("unknown"), XPTI_NOT_FOUND);
    assert_int_equal(xptiUnregisterStream("sycl"), XPTI_NOT_FOUND); /* no callbacks */
    xptiRegisterCallback(stream, 10, count);
    xptiRegisterCallback(stream, mine, count);
    assert_int_equal(xptiUnregisterStream("sycl"), XPTI_SUCCESS);
    assert_false(xptiCheckTraceEnabled(stream, 0));
    assert_false(xptiCheckTraceEnabled(stream, 10));
    xptiNotifySubscribers(stream, 10, NULL, event, 1, NULL);
    xptiNotifySubscribers(stream, mine, NULL, event, 1, NULL);
    assert_int_equal(calls, 0);
    assert_int_equal(xptiRegisterStream("sycl"), stream);
    assert_int_equal(xptiRegisterCallback(stream, 10, count), XPTI_UNDELETE);
    xptiNotifySubscribers(stream, 10, NULL, event, 1, NULL);
    assert_int_equal(calls, 1);
}

static void unusable_arguments_give_the_numbers_of_nothing(void **ctx)
{
    struct xpti_payload nothing = {0};
    char *text = (char *)"unchanged";

    (void)ctx;
    assert_int_equal(xptiRegisterString(NULL, NULL), XPTI_NO_TEXT);
    assert_int_equal(xptiRegisterString(NULL, &text), XPTI_NO_TEXT);
    assert_null(text);
    assert_null(xptiLookupString(XPTI_NO_TEXT));
    assert_null(xptiLookupString(0));
    assert_true(xptiRegisterObject(NULL, 1, XPTI_VALUE_TEXT) < 0);
    assert_true(xptiRegisterObject("v", 1, XPTI_VALUE_BOOLEAN + 1) < 0);
    assert_null(xptiLookupObject(-1).data);
    assert_int_equal(xptiRegisterPayload(NULL), 0);
    assert_int_equal(xptiRegisterPayload(&nothing), 0);
    assert_null(xptiQueryPayload(NULL));
    assert_null(xptiQueryPayloadByUID(0));
    assert_null(xptiFindEvent(0));
    assert_null(xptiQueryMetadata(NULL));
}

static void a_visited_place_gives_a_new_event_with_the_next_instance(void **ctx)
{
    uint64_t first, second, other;
    struct xpti_event *a = make("f", 1, &first), *b = make("f", 1, &second),
                      *c = make("f", 2, &other);

    (void)ctx;
    assert_ptr_not_equal(a, b);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2);
    assert_int_equal(other, 1);
    assert_int_equal(a->uid, (uintptr_t)a);
    assert_ptr_equal(xptiFindEvent(b->uid), b);
    assert_string_equal(xptiQueryPayload(c)->name, "f");
    assert_int_equal(xptiQueryPayload(c)->line, 2);
    assert_ptr_equal(xptiQueryPayloadByUID(xptiQueryPayload(c)->internal),
                     xptiQueryPayload(c));
    assert_ptr_equal(xptiQueryPayloadByUID(c->uid), xptiQueryPayload(c));
    xptiReleaseEvent(b);
    assert_null(xptiFindEvent((uintptr_t)b));
    xptiReleaseEvent(b); /* again: nothing happens */
}

static void each_callback_of_a_type_is_called_once(void **ctx)
{
    struct xpti_event *event = make("f", 1, NULL);
    uint8_t stream = xptiRegisterStream("sycl");

    (void)ctx;
    assert_int_equal(xptiRegisterCallback(stream, 10, count), XPTI_SUCCESS);
    assert_int_equal(xptiRegisterCallback(stream, 10, count), XPTI_DUPLICATE);
    assert_int_equal(xptiRegisterCallback(stream, 10, count_other), XPTI_SUCCESS);
    assert_int_equal(xptiRegisterCallback(stream, 10, NULL), XPTI_INVALID_ARGUMENT);
    assert_int_equal(xptiNotifySubscribers(stream, 10, NULL, event, 7, NULL), 0);
    assert_int_equal(xptiNotifySubscribers(stream, 11, NULL, event, 8, NULL), 0);
    assert_int_equal(xptiNotifySubscribers(1, 10, NULL, event, 9, NULL), 0);
    assert_int_equal(calls, 1);
    assert_int_equal(other_calls, 1);
    assert_int_equal(last_instance, 7);
    assert_int_equal(xptiUnregisterCallback(stream, 11, count), XPTI_NOT_FOUND);
    assert_int_equal(xptiUnregisterCallback(stream, 10, count), XPTI_SUCCESS);
    xptiNotifySubscribers(stream, 10, NULL, event, 7, NULL);
    assert_int_equal(calls, 1);
    assert_int_equal(other_calls, 2);
}

/* Removing again and adding again have results of their own. */
static void a_removed_callback_can_be_added_again(void **ctx)
{
    struct xpti_event *event = make("f", 1, NULL);

    (void)ctx;
    xptiRegisterCallback(1, 10, count);
    xptiRegisterCallback(1, 10, count_other);
    assert_int_equal(xptiUnregisterCallback(1, 10, count), XPTI_SUCCESS);
    assert_int_equal(xptiUnregisterCallback(1, 10, count), XPTI_DUPLICATE);
    xptiNotifySubscribers(1, 10, NULL, event, 1, NULL);
    assert_int_equal(calls, 0);
    assert_int_equal(other_calls, 1);
    assert_int_equal(xptiRegisterCallback(1, 10, count), XPTI_UNDELETE);
    assert_int_equal(xptiRegisterCallback(1, 10, count), XPTI_DUPLICATE);
    xptiNotifySubscribers(1, 10, NULL, event, 2, NULL);
    assert_int_equal(calls, 1);
    assert_int_equal(other_calls, 2);
    assert_int_equal(xptiUnregisterCallback(1, 10, count_other), XPTI_SUCCESS);
    assert_int_equal(xptiUnregisterCallback(1, 10, count), XPTI_SUCCESS);
    assert_false(xptiCheckTraceEnabled(1, 0));
}

static void types_of_tools_have_their_own_callbacks(void **ctx)
{
    uint16_t mine = xptiRegisterUserDefinedTracePoint("mine", 5),
             same = xptiRegisterUserDefinedTracePoint("mine", 5),
             theirs = xptiRegisterUserDefinedTracePoint("theirs", 5);
    struct xpti_event *event = make("f", 1, NULL);

    (void)ctx;
    assert_int_equal(mine, XPTI_TYPE_OF_TOOL | 5);
    assert_int_equal(same, mine);
    assert_int_equal(theirs, 1 << 8 | XPTI_TYPE_OF_TOOL | 5);
    xptiRegisterCallback(1, mine, count);
    xptiRegisterCallback(1, theirs, count_other);
    xptiNotifySubscribers(1, mine, NULL, event, 1, NULL);
    assert_int_equal(calls, 1);
    assert_int_equal(other_calls, 0);
    xptiNotifySubscribers(1, theirs, NULL, event, 1, NULL);
    assert_int_equal(other_calls, 1);
}

static void an_event_without_an_object_needs_user_data(void **ctx)
{
    static const uint16_t allowed[] = {24, 25, 28, 29, 32, 33, 34,
                                       35, 36, 37, 38, 39, 40, 126};

    (void)ctx;
    for (uint16_t type = 1; type < XPTI_TYPE_COUNT; type++) {
        bool is_allowed = false;

        for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
            is_allowed |= allowed[i] == type;
        assert_int_equal(xptiNotifySubscribers(1, type, NULL, NULL, 1, "user"),
                         is_allowed ? XPTI_SUCCESS : XPTI_INVALID_ARGUMENT);
        assert_int_equal(xptiNotifySubscribers(1, type, NULL, NULL, 1, NULL),
                         XPTI_INVALID_ARGUMENT);
    }
    xptiForceSetTraceEnabled(false);
    assert_int_equal(xptiNotifySubscribers(1, 24, NULL, NULL, 1, "user"), XPTI_FALSE);
}

static void the_enabled_test_follows_the_callbacks(void **ctx)
{
    (void)ctx;
    assert_true(xptiTraceEnabled());
    assert_false(xptiCheckTraceEnabled(1, 10));
    assert_false(xptiCheckTraceEnabled(1, 0));
    xptiRegisterCallback(1, 10, count);
    assert_true(xptiCheckTraceEnabled(1, 10));
    assert_false(xptiCheckTraceEnabled(1, 11));
    assert_true(xptiCheckTraceEnabled(1, 0));
    assert_false(xptiCheckTraceEnabled(2, 0));
    assert_false(xptiCheckTraceEnabled(300, 10));
    xptiUnregisterCallback(1, 10, count);
    assert_false(xptiCheckTraceEnabled(1, 10));
}

static void metadata_are_a_list_in_the_order_of_the_calls(void **ctx)
{
    struct xpti_event *event = make("f", 1, NULL);
    int32_t value = xptiRegisterObject("v", 1, XPTI_VALUE_TEXT);
    const struct xpti_map *map = xptiQueryMetadata(event);

    (void)ctx;
    assert_int_equal(map->count, 0);
    assert_int_equal(xptiAddMetadata(event, "a", value), XPTI_SUCCESS);
    assert_int_equal(xptiAddMetadata(event, "b", value), XPTI_SUCCESS);
    assert_int_equal(xptiAddMetadata(event, "a", value), XPTI_DUPLICATE);
    assert_int_equal(xptiAddMetadata(NULL, "a", value), XPTI_INVALID_ARGUMENT);
    assert_int_equal(xptiAddMetadata(event, "c", 0), XPTI_INVALID_ARGUMENT);
    assert_int_equal(map->count, 2);
    assert_string_equal(xptiLookupString(map->first->key), "a");
    assert_string_equal(xptiLookupString(map->first->next->key), "b");
    assert_null(map->first->next->next);
    assert_int_equal(map->first->value, value);
}

static void a_thread_stashes_one_value(void **ctx)
{
    uint64_t value = 0;
    char *key = NULL;

    (void)ctx;
    assert_int_equal(xptiGetStashedTuple(&key, &value), XPTI_NOT_FOUND);
    assert_int_equal(xptiStashTuple("queue_id", 4), XPTI_SUCCESS);
    assert_int_equal(xptiStashTuple("queue_id", 5), XPTI_SUCCESS);
    assert_int_equal(xptiGetStashedTuple(&key, &value), XPTI_SUCCESS);
    assert_string_equal(key, "queue_id");
    assert_int_equal(value, 5);
    xptiUnstashTuple();
    assert_int_equal(xptiGetStashedTuple(&key, &value), XPTI_NOT_FOUND);
    assert_int_equal(xptiStashTuple(NULL, 1), XPTI_INVALID_ARGUMENT);
}

static void cpp_code_reads_the_objects_of_an_event(void **ctx)
{
    struct xpti_tracepoint *point = xptiCreateTracepoint("f", "a.cpp", 3, 4, NULL);
    struct xpti_event *event;
    struct cpp_view view;
    char *text;

    (void)ctx;
    assert_true(cpp_view_read(point, &view));
    event = (struct xpti_event *)view.event;
    assert_int_equal(view.uid, (uintptr_t)event);
    assert_int_equal(view.instance, 1);
    assert_int_equal(view.event_type, XPTI_EVENT_ALGORITHM);
    assert_int_equal(view.activity, XPTI_ACTIVE);
    assert_int_equal(view.flags, event->flags);
    assert_ptr_equal(view.payload, xptiQueryPayload(event));
    assert_string_equal(view.name, "f");
    assert_string_equal(view.file, "a.cpp");
    assert_int_equal(view.line, 3);
    assert_int_equal(view.column, 4);
    assert_int_equal(view.name_number, xptiRegisterString("f", &text));
    assert_int_equal(view.file_number, xptiRegisterString("a.cpp", &text));
    assert_int_equal(view.payload_uid, view.uid);
    assert_true(view.payload_is_valid);
    assert_int_equal(view.metadata_count, 0);
    assert_int_equal(view.key_count, 0);
    event->source = 7;
    event->target = 8;
    cpp_view_change(point, XPTI_EVENT_GRAPH, XPTI_SLEEP);
    assert_true(cpp_view_read(point, &view));
    assert_int_equal(view.source, 7);
    assert_int_equal(view.target, 8);
    assert_int_equal(view.event_type, XPTI_EVENT_GRAPH);
    assert_int_equal(view.activity, XPTI_SLEEP);
}

static void cpp_code_reads_and_adds_metadata(void **ctx)
{
    struct xpti_tracepoint *point = xptiCreateTracepoint("f", "a.cpp", 3, 4, NULL);
    int32_t one = xptiRegisterObject("1", 1, XPTI_VALUE_TEXT),
            two = xptiRegisterObject("2", 1, XPTI_VALUE_TEXT);
    struct xpti_event *event;
    struct cpp_view view;
    char *text;

    (void)ctx;
    cpp_view_read(point, &view);
    event = (struct xpti_event *)view.event;
    assert_int_equal(cpp_view_sum(xptiQueryMetadata(event)), 0);
    assert_int_equal(xptiAddMetadata(event, "a", one), XPTI_SUCCESS);
    assert_int_equal(cpp_view_add_metadata(point, "b", one), XPTI_SUCCESS);
    assert_int_equal(cpp_view_add_metadata(point, "b", two),
                     XPTI_SUCCESS); /* changes */
    assert_int_equal(cpp_view_add_metadata(point, NULL, two), XPTI_INVALID_ARGUMENT);
    cpp_view_read(point, &view);
    assert_int_equal(view.metadata_count, 2);
    assert_int_equal(view.key_count, 2);
    assert_string_equal(view.keys[0], "a");
    assert_int_equal(view.values[0], one);
    assert_string_equal(view.keys[1], "b");
    assert_int_equal(view.values[1], two);
    assert_int_equal(
        cpp_view_find(xptiQueryMetadata(event), xptiRegisterString("b", &text)), two);
    assert_int_equal(
        cpp_view_find(xptiQueryMetadata(event), xptiRegisterString("absent", &text)),
        0);
    assert_int_equal(cpp_view_sum(xptiQueryMetadata(event)), one + two);
}

/* Events of xptiMakeEvent() have these objects, too. */
static void the_objects_of_each_event_are_found_by_its_number(void **ctx)
{
    struct xpti_tracepoint *point = xptiCreateTracepoint("f", "a.cpp", 3, 4, NULL);
    struct xpti_event *made = make("g", 5, NULL), *event;
    struct cpp_view view;

    (void)ctx;
    cpp_view_read(point, &view);
    event = (struct xpti_event *)view.event;
    assert_non_null(xptiLookupEvent(event->uid));
    assert_non_null(xptiLookupEvent(made->uid));
    assert_non_null(xptiLookupPayload(made->uid));
    assert_ptr_not_equal(xptiLookupEvent(made->uid), xptiLookupEvent(event->uid));
    assert_null(xptiLookupEvent(1));
    assert_null(xptiLookupPayload(1));
    assert_int_equal(xptiSetTracepointScopeData(point), XPTI_SUCCESS);
    assert_ptr_equal(xptiRegisterTracepointScope("g", "a.cpp", 9, 9), point);
    assert_int_equal(xptiDeleteTracepoint(point), XPTI_SUCCESS);
    assert_null(xptiGetTracepointScopeData());
    assert_null(xptiFindEvent((uintptr_t)event));
    assert_null(xptiLookupPayload((uintptr_t)event));
    assert_int_equal(xptiDeleteTracepoint(NULL), XPTI_INVALID_ARGUMENT);
}

static void neutral_values_can_be_changed(void **ctx)
{
    (void)ctx;
    assert_int_equal(xptiGetDefaultStreamID(), 1);
    assert_int_equal(xptiSetDefaultStreamID(XPTI_NO_STREAM), XPTI_INVALID_ARGUMENT);
    assert_int_equal(xptiSetDefaultEventType(0), XPTI_INVALID_ARGUMENT);
    assert_int_equal(xptiSetDefaultTraceType(0), XPTI_INVALID_ARGUMENT);
    assert_int_equal(xptiSetDefaultStreamID(4), XPTI_SUCCESS);
    assert_int_equal(xptiGetDefaultStreamID(), 4);
    xptiSetDefaultEventType(3);
    xptiSetDefaultTraceType(28);
    assert_int_equal(xptiGetDefaultEventType(), 3);
    assert_int_equal(xptiGetDefaultTraceType(), 28);
    xptiSetUniversalId(77);
    assert_int_equal(xptiGetUniversalId(), 77);
    assert_int_equal(xptiGetUniqueId(), 1);
    assert_int_equal(xptiGetUniqueId(), 2);
    assert_false(xptiCheckTracepointScopeNotification());
    xptiEnableTracepointScopeNotification(true);
    assert_true(xptiCheckTracepointScopeNotification());
}

enum { THREADS = 4, ROUNDS = 2000 };

static void *change_and_notify(void *arg)
{
    struct xpti_event *event = make("thread", 5, NULL);

    for (int i = 0; i < ROUNDS; i++) {
        if (arg) {
            xptiRegisterCallback(3, 12, count_other);
            xptiUnregisterCallback(3, 12, count_other);
        }
        xptiNotifySubscribers(3, 10, NULL, event, 1, NULL);
        xptiNotifySubscribers(3, 12, NULL, event, 1, NULL);
        xptiReleaseEvent(make("thread", 6, NULL));
    }
    return NULL;
}

static void threads_notify_while_callbacks_change(void **ctx)
{
    pthread_t threads[THREADS];
    static int changes;

    (void)ctx;
    xptiRegisterCallback(3, 10, count_other);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, change_and_notify, i ? NULL : &changes),
            0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(other_calls >= THREADS * ROUNDS);
    assert_true(other_calls <= 2 * THREADS * ROUNDS);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        CASE(streams_are_numbered_from_one),
        CASE(an_unregistered_stream_loses_its_callbacks_and_keeps_its_number),
        CASE(unusable_arguments_give_the_numbers_of_nothing),
        CASE(a_visited_place_gives_a_new_event_with_the_next_instance),
        CASE(each_callback_of_a_type_is_called_once),
        CASE(a_removed_callback_can_be_added_again),
        CASE(types_of_tools_have_their_own_callbacks),
        CASE(an_event_without_an_object_needs_user_data),
        CASE(the_enabled_test_follows_the_callbacks),
        CASE(metadata_are_a_list_in_the_order_of_the_calls),
        CASE(a_thread_stashes_one_value),
        CASE(cpp_code_reads_the_objects_of_an_event),
        CASE(cpp_code_reads_and_adds_metadata),
        CASE(the_objects_of_each_event_are_found_by_its_number),
        CASE(neutral_values_can_be_changed),
        CASE(threads_notify_while_callbacks_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
