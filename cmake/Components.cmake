# Components.cmake - the functions that the CMakeLists.txt of each folder calls
#
#   folder(PATH SOURCES a.c b.c USES lib/base PkgConfig::X)  a static library of the folder PATH
#   injected_folder(PATH SOURCES a.c USES lib/shm)        the same; its objects are also linked
#                                                        into libmuster_inject.so
#   program(NAME FOLDER PATH SOURCES main.c USES ...)    a program in build/PRESET/bin, installed
#   embedded_text(NAME files...)                         NAME.c in the build tree, which defines
#                                                        the text NAME: the files in this order
#   embedded_files(NAME files...)                        the same, as a list of single files
#   unit_test(noun [USES ...])                           noun_test.c, beside its source
#   fuzz_target(noun [USES ...])                         noun_fuzz.c, built where MUSTER_FUZZ is on
#   benchmark(noun [USES ...])                           bench_noun.c in tests/bench
#   test_script(NAME LABEL SCRIPT [ARGS...])             a shell script as a test; 77: skipped
#
# The first line of each CMakeLists.txt is a comment: what the folder holds. USES
# names folders by their path. It is also the permission to include them: the test
# lint/includes reads these lists. Flags and packages are set here, once. The build tree has
# the same layout as the installed one (bin/ and lib/muster/), so a program finds its parts
# in the same way in both.

include(CheckIPOSupported)
include(CheckLinkerFlag)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(ZMQ REQUIRED IMPORTED_TARGET libzmq)
# libzmq.pc names the include folders of its own dependencies, in another order at each
# configuration. Without this line a second configuration recompiles half of the tree.
set_target_properties(PkgConfig::ZMQ PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${ZMQ_INCLUDEDIR}" INTERFACE_COMPILE_OPTIONS "")
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(DW REQUIRED IMPORTED_TARGET libdw libelf)
pkg_check_modules(WEBSOCKETS REQUIRED IMPORTED_TARGET libwebsockets)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_library(MSGPACK_LIBRARY msgpackc REQUIRED)
add_library(msgpack INTERFACE)
target_link_libraries(msgpack INTERFACE ${MSGPACK_LIBRARY})

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 14)
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g") # asserts stay in
string(APPEND CMAKE_C_FLAGS_RELEASE " -g") # deploy/package.sh divides it off
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fno-semantic-interposition) # else only static functions are inlined
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(MUSTER_PARTS_DIR ${CMAKE_BINARY_DIR}/lib/muster) # libraries and programs that muster starts

add_compile_definitions(_GNU_SOURCE MUSTER_VERSION="${PROJECT_VERSION}")
if(MUSTER_TEST_SWITCHES)
  add_compile_definitions(MUSTER_TEST_SWITCHES=1)
endif()

set(muster_c_flags -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wundef -Wvla -Wformat=2 -fno-common)
if(MUSTER_WERROR)
  list(APPEND muster_c_flags -Werror)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${muster_c_flags}>")
if(MUSTER_SANITIZE)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -O1 -g)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
endif()

# Sets OUT to the targets of the given names: the target of the folder lib/base is lib_base.
function(targets_of out)
  set(targets "")
  foreach(name IN LISTS ARGN)
    if(name MATCHES "^[a-z_]+(/[a-z_]+)+$")
      string(REPLACE "/" "_" name ${name})
    endif()
    list(APPEND targets ${name})
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# In a release build the compiler sees all files of a program at once: the small functions of
# lib/base are called for every number that is written. libmuster_inject.so is not built so.
check_ipo_supported(RESULT MUSTER_HAS_IPO OUTPUT ignored LANGUAGES C)
function(optimise_over_files target)
  set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ${MUSTER_HAS_IPO})
endfunction()

macro(remember_folder path)
  set(FOLDER_PATH ${path} PARENT_SCOPE)
  set(FOLDER_TARGET ${target} PARENT_SCOPE)
endmacro()

function(folder path)
  cmake_parse_arguments(F "" "" "SOURCES;USES" ${ARGN})
  targets_of(target ${path})
  targets_of(uses ${F_USES})
  add_library(${target} STATIC ${F_SOURCES})
  optimise_over_files(${target})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${uses})
  remember_folder(${path})
endfunction()

# The inject library is loaded before the sanitizers' runtimes and must not need them. A
# sanitized build therefore compiles these files twice: for the tests and for the library.
define_property(GLOBAL PROPERTY INJECTED_OBJECTS BRIEF_DOCS "objects of libmuster_inject.so"
                FULL_DOCS "objects of libmuster_inject.so")
function(injected_folder path)
  cmake_parse_arguments(F "" "" "SOURCES;USES" ${ARGN})
  targets_of(target ${path})
  targets_of(uses ${F_USES})
  add_library(${target}_objects OBJECT ${F_SOURCES})
  target_include_directories(${target}_objects PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target}_objects PRIVATE -fvisibility=hidden -ftls-model=initial-exec)
  set_property(GLOBAL APPEND PROPERTY INJECTED_OBJECTS $<TARGET_OBJECTS:${target}_objects>)
  if(MUSTER_SANITIZE)
    target_compile_options(${target}_objects PRIVATE -fno-sanitize=all)
    add_library(${target} STATIC ${F_SOURCES})
  else()
    add_library(${target} STATIC $<TARGET_OBJECTS:${target}_objects>)
  endif()
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${uses} Threads::Threads ${CMAKE_DL_LIBS})
  remember_folder(${path})
