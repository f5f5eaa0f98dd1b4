# Makefile - what a person types; the work is done by CMake (see CMakePresets.json)
#
#   make demo      build, and run a sweep on two simulated cards; ends with the report
#   make check     unit, lint and end-to-end tests
#   make sanitize  the same tests under the address and undefined behaviour sanitizers;
#                  those that last long there only with HEAVY=yes
#   make bench     figures as ratios to a floor, on the screen and in bench.json; BENCH
#                  names some (tests/bench/bench_NAME.c), else all
#   make fuzz      every reader against a fuzzer, FUZZ_SECONDS each (60)
#   make soak      strikes the coordinator's books at each change of a file; kills things
#                  at random, SOAK_SECONDS long (600), and while a fused operator goes
#                  through SOAK_POINTS points on two hosts (20); from a minute on also
#                  every operator in every number and kind of ranks, and a coordinator
#                  that dies at each step of a replay
#   make components  writes docs/dev/components.md and docs/dev/includes.svg
#   make install   PREFIX (/usr/local) and DESTDIR as usual
#   make clean

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600
SOAK_POINTS ?= 20
DEMO_OUT ?= out
HEAVY ?=
BENCH ?=
LIGHT := $(if $(HEAVY),,-LE heavy)

.PHONY: demo check sanitize bench fuzz soak components install clean setup setup-all dev release

demo: release
	build/release/bin/muster run --out $(DEMO_OUT) configs/examples/quickstart.yaml

check: dev
	ctest --preset dev -j 2 $(LIGHT)

sanitize: setup
	cmake --preset sanitize >/dev/null
	cmake --build --preset sanitize
	ctest --preset sanitize -j 2 $(LIGHT)

bench: release
	cmake --build --preset release --target benches
	tests/bench/run.sh build/release bench.json $(BENCH)

fuzz: setup-all dev
	tests/fuzz/run.sh $(FUZZ_SECONDS)

soak: dev
	build/dev/tests/crash_points $$(($(SOAK_SECONDS) < 60 ? 50 : 1))
	tests/fault/soak.sh build/dev $(SOAK_SECONDS)
	tests/fault/random_kills.sh build/dev $(SOAK_POINTS) || [ $$? -eq 77 ]
	[ $(SOAK_SECONDS) -lt 60 ] || MUSTER_TEST_MATRIX=whole build/dev/tests/tests_inject_matrix_test
	[ $(SOAK_SECONDS) -lt 60 ] || tests/fault/half_release.sh || [ $$? -eq 77 ]
	[ $(SOAK_SECONDS) -lt 60 ] || tests/e2e/slurm.sh whole || [ $$? -eq 77 ]

components:
	tests/lint/includes.py --write

install: release
	DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(PREFIX) >/dev/null
	@echo "installed below $(DESTDIR)$(PREFIX)"

clean:
	rm -rf build bench.json

setup:
	@deploy/setup.sh

setup-all:
	@deploy/setup.sh --all

dev release: setup
	@cmake --preset $@ >/dev/null
	cmake --build --preset $@
