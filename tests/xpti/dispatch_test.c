/* dispatch_test.c - the dispatcher's functions as a producer and a subscriber use them
 */
#include "xpti/abi/dispatch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/support/unit.h"

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
    assert_int_equal(xptiRegisterStream(NULL), 0);
    assert_int_equal(xptiUnregisterStream("sycl"), XPTI_SUCCESS);
    assert_int_equal(xptiUnregisterStream("sycl"), XPTI_NOT_FOUND);
    assert_int_equal(xptiInitialize(NULL, 1, 0, ""), XPTI_INVALID_ARGUMENT);
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
    assert_int_equal(xptiUnregisterCallback(stream, 10, count), XPTI_SUCCESS);
    assert_int_equal(xptiUnregisterCallback(stream, 10, count), XPTI_NOT_FOUND);
    xptiNotifySubscribers(stream, 10, NULL, event, 7, NULL);
    assert_int_equal(calls, 1);
    assert_int_equal(other_calls, 2);
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

/* Calls the n-th function of a C++ object. */
static uint64_t call_slot(void *object, size_t slot)
{
    uint64_t (*const *functions)(void *) = *(uint64_t(*const **)(void *))object;

    return functions[slot](object);
}

static void a_tracepoint_has_the_functions_of_its_interface_in_order(void **ctx)
{
    struct xpti_tracepoint *point = xptiCreateTracepoint("f", "a.cpp", 3, 4, NULL);
    struct xpti_event *event;
    void *view;

    (void)ctx;
    event = (struct xpti_event *)(uintptr_t)call_slot(point, 7);
    assert_int_equal(event->payload->line, 3);
    assert_int_equal(event->payload->column, 4);
    assert_int_equal(call_slot(point, 5), event->uid);
    assert_int_equal(call_slot(point, 6), 1);
    assert_int_equal(call_slot(point, 8), (uintptr_t)event->payload);
    view = xptiLookupEvent(event->uid);
    assert_int_equal(call_slot(point, 4), (uintptr_t)view);
    assert_int_equal(call_slot(view, 4), event->uid);
    assert_int_equal(call_slot(view, 5), 1);
    assert_null(xptiLookupEvent(1));
    assert_int_equal(xptiSetTracepointScopeData(point), XPTI_SUCCESS);
    assert_ptr_equal(xptiRegisterTracepointScope("g", "a.cpp", 9, 9), point);
    assert_int_equal(xptiDeleteTracepoint(point), XPTI_SUCCESS);
    assert_null(xptiGetTracepointScopeData());
    assert_null(xptiFindEvent((uintptr_t)event));
    assert_int_equal(xptiDeleteTracepoint(NULL), XPTI_INVALID_ARGUMENT);
}

static void neutral_values_can_be_changed(void **ctx)
{
    (void)ctx;
    assert_int_equal(xptiGetDefaultStreamID(), 1);
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
        CASE(a_visited_place_gives_a_new_event_with_the_next_instance),
        CASE(each_callback_of_a_type_is_called_once),
        CASE(types_of_tools_have_their_own_callbacks),
        CASE(an_event_without_an_object_needs_user_data),
        CASE(the_enabled_test_follows_the_callbacks),
        CASE(metadata_are_a_list_in_the_order_of_the_calls),
        CASE(a_thread_stashes_one_value),
        CASE(a_tracepoint_has_the_functions_of_its_interface_in_order),
        CASE(neutral_values_can_be_changed),
        CASE(threads_notify_while_callbacks_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
