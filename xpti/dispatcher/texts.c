#include "xpti/dispatcher/texts.h"

#include <stdlib.h>
#include <string.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/hash_map.h"
#include "xpti/dispatcher/state_lock.h"

struct value {
    struct hash_entry entry; /* first */
    uint32_t number;
    uint8_t type;
    size_t size;
    char data[]; /* then a null byte */
};

struct table {
    struct hash_map map;
    struct value **by_number; /* number 1 is at index 0 */
    size_t room;
};

static struct table texts, objects;

static bool is_value(const struct hash_entry *entry, const void *key)
{
    const struct value *value = (const struct value *)entry;
    const struct xpti_object *object = key;

    return value->size == object->size && value->type == object->type &&
           memcmp(value->data, object->data, object->size) == 0;
}

static bool make_room(struct table *table)
{
    size_t room = table->room ? 2 * table->room : 256;
    struct value **larger;

    if (table->map.count < table->room)
        return true;
    larger = realloc(table->by_number, room * sizeof(struct value *));
    if (!larger)
        return false;
    table->by_number = larger;
    table->room = room;
    return true;
}

static struct value *add(struct table *table, const struct xpti_object *object)
{
    uint64_t hash = hash_bytes(object->data, object->size) + object->type;
    struct value *value =
        (struct value *)hash_map_find(&table->map, hash, is_value, object);

    if (value)
        return value;
    if (table->map.count >= INT32_MAX || !make_room(table))
        return NULL;
    value = malloc(sizeof(*value) + object->size + 1);
    if (!value)
        return NULL;
    value->entry.hash = hash;
    value->size = object->size;
    value->type = object->type;
    memcpy(value->data, object->data, object->size);
    value->data[object->size] = '\0';
    if (!hash_map_add(&table->map, &value->entry)) {
        free(value);
        return NULL;
    }
    value->number = (uint32_t)table->map.count;
    table->by_number[value->number - 1] = value;
    return value;
}

static const struct value *get(const struct table *table, uint32_t number)
{
    return number >= 1 && number <= table->map.count ? table->by_number[number - 1]
                                                     : NULL;
}

uint32_t texts_add(const char *text, const char **interned)
{
    const struct xpti_object object = {strlen(text), text, XPTI_VALUE_TEXT};
    const struct value *value = add(&texts, &object);

    if (interned)
        *interned = value ? value->data : NULL;
    return value ? value->number : 0;
}

const char *texts_get(uint32_t id)
{
    const struct value *value = get(&texts, id);

    return value ? value->data : NULL;
}

uint32_t xptiRegisterString(const char *text, char **interned)
{
    const char *copy = NULL;
    uint32_t id;

    if (interned)
        *interned = NULL;
    if (!text || !state_lock())
        return XPTI_NO_TEXT;
    id = texts_add(text, &copy);
    state_unlock();
    if (interned)
        *interned = (char *)copy;
    return id ? id : XPTI_NO_TEXT;
}

const char *xptiLookupString(uint32_t id)
{
    const char *text;

    if (!state_lock())
        return NULL;
    text = texts_get(id);
    state_unlock();
    return text;
}

int32_t xptiRegisterObject(const char *data, size_t size, uint8_t type)
{
    const struct xpti_object object = {size, data, type};
    const struct value *value;

    if (!data || type > XPTI_VALUE_BOOLEAN || !state_lock())
        return XPTI_INVALID_ARGUMENT;
    value = add(&objects, &object);
    state_unlock();
    return value ? (int32_t)value->number : XPTI_FAIL;
}

struct xpti_object xptiLookupObject(int32_t id)
{
    struct xpti_object object = {0, NULL, XPTI_VALUE_BINARY};
    const struct value *value;

    if (id < 1 || !state_lock())
        return object;
    value = get(&objects, (uint32_t)id);
    if (value)
        object = (struct xpti_object){value->size, value->data, value->type};
    state_unlock();
    return object;
}

static void drop(struct hash_entry *entry)
{
    free(entry);
}

static void reset(struct table *table)
{
    hash_map_clear(&table->map, drop);
    free(table->by_number);
    *table = (struct table){0};
}

void texts_reset(void)
{
    reset(&texts);
    reset(&objects);
}
