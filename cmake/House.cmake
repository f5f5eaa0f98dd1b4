# House.cmake - the words in which the CMakeLists.txt of a folder are written
#
#   folder(NAME SOURCES a.c b.c USES base PkgConfig::X)  a floor: static library NAME
#   program(NAME SOURCES main.c USES ...)                a program in build/PRESET/bin, installed
#   unit_test(noun [USES ...])                           noun_test.c, beside its source, linked to its folder
#   fuzz_target(noun)                                    noun_fuzz.c, only where MUSTER_FUZZ is on
#   benchmark(noun [USES ...])                           bench_noun.c in tests/bench
#   test_script(NAME LABEL SCRIPT [ARGS...])             a shell script as a test
#
# Flags and packages stand here, once. The build tree mirrors the installed one, so
# that a program finds its parts in the same way in both: bin/ and lib/muster/.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(ZMQ REQUIRED IMPORTED_TARGET libzmq)
# It names the folders of what it is made of itself, and at a second configuration in
# other flags: half of all would be compiled anew, for headers that nobody includes.
set_target_properties(PkgConfig::ZMQ PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${ZMQ_INCLUDEDIR}" INTERFACE_COMPILE_OPTIONS "")
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(DW REQUIRED IMPORTED_TARGET libdw libelf)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
find_library(MSGPACK_LIBRARY msgpackc REQUIRED)
add_library(msgpack INTERFACE)
target_link_libraries(msgpack INTERFACE ${MSGPACK_LIBRARY})

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 14)
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g") # asserts stay in
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(MUSTER_PARTS_DIR ${CMAKE_BINARY_DIR}/lib/muster) # what programs find beside bin/

add_compile_definitions(_GNU_SOURCE MUSTER_VERSION="${PROJECT_VERSION}")
if(MUSTER_TEST_SWITCHES)
  add_compile_definitions(MUSTER_TEST_SWITCHES=1)
endif()

set(house_c_flags -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wundef -Wvla -Wformat=2 -fno-common)
if(MUSTER_WERROR)
  list(APPEND house_c_flags -Werror)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${house_c_flags}>")
if(MUSTER_SANITIZE)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -O1 -g)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
endif()

function(folder name)
  cmake_parse_arguments(F "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${F_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${F_USES})
  set(HOUSE_FOLDER ${name} PARENT_SCOPE)
endfunction()

function(program name)
  cmake_parse_arguments(P "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${P_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${P_USES})
  install(TARGETS ${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# A test that hangs ends; on a machine that is busy with others it may take its time.
set(MUSTER_TEST_SECONDS 120)
if(MUSTER_SANITIZE)
  set(MUSTER_TEST_SECONDS 360)
endif()

function(unit_test noun)
  cmake_parse_arguments(T "" "" "USES" ${ARGN})
  set(target ${HOUSE_FOLDER}_${noun}_test)
  add_executable(${target} ${noun}_test.c)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${target} PRIVATE ${HOUSE_FOLDER} ${T_USES} PkgConfig::CMOCKA)
  add_test(NAME ${HOUSE_FOLDER}/${noun} COMMAND ${target}
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${HOUSE_FOLDER}/${noun} PROPERTIES LABELS unit TIMEOUT ${MUSTER_TEST_SECONDS})
endfunction()

function(test_script name label script)
  add_test(NAME ${name} COMMAND ${script} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 300
    ENVIRONMENT "MUSTER_BUILD=${CMAKE_BINARY_DIR}")
endfunction()

function(fuzz_target noun)
  if(MUSTER_FUZZ)
    set(target ${HOUSE_FOLDER}_${noun}_fuzz)
    add_executable(${target} ${noun}_fuzz.c)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    target_link_libraries(${target} PRIVATE ${HOUSE_FOLDER})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

function(benchmark noun)
  cmake_parse_arguments(B "" "" "USES" ${ARGN})
  add_executable(bench_${noun} bench_${noun}.c)
  set_target_properties(bench_${noun} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_include_directories(bench_${noun} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(bench_${noun} PRIVATE ${B_USES})
endfunction()

# Who only wants the programs waits for no test: what goes to tests/ and bench/ of the
# build tree is made with the targets `checks` and `benches`, and where the test switches
# are in with everything. To be called when all is said.
add_custom_target(checks)
add_custom_target(benches)
function(part_with_tests folder)
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
      continue()
    endif()
    if(NOT MUSTER_TEST_SWITCHES)
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    endif()
  endforeach()
  foreach(below IN LISTS folders)
    part_with_tests(${below})
  endforeach()
endfunction()
