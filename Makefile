# Makefile - short names for common work; CMake does the work (see CMakePresets.json)
#
#   make demo           build, run a sweep on two simulated cards, and write its report
#   make check          build, then run unit tests, lint tests and end-to-end tests, and list
#                       the skipped ones; SKIP is a regular expression of test labels to leave
#                       out
#   make lint           run all checks of the sources, and clang-tidy on changed files
#   make tidy           run clang-tidy on all files
#   make format         format all C files and shell scripts
#   make prose          count misused words and phrases per folder
#   make components     write docs/dev/components.md and docs/dev/includes.svg
#   make reference      write the generated pages of docs/reference
#   make sanitize       run the tests with the address and undefined behaviour sanitizers;
#                       HEAVY=yes adds the longest tests; TESTS selects unit tests
#   make tsan           run the unit tests with the thread sanitizer
#   make coverage       print lines and branches per folder that the unit tests execute;
#                       for these three TESTS is a regular expression of tests (default:
#                       all; less coverage than in tests/coverage.txt is then an error)
#   make mutate         change one operator or constant at a time in FOLDER and list the
#                       changes that its unit tests and those of the folders that use it
#                       do not notice; SAMPLE changes (40) chosen with SEED (1), at most
#                       MUTATE_MINUTES (10)
#   make fused-table    measure each fused operator of the simulated NPU on 2, 4 and 8 ranks,
#                       and print what muster found
#   make bench          compare figures with a floor, print them and write bench.json; fails
#                       when one falls short; BENCH names some (tests/bench/bench_NAME.c)
#   make bench-compare  compare two results: OLD=a.json NEW=b.json
#   make fuzz           run each fuzzer for FUZZ_SECONDS (60)
#   make hostile        attack a coordinator and workers of the sanitizer build with broken
#                       messages for HOSTILE_SECONDS (600); SEED (1) decides the messages
#   make soak           crash the coordinator at file changes, and kill processes at random
#                       for SOAK_SECONDS (600), and SOAK_KILLS times (200) during sweeps of
#                       SOAK_POINTS points on two hosts (20); from 60 seconds on also the
#                       longest tests
#   make install        install below PREFIX (/usr/local); DESTDIR as usual
#   make uninstall      remove what was installed below PREFIX
#   make dist           write the sources of the last commit to build/dist
#   make package        build Debian packages in build/packages
#   make package-test   build them, and install, use and remove them in a bare Debian 12;
#                       needs root, debootstrap and a Debian mirror
#   make container-test build them, build the image of deploy/Containerfile from them, and
#                       use it; needs root, buildah, debootstrap and a Debian mirror
#   make clean          remove all build trees

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
HOSTILE_SECONDS ?= 600
SOAK_SECONDS ?= 600
SOAK_POINTS ?= 20
SOAK_KILLS ?= 200
DEMO_OUT ?= out
HEAVY ?=
BENCH ?=
BENCH_OPTIONS ?=
TESTS ?= .
FOLDER ?= lib/job
SAMPLE ?= 40
SEED ?= 1
MUTATE_MINUTES ?= 10
SKIP ?=
LIGHT := -LE '^($(if $(HEAVY),,heavy|)$(SKIP)|none)$$'

.PHONY: demo check lint tidy format prose components reference sanitize tsan coverage mutate \
	fused-table bench bench-compare fuzz hostile soak install uninstall dist package package-test container-test clean setup setup-all dev release

demo: release
	build/release/bin/muster run --out $(DEMO_OUT) configs/examples/quickstart.yaml

check: dev
	tests/run_tests.sh dev $(LIGHT)

lint: setup-all dev
	ctest --preset dev -j 2 -L lint
	tests/lint/tidy.sh build/dev

tidy: setup-all dev
	tests/lint/tidy.sh build/dev .

format: setup-all
	git ls-files -z '*.c' '*.h' | xargs -0 clang-format -i
	git ls-files -z '*.sh' .ci/run | xargs -0 shfmt -i 4 -w

