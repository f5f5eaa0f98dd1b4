#include "parsers/viewer/viewer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "tests/support/unit.h"

#define SAMPLE "../../tests/viewer/golden/mix.bin"
#define ALIEN  "\"id\":7,\"type\":\"request\",\"moduleName\":\"source\""

static char folder[] = "/tmp/muster-viewer-XXXXXX";
static struct viewer *viewer;
static struct viewer_session *session;
static struct text sent; /* the messages since the last call, one per line */

static void keep(void *ctx, const char *text, size_t size, bool is_last)
{
    (void)ctx;
    text_add_bytes(&sent, text, size);
    if (is_last)
        text_add_char(&sent, '\n');
}

static const char *ask_text(struct viewer_session *of, const char *text)
{
    text_reset(&sent);
    viewer_answer(of, text, strlen(text), keep, NULL);
    return text_get(&sent);
}

/* Sends a request with these parameters and returns all messages. */
static const char *ask_of(struct viewer_session *of,
                          const char *module,
                          const char *command,
                          const char *params)
{
    char *text = xasprintf("{\"id\":7,\"type\":\"request\",\"moduleName\":\"%s\","
                           "\"command\":\"%s\",\"params\":%s}",
                           module, command, params);
    const char *answer = ask_text(of, text);

    free(text);
    return answer;
}

static const char *ask(const char *module, const char *command, const char *params)
{
    return ask_of(session, module, command, params);
}

static const char *open_in(struct viewer_session *of, const char *shown)
{
    char *params = xasprintf("{\"projectName\":\"%s\",\"path\":[\"%s\"],"
                             "\"projectAction\":1}",
                             shown, shown);
    const char *answer = ask_of(of, "timeline", "import/action", params);

    free(params);
    return answer;
}

static const char *read_events(struct viewer_session *of)
{
    text_reset(&sent);
    while (viewer_continue(of, keep, NULL))
        continue;
    return text_get(&sent);
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%.900s'", part, text);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in '%.900s'", part, text);
}

static char *path_of(const char *name)
{
    return xasprintf("%s/%s", folder, name);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char *path = path_of(name);
    struct err err;

    assert_int_equal(file_write(path, bytes, size, &err), 0);
    free(path);
}

static void add_block(struct text *bin, enum bin_type type, const char *payload)
{
    struct text text = {0};

    text_add(&text, payload);
    bin_add(bin, type, &text);
    text_clear(&text);
}

/* Lists /a, /b and /job/x.bin, which are files of the test's folder, and the sample. */
static int begin(void **ctx)
{
    static const char *const names[] = {"a.bin", "b.bin", "missing.bin"};
    char *paths[3];
    struct err err;

    (void)ctx;
    for (int i = 0; i < 3; i++)
        paths[i] = path_of(names[i]);
    const struct viewer_file files[] = {
        {"/a.bin", paths[0]},        {"/b.bin", paths[1]},
        {"/job/x.bin", SAMPLE},      {"/job/gone.bin", paths[2]},
        {"/job/folder.bin", folder},
    };
    viewer = viewer_create();
    assert_int_equal(viewer_set_files(viewer, files, COUNT(files), &err), 0);
    session = viewer_session_create(viewer);
    for (int i = 0; i < 3; i++)
        free(paths[i]);
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    viewer_session_destroy(session);
    viewer_destroy(viewer);
    text_clear(&sent);
    return 0;
}

