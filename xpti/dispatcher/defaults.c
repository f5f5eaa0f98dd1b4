#include "xpti/dispatcher/defaults.h"

#include <stdatomic.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/state_lock.h"
#include "xpti/dispatcher/texts.h"

enum { FIRST_STREAM = 1, TOOLS_MAX = 255, TOOL_NUMBER_MAX = 127 };

static atomic_uchar stream = FIRST_STREAM;
static atomic_ushort event_type = XPTI_EVENT_ALGORITHM;
static atomic_ushort trace_type = XPTI_FUNCTION_BEGIN;
static atomic_ullong unique;
static uint32_t tools[TOOLS_MAX]; /* texts of their names */
static unsigned tool_count;

uint8_t xptiGetDefaultStreamID(void)
{
    return atomic_load(&stream);
}

int32_t xptiSetDefaultStreamID(uint8_t id)
{
    if (id == XPTI_NO_STREAM)
        return XPTI_INVALID_ARGUMENT;
    atomic_store(&stream, id);
    return XPTI_SUCCESS;
}

uint16_t xptiGetDefaultEventType(void)
{
    return atomic_load(&event_type);
}

int32_t xptiSetDefaultEventType(uint16_t type)
{
    if (type == 0)
        return XPTI_INVALID_ARGUMENT;
    atomic_store(&event_type, type);
    return XPTI_SUCCESS;
}

uint16_t xptiGetDefaultTraceType(void)
{
    return atomic_load(&trace_type);
}

int32_t xptiSetDefaultTraceType(uint16_t type)
{
    if (type == 0)
        return XPTI_INVALID_ARGUMENT;
    atomic_store(&trace_type, type);
    return XPTI_SUCCESS;
}

uint64_t xptiGetUniqueId(void)
{
    return atomic_fetch_add(&unique, 1) + 1;
}

/* Returns the number of a tool from 0, or TOOLS_MAX when there is no room. */
static unsigned number_of_tool(const char *tool)
{
    uint32_t text = texts_add(tool, NULL);
    unsigned at = 0;

    while (at < tool_count && tools[at] != text)
        at++;
    if (text == 0 || at == TOOLS_MAX)
        return TOOLS_MAX;
    if (at == tool_count)
        tools[tool_count++] = text;
    return at;
}

static uint16_t register_type(const char *tool, uint8_t number)
{
    unsigned at;

    if (!tool || !state_lock())
        return 0;
    at = number_of_tool(tool);
    state_unlock();
    if (at == TOOLS_MAX)
        return 0;
    return (uint16_t)(at << 8 | XPTI_TYPE_OF_TOOL | (number & TOOL_NUMBER_MAX));
}

uint16_t xptiRegisterUserDefinedTracePoint(const char *tool, uint8_t number)
{
    return register_type(tool, number);
}

uint16_t xptiRegisterUserDefinedEventType(const char *tool, uint8_t number)
{
    return register_type(tool, number);
}

void defaults_reset(void)
{
    atomic_store(&stream, FIRST_STREAM);
    atomic_store(&event_type, XPTI_EVENT_ALGORITHM);
    atomic_store(&trace_type, XPTI_FUNCTION_BEGIN);
    atomic_store(&unique, 0);
    tool_count = 0;
}