prose:
	tests/lint/prose.py --counts

components:
	tests/lint/includes.py --write

sanitize: setup
	cmake --preset sanitize >/dev/null
ifeq ($(TESTS),.)
	cmake --build --preset sanitize
	tests/run_tests.sh sanitize $(LIGHT)
else
	tests/build_tests.sh sanitize '$(TESTS)'
	ctest --preset sanitize -j 2 -L unit -R '$(TESTS)'
endif

tsan: setup
	cmake --preset tsan >/dev/null
	tests/build_tests.sh tsan '$(TESTS)'
	ctest --preset tsan -j 2 -L unit -E '^(inject|tests/inject)/' -R '$(TESTS)'

coverage: setup-all
	cmake --preset coverage >/dev/null
	cmake --build --preset coverage
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage -j 2 -L unit -R '$(TESTS)'
	tests/coverage.py $(if $(filter .,$(TESTS)),--compare) build/coverage

mutate: dev
	tests/mutate/mutate.py --sample $(SAMPLE) --seed $(SEED) --minutes $(MUTATE_MINUTES) $(FOLDER)

fused-table: dev
	tests/e2e/fused_table.py --ranks 2,4,8 build/dev/bin/muster

bench: release
	cmake --build --preset release --target $(or $(addprefix bench_,$(BENCH)),benches)
	tests/bench/run.py $(BENCH_OPTIONS) build/release bench.json $(BENCH)

bench-compare:
	tests/bench/compare.py $(OLD) $(NEW)

fuzz: setup-all dev
	tests/fuzz/run.sh $(FUZZ_SECONDS)

hostile: setup
	cmake --preset sanitize >/dev/null
	cmake --build --preset sanitize --target programs hostile_client hostile_coordinator hostile_handshakes
	tests/fuzz/hostile_peers.sh build/sanitize $(HOSTILE_SECONDS) $(SEED)

soak: dev
	build/dev/tests/crash_points $$(($(SOAK_SECONDS) < 60 ? 50 : 1))
	tests/fault/soak.sh build/dev $(SOAK_SECONDS)
	tests/fault/random_kills.sh build/dev $(SOAK_POINTS) $(SEED) $(SOAK_KILLS) || [ $$? -eq 77 ]
	[ $(SOAK_SECONDS) -lt 60 ] || MUSTER_TEST_MATRIX=whole build/dev/tests/tests_inject_matrix_test
	[ $(SOAK_SECONDS) -lt 60 ] || tests/fault/half_release.sh || [ $$? -eq 77 ]
	[ $(SOAK_SECONDS) -lt 60 ] || tests/e2e/slurm.sh whole || [ $$? -eq 77 ]
	[ $(SOAK_SECONDS) -lt 60 ] || MUSTER_TEST_NIGHTS=many tests/e2e/nights_clean.sh

reference: dev
	tests/lint/messages_page.py --write
	build/dev/tests/schema_page >docs/reference/store-schema.md
	build/dev/tests/metrics_page >docs/reference/metrics.md
	build/dev/bin/muster help --write-reference docs/reference configs/job.schema.json

install: release
	@DESTDIR=$(DESTDIR) deploy/install.sh build/release $(PREFIX)

uninstall:
	@DESTDIR=$(DESTDIR) deploy/install.sh --remove $(PREFIX)

dist:
	deploy/dist.sh build/dist

package: release
	deploy/package.sh build/release build/packages

package-test: package
	MUSTER_TEST_FILES=build/packages tests/bare_debian.sh 1 'tests/package_test.sh /files'

container-test: package
	tests/container_test.sh build/packages

clean:
	rm -rf build bench.json

setup:
	@deploy/setup.sh

setup-all:
	@deploy/setup.sh --all

dev release: setup
	@cmake --preset $@ >/dev/null
	cmake --build --preset $@