static void each_wrong_request_is_answered(void **ctx)
{
    static const struct {
        const char *request, *message;
    } wrong[] = {
        {"", "request:1:1: "},
        {"[1]", "the request is no JSON object"},
        {"{\"id\":7", "request:1:"},
        {"{}", "'id' is missing or no whole number"},
        {"{\"id\":7.5}", "'id' is missing or no whole number"},
        {"{\"id\":7}", "'type' is missing or not 'request'"},
        {"{\"id\":7,\"type\":\"event\"}", "'type' is missing or not 'request'"},
        {"{\"id\":7,\"type\":\"request\"}", "'command' is missing or no text"},
        {"{" ALIEN "}", "'command' is missing or no text"},
        {"{" ALIEN ",\"command\":\"x\"}", "'params' is missing or no object"},
        {"{" ALIEN ",\"command\":\"x\",\"params\":[]}",
         "'params' is missing or no object"},
        {"{" ALIEN ",\"command\":\"x\",\"params\":{}}",
         "command 'x' of module 'source' is unknown"},
        {"{\"id\":7,\"type\":\"request\",\"moduleName\":\"m\",\"command\":\"x\","
         "\"params\":{}}",
         "module 'm' is unknown"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *answer = ask_text(session, wrong[i].request);

        contains(answer, "\"result\":false,\"error\":{\"code\":9999,\"message\":\"");
        contains(answer, wrong[i].message);
        contains(answer, strstr(wrong[i].request, "\"id\":7,") ? "\"requestId\":7"
                                                               : "\"requestId\":");
        lacks(answer, "\"body\"");
    }
}

static void a_request_above_the_limit_is_refused(void **ctx)
{
    struct text request = {0};

    (void)ctx;
    text_add(&request, "{\"id\":7,\"type\":\"request\",\"moduleName\":\"global\","
                       "\"command\":\"heartCheck\",\"params\":{\"x\":\"");
    while (request.length < VIEWER_REQUEST_MAX)
        text_add(&request, "0123456789abcdef");
    text_add(&request, "\"}}");
    contains(ask_text(session, text_get(&request)), "the limit is 1048576");
    request.length = VIEWER_REQUEST_MAX - 3;
    text_add(&request, "\"}}");
    contains(ask_text(session, text_get(&request)), "\"result\":true");
    text_clear(&request);
}

static void wrong_parameters_are_named(void **ctx)
{
#define LANE                                                                           \
    "\"cardId\":\"/job/"                                                               \
    "x.bin\",\"processId\":\"BLOCK\",\"threadId\":\"core0.cubecore0\""
#define TIME "\"startTime\":0,\"endTime\":2000"
    static const struct {
        const char *module, *command, *params, *message;
    } wrong[] = {
        {"timeline", "unit/threadTraces", "{" LANE "," TIME "}",
         "params.metaType is missing; expected a text"},
        {"timeline", "unit/threadTraces", "{" LANE ",\"metaType\":\"\"," TIME "}",
         "params.metaType '' is unknown; expected 'TEXT'"},
        {"timeline", "unit/threadTraces",
         "{" LANE ",\"metaType\":\"TEXT\",\"startTime\":5,\"endTime\":4}",
         "params.startTime is after params.endTime"},
        {"timeline", "unit/threadTraces",
         "{" LANE ",\"metaType\":\"TEXT\",\"startTime\":\"5\",\"endTime\":4}",
         "params.startTime is a text; expected a whole number from 0 to 2^62"},
        {"timeline", "unit/threadTraces",
         "{" LANE ",\"metaType\":\"TEXT\",\"startTime\":0,\"endTime\":1.8e19}",
         "params.endTime is a number; expected a whole number from 0 to 2^62"},
        {"timeline", "unit/threadTraces", "{\"cardId\":\"/other.bin\"}",
         "card '/other.bin' is not open in this session"},
        {"timeline", "unit/threadTracesSummary", "{\"cardId\":\"/job/x.bin\"," TIME "}",
         "params.processId is missing; expected a text"},
        {"timeline", "unit/threads", "{\"rankId\":\"/job/x.bin\"," TIME "}",
         "params.metadataList is missing or no list"},
        {"timeline", "unit/threads",
         "{\"rankId\":\"/job/x.bin\"," TIME ",\"metadataList\":[{\"pid\":1}]}",
         "params.metadataList has an item without pid and tid"},
        {"timeline", "unit/threadDetail",
         "{\"rankId\":\"/job/x.bin\",\"pid\":\"BLOCK\",\"tid\":\"core0.cubecore0\","
         "\"id\":\"99\",\"metaType\":\"TEXT\"}",
         "lane 'core0.cubecore0' of 'BLOCK' has no slice '99'"},
        {"timeline", "search/slice",
         "{\"rankId\":\"/job/x.bin\",\"searchContent\":\"time\",\"index\":0}",
         "params.index must be 1 or more"},
        {"timeline", "search/slice",
         "{\"rankId\":\"/job/x.bin\",\"searchContent\":\"time\",\"index\":7}",
         "\"code\":3120,\"message\":\"the search has 6 hits"},
        {"timeline", "search/all/slices",
         "{\"rankId\":\"/job/x.bin\",\"searchContent\":\"time\",\"pageSize\":1001}",
         "params.pageSize must be 1 to 1000"},
        {"source", "source/code/file", "{}", "Parameter is empty."},
        {"source", "source/code/file", "{\"sourceName\":\"\"}", "Parameter is empty."},
        {"source", "source/code/file", "{\"sourceName\":\"a;b\"}",
         "params.sourceName contains a character that is not allowed"},
        {"source", "source/details/memoryGraph", "{\"blockId\":3}",
         "params.blockId is a number; expected a text"},
        {"source", "source/details/baseInfo", "{\"isCompared\":\"yes\"}",
         "params.isCompared is a text; expected true or false"},
        {"timeline", "import/action", "{\"projectName\":\"x\"}",
         "params.projectAction is missing or not 0 and not 1"},
        {"timeline", "import/action", "{\"projectName\":\"x\",\"projectAction\":0}",
         "\"code\":2101,\"message\":\"project 'x' is unknown"},
        {"timeline", "import/action", "{\"projectName\":\"x\",\"projectAction\":1}",
         "params.path is missing or no list of paths"},
    };

    (void)ctx;
    open_in(session, "/job/x.bin");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *answer = ask(wrong[i].module, wrong[i].command, wrong[i].params);

        contains(answer, wrong[i].message);
        contains(answer, "\"result\":false");
    }
    contains(ask("source", "source/details/roofline", "{\"extra\":[1,{}]}"),
             "\"soc\":\"Ascend910B2\"");
}

