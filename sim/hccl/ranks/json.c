#include "sim/hccl/ranks/json.h"

#include <stddef.h>
#include <string.h>

#define DEPTH_MAX 16

static char peek(struct json *json)
{
    while (*json->at && strchr(" \t\r\n", *json->at))
        json->at++;
    return *json->at;
}

static bool take(struct json *json, char wanted)
{
    if (json->bad || peek(json) != wanted)
        return false;
    json->at++;
    return true;
}

static void expect(struct json *json, char wanted)
{
    if (!take(json, wanted))
        json->bad = true;
}

static void read_string(struct json *json, char *out)
{
    size_t length = 0;

    expect(json, '"');
    while (!json->bad && *json->at != '"') {
        if ((unsigned char)*json->at < 0x20 || (*json->at == '\\' && !*++json->at)) {
            json->bad = true;
            return;
        }
        if (out && length < JSON_TEXT - 1)
            out[length++] = *json->at;
        json->at++;
    }
    expect(json, '"');
    if (out)
        out[length] = '\0';
}

void json_scalar(struct json *json, char *out)
{
    size_t length;

    if (peek(json) == '"') {
        read_string(json, out);
        return;
    }
    length = strspn(json->at, "-+.0123456789aeEflnrstu");
    if (length == 0 || length >= JSON_TEXT) {
        json->bad = true;
        return;
    }
    if (out) {
        memcpy(out, json->at, length);
        out[length] = '\0';
    }
    json->at += length;
}

static bool enter(struct json *json, char open)
{
    if (++json->depth > DEPTH_MAX)
        json->bad = true;
    expect(json, open);
    return !json->bad;
}

static void leave(struct json *json, char shut)
{
    expect(json, shut);
    json->depth--;
}

void json_object(struct json *json, json_member_fn *member, void *arg)
{
    char key[JSON_TEXT];

    if (!enter(json, '{'))
        return;
    if (peek(json) != '}')
        do {
            read_string(json, key);
            expect(json, ':');
            if (json->bad)
                return;
            if (member)
                member(json, key, arg);
            else
                json_skip(json);
        } while (take(json, ','));
    leave(json, '}');
}

void json_array(struct json *json, json_element_fn *element, void *arg)
{
    if (!enter(json, '['))
        return;
    if (peek(json) != ']')
        do {
            if (json->bad)
                return;
            if (element)
                element(json, arg);
            else
                json_skip(json);
        } while (take(json, ','));
    leave(json, ']');
}

void json_skip(struct json *json)
{
    switch (peek(json)) {
    case '{':
        json_object(json, NULL, NULL);
        break;
    case '[':
        json_array(json, NULL, NULL);
        break;
    default:
        json_scalar(json, NULL);
    }
}

bool json_is_over(struct json *json)
{
    return !json->bad && peek(json) == '\0';
}
