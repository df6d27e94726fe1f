# make              builds library, tool, tests and benchmarks (build/release)
# make install      builds library, tool and plug-ins and installs them: make install PREFIX=$HOME/.local (default /usr/local;
#                   DESTDIR is honoured)
# make demo         builds and runs the demo
# make test         every test under ASan and UBSan, and the ten slowest; what it leaves to check-long: docs/testing.md
# make quick        builds and runs what a change touches, for a minute
# make check        format, layers, headers, gcc and clang with -Werror
# make check-long   fuzzers, threads, the long sets of tests, AVX-512 emulated, 64-bit ARM
# make conformance  ONNX's own tests             make bench   prints the measurements
# make fuzz         builds the fuzz targets      make clean   removes what was built
# Missing Debian packages are installed first (tools/install-deps.sh). ccache is used where it is installed.
# JOBS=N: so many compilers and tests at a time. BUILD=DIR: another folder than build.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CMAKE_FLAGS ?= -G Ninja
export JOBS

.PHONY: all help deps release demo test quick check check-long conformance bench fuzz install clean
all: release

help:
	@sed -n 's/^# //p' Makefile

deps:
	@tools/install-deps.sh

release: deps
	@tools/release.sh $(BUILD)/release $(CMAKE_FLAGS)

demo: release
	@BUILD=$(BUILD)/release tools/demo.sh

test: deps
	@tools/test.sh

quick: deps
	@python3 tools/quick.py

check: deps
	@BUILD=$(BUILD)/release tools/check.sh

check-long:
	@tools/install-deps.sh fuzz aarch64
	@tools/check-long.sh

conformance: release
	@tools/conformance.sh $(BUILD)/release/weft

bench: release
	@BUILD=$(BUILD)/release tools/bench.sh

fuzz:
	@tools/install-deps.sh fuzz
	@cmake --preset fuzz > /dev/null
	@tools/build.sh build/fuzz

install: deps
	@TARGET=weft_installed tools/release.sh $(BUILD)/release $(CMAKE_FLAGS)
	@cmake --install $(BUILD)/release --prefix "$(PREFIX)" > $(BUILD)/install.log || (cat $(BUILD)/install.log; exit 1)
	@echo "installed under $(PREFIX): bin/weft, include/weft, $$(grep -c . $(BUILD)/release/install_manifest.txt) files (listed in $(BUILD)/release/install_manifest.txt)"

clean:
	rm -rf $(BUILD)
# SPDX-License-Identifier: Apache-2.0