static void files_that_cannot_be_opened_are_named(void **ctx)
{
    (void)ctx;
    open_in(session, "/job/x.bin");
    contains(open_in(session, "/etc/passwd"),
             "\"code\":4101,\"message\":\"'/etc/passwd' is not in the list of files\"");
    contains(open_in(session, "/job/gone.bin"),
             "cannot open /job/gone.bin: No such file or directory");
    contains(open_in(session, "/job/folder.bin"), "/job/folder.bin is no regular file");
    write_file("a.bin", "hello, world", 12);
    contains(open_in(session, "/a.bin"),
             "/a.bin is no visualize_data.bin and no trace.json of an operator");
    /* the file before is still open */
    contains(ask("source", "source/details/roofline", "{}"), "Ascend910B2");
}

static void listed_files_appear_as_folders_and_projects(void **ctx)
{
    const char *answer;

    (void)ctx;
    contains(ask("global", "files/get", "{\"path\":\"\"}"),
             "\"path\":\"\",\"exist\":false,\"childrenFolders\":[{\"name\":\"/\"");
    contains(
        ask("global", "files/get", "{\"path\":\"/\"}"),
        "\"exist\":true,\"childrenFolders\":[{\"name\":\"job\",\"path\":\"/job\","
        "\"childrenFolders\":[],\"childrenFiles\":[]}],\"childrenFiles\":[{\"name\":"
        "\"a.bin\",\"path\":\"/a.bin\"},{\"name\":\"b.bin\",\"path\":\"/b.bin\"}]");
    contains(ask("global", "files/get", "{\"path\":\"/job/x.bin\"}"),
             "\"exist\":true,\"childrenFolders\":[],\"childrenFiles\":[]");
    contains(ask("global", "files/get", "{\"path\":\"/etc\"}"), "\"exist\":false");
    contains(ask("global", "files/checkProjectValid",
                 "{\"projectName\":\"p\",\"dataPath\":[\"/job/x.bin\"]}"),
             "\"body\":{\"result\":0}");
    contains(ask("global", "files/checkProjectValid",
                 "{\"projectName\":\"p\",\"dataPath\":[\"/etc/passwd\"]}"),
             "\"result\":6,\"errorDetail\":[{\"layer\":0,\"error\":6,\"path\":"
             "\"/etc/passwd\"");
    ask("global", "files/updateProjectExplorer",
        "{\"oldProjectName\":\"/job/x.bin\",\"newProjectName\":\"mine\"}");
    ask("global", "files/deleteProjectExplorer",
        "{\"projectName\":\"/a.bin\",\"dataPath\":[]}");
    answer = ask("global", "files/getProjectExplorer", "{}");
    contains(answer, "{\"projectName\":\"mine\",\"fileName\":[\"/job/x.bin\"]");
    lacks(answer, "/a.bin");
    contains(ask("timeline", "import/action",
                 "{\"projectName\":\"mine\",\"projectAction\":0}"),
             "\"rankId\":\"/job/x.bin\"");
}

