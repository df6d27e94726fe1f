# make demo    builds and runs the demo          make test    every test under ASan and UBSan
# make check   format, layers, gcc and clang     make bench   prints the measurements
# make conformance   ONNX's own tests            make check-long   fuzzers, threads, 64-bit ARM
# Missing Debian packages are installed first (tools/install-deps.sh).
BUILD ?= build
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?= -G Ninja

.PHONY: all deps release demo test check check-long conformance bench fuzz install clean
all: release

deps:
	@tools/install-deps.sh

release: deps
	@cmake -S . -B $(BUILD)/release $(CMAKE_FLAGS) -DCMAKE_BUILD_TYPE=Release -DWEFT_CHECKED=OFF -DWEFT_EXAMPLES_IN_OPS=ON > $(BUILD)-release.log 2>&1 || (cat $(BUILD)-release.log; exit 1)
	@cmake --build $(BUILD)/release -j $(JOBS) -- --quiet

demo: release
	@BUILD=$(BUILD)/release tools/demo.sh

test: deps
	@cmake --preset asan > /dev/null
	@cmake --build --preset asan -j $(JOBS) -- --quiet
	@ctest --preset asan -j $(JOBS)

check: deps
	@tools/check.sh

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
	@cmake --build --preset fuzz -j $(JOBS) -- --quiet

install: release
	@cmake --install $(BUILD)/release

clean:
	rm -rf $(BUILD) $(BUILD)-release.log