endfunction()

function(program name)
  cmake_parse_arguments(P "" "FOLDER" "SOURCES;USES" ${ARGN})
  targets_of(uses ${P_USES})
  add_executable(${name} ${P_SOURCES})
  optimise_over_files(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${uses})
  install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(P_FOLDER)
    set(target "")
    remember_folder(${P_FOLDER})
  endif()
endfunction()

# Declare the text as `extern const char NAME[];` in NAME.h of the folder.
function(embedded_text name)
  set(bytes "")
  foreach(file IN LISTS ARGN)
    file(READ ${file} hex HEX)
    string(APPEND bytes "${hex}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.c CONTENT
"#include \"@folder@/@name@.h\"

const char @name@[] = {
@bytes@
0x00};
" @ONLY)
endfunction()

# Declare the files as `extern const struct embedded_file NAME[];` in NAME.h of the folder. A
# row has the name of the file without its folder, its bytes and their number; the last row has
# no name.
function(embedded_files name)
  set(arrays "")
  set(rows "")
  set(number 0)
  foreach(file IN LISTS ARGN)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    get_filename_component(base ${file} NAME)
    string(APPEND arrays "static const char file_${number}[] = {\n${bytes}\n0x00};\n")
    string(APPEND rows "    {\"${base}\", file_${number}, sizeof(file_${number}) - 1},\n")
    math(EXPR number "${number} + 1")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.c CONTENT
"#include \"@folder@/@name@.h\"

@arrays@
const struct embedded_file @name@[] = {
@rows@    {0},
};
" @ONLY)
endfunction()

# The time limits of unit tests and of scripts. They end tests that hang; a busy machine
# needs ten times as long as a quiet one.
set(MUSTER_TEST_SECONDS 300)
set(MUSTER_SCRIPT_SECONDS 900)
if(MUSTER_SANITIZE)
  set(MUSTER_TEST_SECONDS 600)
endif()

# The unit tests are some 350 programs. gold, which binutils has, links one in half of the
# time of the default linker. Programs that are installed keep the default linker.
check_linker_flag(C -fuse-ld=gold MUSTER_HAS_GOLD)

# Where the folder is a program, USES names all that the test links.
function(unit_test noun)
  cmake_parse_arguments(T "" "" "USES" ${ARGN})
  targets_of(uses ${FOLDER_TARGET} ${T_USES})
  string(REPLACE "/" "_" target ${FOLDER_PATH}_${noun}_test)
  add_executable(${target} ${noun}_test.c)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE ${uses} PkgConfig::CMOCKA)
  if(MUSTER_HAS_GOLD)
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
  add_test(NAME ${FOLDER_PATH}/${noun} COMMAND ${target}
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${FOLDER_PATH}/${noun} PROPERTIES LABELS unit TIMEOUT ${MUSTER_TEST_SECONDS})
endfunction()

function(test_script name label script)
  add_test(NAME ${name} COMMAND ${script} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${MUSTER_SCRIPT_SECONDS} SKIP_RETURN_CODE 77
    ENVIRONMENT "MUSTER_BUILD=${CMAKE_BINARY_DIR}")
endfunction()

function(fuzz_target noun)
  if(MUSTER_FUZZ)
    cmake_parse_arguments(Z "" "" "USES" ${ARGN})
    targets_of(uses ${FOLDER_TARGET} ${Z_USES})
    string(REPLACE "/" "_" target ${FOLDER_PATH}_${noun}_fuzz)
    add_executable(${target} ${noun}_fuzz.c)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE ${uses})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

function(benchmark noun)
  cmake_parse_arguments(B "" "" "USES" ${ARGN})
  targets_of(uses ${B_USES})
  add_executable(bench_${noun} bench_${noun}.c)
  optimise_over_files(bench_${noun})
  set_target_properties(bench_${noun} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_include_directories(bench_${noun} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(bench_${noun} PRIVATE ${uses})
endfunction()

# A build of the programs alone does not build the tests: the targets `checks` and `benches`
# build what belongs into tests/ and bench/ of the build tree, and `programs` the rest. A
# build with test switches builds everything. Call this function after the last
# add_subdirectory().
add_custom_target(checks)
add_custom_target(benches)
add_custom_target(programs)
function(exclude_tests_from_all folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY")
      continue()
    endif()
    get_target_property(place ${target} RUNTIME_OUTPUT_DIRECTORY)
    if(NOT type STREQUAL EXECUTABLE)
      get_target_property(place ${target} LIBRARY_OUTPUT_DIRECTORY)
    endif()
    if(place MATCHES "^${CMAKE_BINARY_DIR}/tests")
      add_dependencies(checks ${target})
    elseif(place MATCHES "^${CMAKE_BINARY_DIR}/bench")
      add_dependencies(benches ${target})
    else()
      add_dependencies(programs ${target})
      continue()
    endif()
    if(NOT MUSTER_TEST_SWITCHES)
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
  endforeach()
  foreach(below IN LISTS folders)
    exclude_tests_from_all(${below})
  endforeach()
endfunction()