static void a_renamed_project_can_get_its_first_name_again(void **ctx)
{
    (void)ctx;
    ask("global", "files/updateProjectExplorer",
        "{\"oldProjectName\":\"/job/x.bin\",\"newProjectName\":\"mine\"}");
    contains(ask("global", "files/updateProjectExplorer",
                 "{\"oldProjectName\":\"mine\",\"newProjectName\":\"/a.bin\"}"),
             "project '/a.bin' exists");
    contains(ask("global", "files/updateProjectExplorer",
                 "{\"oldProjectName\":\"mine\",\"newProjectName\":\"/job/x.bin\"}"),
             "\"result\":true");
    contains(ask("global", "files/getProjectExplorer", "{}"),
             "{\"projectName\":\"/job/x.bin\",\"fileName\":[\"/job/x.bin\"]");
    contains(ask("timeline", "import/action",
                 "{\"projectName\":\"mine\",\"projectAction\":0}"),
             "\"code\":2101");
}

static void projects_and_cards_can_be_removed(void **ctx)
{
    const char *answer;

    (void)ctx;
    contains(ask("global", "files/clearProjectExplorer", "{}"),
             "params.projectNameList is missing");
    contains(ask("global", "files/clearProjectExplorer",
                 "{\"projectNameList\":[\"/unknown.bin\"]}"),
             "project '/unknown.bin' is unknown");
    contains(ask("global", "files/clearProjectExplorer",
                 "{\"projectNameList\":[\"/a.bin\"]}"),
             "\"result\":true");
    answer = ask("global", "files/getProjectExplorer", "{}");
    lacks(answer, "/a.bin");
    contains(answer, "/b.bin");
    ask("global", "files/clearProjectExplorer", "{\"projectNameList\":[]}");
    contains(ask("global", "files/getProjectExplorer", "{}"),
             "\"projectDirectoryList\":[]");
    open_in(session, "/job/x.bin");
    contains(ask("timeline", "unit/setCardAlias",
                 "{\"rankId\":\"/job/x.bin\",\"cardAlias\":\"mine\"}"),
             "\"result\":true");
    contains(ask("timeline", "unit/setCardAlias",
                 "{\"rankId\":\"/b.bin\",\"cardAlias\":\"mine\"}"),
             "\"result\":false");
    contains(ask("timeline", "remote/delete", "{\"rankId\":1}"),
             "params.rankId is missing");
    contains(ask("timeline", "remote/delete",
                 "{\"rankId\":[\"/job/x.bin\"],\"dbPaths\":[]}"),
             "\"startTimeUpdated\":false,\"maxTimeStamp\":0");
    lacks(ask("source", "source/details/baseInfo", "{\"isCompared\":false}"),
          "matmul_custom");
}

static void a_list_of_files_is_checked(void **ctx)
{
    static const struct {
        struct viewer_file files[2];
        const char *message;
    } wrong[] = {
        {{{"a.bin", "x"}, {"/b", "x"}}, "'a.bin' is no absolute path"},
        {{{"/a/../b", "x"}, {"/b", "x"}}, "'/a/../b' is no absolute path"},
        {{{"/a//b", "x"}, {"/b", "x"}}, "'/a//b' is no absolute path"},
        {{{"/a/", "x"}, {"/b", "x"}}, "'/a/' is no absolute path"},
        {{{"/b", "x"}, {"/b", "y"}}, "'/b' occurs twice"},
        {{{"/b/c", "x"}, {"/b", "y"}}, "'/b' is a file and a folder"},
    };
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(viewer_set_files(viewer, wrong[i].files, 2, &err), -1);
        contains(err.text, wrong[i].message);
    }
    contains(open_in(session, "/job/x.bin"), "\"result\":true");
}

static void events_follow_the_answer_of_an_import(void **ctx)
{
    const char *answer = open_in(session, "/job/x.bin"), *progress, *success,
               *completed;

    (void)ctx;
    lacks(answer, "\"event\"");
    answer = read_events(session);
    progress = strstr(answer, "parse/progress");
    success = strstr(answer, "parse/success");
    completed = strstr(answer, "parse/unitCompleted");
    assert_true(progress && progress < success && success < completed);
    assert_string_equal(read_events(session), "");
    answer = open_in(session, "/job/x.bin");
    assert_true(strstr(answer, "module.reset") < strstr(answer, "import/action"));
}

static void sessions_do_not_disturb_each_other(void **ctx)
{
    struct viewer_session *other = viewer_session_create(viewer);
    struct text bin = {0};

    (void)ctx;
    add_block(&bin, BIN_BASIC_INFO, "{\"name\":\"second\",\"op_type\":\"cube\"}");
    write_file("b.bin", bin.bytes, bin.length);
    text_clear(&bin);
    open_in(session, "/job/x.bin");
    open_in(other, "/b.bin");
    contains(ask_of(other, "source", "source/details/baseInfo", "{}"),
             "\"compare\":{\"name\":\"second\"");
    contains(ask("source", "source/details/baseInfo", "{}"),
             "\"compare\":{\"name\":\"matmul_custom\"");
    ask_of(other, "timeline", "remote/reset", "{}");
    contains(ask_of(other, "source", "source/details/baseInfo", "{}"),
             "\"code\":3001,\"message\":\"no file is open");
    contains(ask_of(other, "source", "source/details/roofline", "{}"), "\"data\":[]");
    viewer_session_destroy(other);
    contains(ask("source", "source/details/baseInfo", "{}"), "matmul_custom");
    contains(read_events(session), "parse/success");
}

static void a_new_connection_opens_the_file_of_its_project(void **ctx)
{
    (void)ctx;
    contains(ask_text(session, "{" ALIEN ",\"command\":\"source/details/baseInfo\","
                               "\"projectName\":\"/job/x.bin\",\"params\":{}}"),
             "\"compare\":{\"name\":\"matmul_custom\"");
    contains(ask("source", "source/details/baseInfo", "{}"), "matmul_custom");
}

static void an_unknown_project_is_named(void **ctx)
{
    (void)ctx;
    contains(ask_text(session, "{" ALIEN ",\"command\":\"source/details/baseInfo\","
                               "\"projectName\":\"other\",\"params\":{}}"),
             "\"code\":2101,\"message\":\"project 'other' is unknown\"");
}

/* Writes a file with a timeline of one slice, `name`. */
static void write_trace(const char *file, const char *name, const char *rest)
{
    char *trace =
        xasprintf("{\"traceEvents\":[{\"args\":{\"n\":1},\"name\":\"%s\","
                  "\"ph\":\"X\",\"pid\":\"p\",\"tid\":\"t\",\"ts\":1,\"dur\":2}]%s",
                  name, rest);
    struct text bin = {0};

    add_block(&bin, BIN_TRACE, trace);
    write_file(file, bin.bytes, bin.length);
    text_clear(&bin);
    free(trace);
}

#define DETAIL                                                                         \
    "{\"rankId\":\"/a.bin\",\"pid\":\"p\",\"tid\":\"t\",\"id\":\"1\",\"metaType\":"    \
    "\"TEXT\"}"

static void a_replaced_file_stays_readable_until_it_is_opened_again(void **ctx)
{
    (void)ctx;
    write_trace("a.bin", "first", "}");
    open_in(session, "/a.bin");
    read_events(session);
    write_trace("a.bin", "second, longer", "}");
    contains(
        ask("timeline", "unit/threadDetail", DETAIL),
        "\"args\":\"{\\\"n\\\":1}\",\"title\":\"first\",\"rawStartTime\":\"1000\"");
    open_in(session, "/a.bin");
    contains(ask("timeline", "unit/threadDetail", DETAIL), "second, longer");
}

static void a_file_that_is_cut_in_place_is_refused(void **ctx)
{
    char *path = path_of("a.bin");

    (void)ctx;
    write_trace("a.bin", "first", "}");
    open_in(session, "/a.bin");
    assert_int_equal(truncate(path, 40), 0);
    contains(read_events(session),
             "\"parse/fail\",\"moduleName\":\"timeline\",\"body\":{"
             "\"rankId\":\"/a.bin\",\"error\":\"/a.bin changed while "
             "it was open; open it again\"");
    contains(ask("timeline", "unit/threadDetail", DETAIL),
             "\"code\":4101,\"message\":\"/a.bin changed while it was open");
    contains(open_in(session, "/a.bin"),
             "/a.bin has no complete block: the block is cut "
             "off: its head announces");
    free(path);
}

static void damage_behind_the_first_blocks_is_reported(void **ctx)
{
    struct text bin = {0};
    const char *answer;

    (void)ctx;
    add_block(&bin, BIN_BASIC_INFO, "{\"name\":\"whole\",\"op_type\":\"cube\"}");
    add_block(&bin, BIN_ROOFLINE, "{\"multiple_rooflines\":[}");
    write_file("a.bin", bin.bytes, bin.length - 4);
    answer = open_in(session, "/a.bin");
    contains(answer, "\"isBinary\":true");
    contains(answer,
             "/a.bin is damaged; only its first 1 blocks are shown: the block is "
             "cut off");
    contains(ask("source", "source/details/baseInfo", "{}"), "\"name\":\"whole\"");
    write_file("a.bin", bin.bytes, bin.length);
    lacks(open_in(session, "/a.bin"), "\"error\"");
    answer = ask("source", "source/details/roofline", "{}");
    contains(answer,
             "\"data\":[]},\"result\":true,\"error\":{\"code\":4101,\"message\":"
             "\"roofline:1:24: expected a value\"");
    text_clear(&bin);
}

static void a_damaged_timeline_fails_with_its_place(void **ctx)
{
    (void)ctx;
    write_trace("a.bin", "first", ",]}");
    open_in(session, "/a.bin");
    contains(read_events(session), "\"error\":\"trace:1:");
    contains(ask("timeline", "unit/threadDetail", DETAIL),
             "\"code\":3105,\"message\":\"the timeline cannot be read: trace:1:");
}

static void a_trace_of_an_operator_is_a_file_of_its_own(void **ctx)
{
    static const char trace[] = "{\"profilingType\":\"op\",\"traceEvents\":[{\"name\":"
                                "\"bar\",\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0,"
                                "\"dur\":1}]}";
    char *path = path_of("trace.json");
    const struct viewer_file file = {"/trace.json", path};
    struct err err;

    (void)ctx;
    write_file("trace.json", trace, strlen(trace));
    assert_int_equal(viewer_set_files(viewer, &file, 1, &err), 0);
    contains(open_in(session, "/trace.json"), "\"isBinary\":true");
    contains(read_events(session), "\"maxTimeStamp\":1000");
    free(path);
}

static void comparisons_contain_both_files(void **ctx)
{
#define LOAD                                                                           \
    "{\"op_type\":\"mix\",\"op_detail\":[{\"core_id\":0,\"core_detail\":[{"            \
    "\"subcore_type\":\"cube\",\"subcore_id\":\"0\",\"cycles\":\"%s\","                \
    "\"throughput\":8,\"L2cache_hit_rate\":1.5}]}]}"
#define WORK                                                                           \
    "{\"advice\":[\"w\"],\"subblock_detail\":[{\"block_id\":\"0\",\"block_type\":"     \
    "\"cube\",\"name\":\"n\",\"unit\":1,\"value\":%s}]}"
    static const char *const values[][2] = {{"110", "2.5"}, {"100", "1.2505"}};
    static const char *const names[] = {"a.bin", "b.bin"};
    const char *answer;

    (void)ctx;
    for (int i = 0; i < 2; i++) {
        struct text bin = {0};
        char *load = xasprintf(LOAD, values[i][0]),
             *work = xasprintf(WORK, values[i][1]);

        add_block(&bin, BIN_BASIC_INFO,
                  i ? "{\"name\":\"old\"}" : "{\"name\":\"new\"}");
        add_block(&bin, BIN_OCCUPANCY, load);
        add_block(&bin, BIN_WORKLOAD_TABLE, work);
        add_block(&bin, BIN_STALLS,
                  i ? "{\"top_stall_reason_table\":{\"A\":1,\"C\":5}}"
                    : "{\"top_stall_reason_table\":{\"A\":3,\"B\":\"x\"}}");
        write_file(names[i], bin.bytes, bin.length);
        text_clear(&bin);
        free(load);
        free(work);
    }
    open_in(session, "/a.bin");
    answer = ask("global", "global/setBaseline",
                 "{\"projectName\":\"/b.bin\",\"filePath\":\"/b.bin\"}");
    contains(answer, "\"rankId\":\"Baseline_/b.bin\"");
    contains(answer, "\"cardName\":\"Baseline_Baseline_/b.bin\"");
    contains(read_events(session),
             "\"event\":\"allPagesSuccess\",\"moduleName\":\"memory\"");
    contains(ask("source", "source/details/baseInfo", "{\"isCompared\":true}"),
             "\"baseline\":{\"name\":\"old\"");
    contains(ask("source", "source/details/baseInfo", "{\"isCompared\":false}"),
             "\"baseline\":{\"name\":\"\"");
    contains(
        ask("source", "source/details/interCoreLoadAnalysis", "{\"isCompared\":true}"),
        "\"cycles\":{\"value\":{\"compare\":110,\"baseline\":100,\"diff\":10}");
    answer = ask("source", "source/details/computeworkload", "{\"isCompared\":true}");
    contains(answer,
             "\"diff\":{\"blockId\":\"0\",\"blockType\":\"cube\",\"name\":\"n\","
             "\"unit\":\"Instructions\",\"value\":\"1.25\",\"originValue\":\"\"}");
    contains(answer, "\"advice\":[\"w\"]");
    answer = ask("source", "source/queryTopWarpStallReason", "{\"isCompared\":true}");
    contains(answer,
             "\"compare\":{\"name\":\"A\",\"value\":3},\"baseline\":{\"name\":\"A\","
             "\"value\":1},\"diff\":{\"name\":\"A\",\"value\":2}");
    contains(answer, "\"diff\":{\"name\":\"C\",\"value\":-5}");
    lacks(answer, "\"B\"");
    ask("global", "global/cancelBaseline",
        "{\"projectName\":\"\",\"filePath\":\"/b.bin\"}");
    contains(ask("source", "source/details/baseInfo", "{\"isCompared\":true}"),
             "\"baseline\":{\"name\":\"\"");
    contains(
        ask("global", "global/setBaseline", "{\"filePath\":\"/job/gone.bin\"}"),
        "\"errorMessage\":\"cannot open /job/gone.bin: No such file or directory\"");
}

static int make_folder(void **ctx)
{
    (void)ctx;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_wrong_request_is_answered),
        CASE(a_request_above_the_limit_is_refused),
        CASE(wrong_parameters_are_named),
        CASE(files_that_cannot_be_opened_are_named),
        CASE(listed_files_appear_as_folders_and_projects),
        CASE(a_renamed_project_can_get_its_first_name_again),
        CASE(projects_and_cards_can_be_removed),
        CASE(a_list_of_files_is_checked),
        CASE(events_follow_the_answer_of_an_import),
        CASE(sessions_do_not_disturb_each_other),
        CASE(a_new_connection_opens_the_file_of_its_project),
        CASE(an_unknown_project_is_named),
        CASE(a_replaced_file_stays_readable_until_it_is_opened_again),
        CASE(a_file_that_is_cut_in_place_is_refused),
        CASE(damage_behind_the_first_blocks_is_reported),
        CASE(a_damaged_timeline_fails_with_its_place),
        CASE(a_trace_of_an_operator_is_a_file_of_its_own),
        CASE(comparisons_contain_both_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
