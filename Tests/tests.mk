# How each test is built and run, and which tier runs it. The root's Makefile includes this file. Tests/README.md
# explains what each test is for.

SECONDS_EACH ?= 10
SUITE     = bash Scripts/suite.sh
COMPILERS := $(CC) $(filter-out $(CC),$(foreach c,gcc clang,$(if $(shell command -v $(c)),$(c))))
# CoreFoundation's headers need clang, which is in the Swift compiler's folder.
CLANG     = $(or $(wildcard $(dir $(realpath $(shell command -v $(SWIFT))))clang),clang)

# ---- Tiers -----------------------------------------------------------------------------------------------------------

# A suite runs one target of this file by itself, with its output in a file. The suites of a tier run side by side, after
# everything that they need has been built: one more than there are processors, because most of them also wait.
suite-%:
	@$(SUITE) $* $(MAKE) --no-print-directory $*
side_by_side = $(MAKE) --no-print-directory BUILT=1 -k -j$(shell expr $(JOBS) + 1) $(1:%=suite-%)

CHECK := contract layers places format-check forms-check plan ground rules-quick swift-quick
TEST  := rules-once network-rules native native-cf alloc failing cpp-once python
MORE  := tested-command bench-test sanitize network-sanitize swift-thread bench-check explore rules-swift arm64 rules-more \
         network-swift model native-more fuzz soak soak-durable musl stress examples cpp static companions shapes instrumentation evolution docs api abi \
         cmake sanitized

# These suites run one after the other: they build in the same folder, or need what the other builds.
suite-bench-check: | suite-bench-test
suite-swift-thread: | suite-tested-command
suite-instrumentation: | suite-tested-command suite-network-swift
suite-shapes: | suite-static
suite-docs: | suite-instrumentation

# The failed suites are named last, each with the file that has all of its output.
failed_suites = for each in .build-native/logs/*.failed; do [ ! -e "$$each" ] || echo "failed: $$(basename "$$each" .failed), see $${each%.failed}.log"; done

check-all:
	@rm -f .build-native/logs/*.failed
	@[ -d .build ] || echo "The first time, it builds for a minute or two before a suite's line comes."
	@$(SUITE) build $(MAKE) --no-print-directory -j$(JOBS) build-check
	@$(call side_by_side,$(CHECK)) || { $(failed_suites); exit 1; }

check-filtered: build-rules $(if $(wildcard /usr/include/nats/nats.h),$(BUILD)/rules-network $(BUILD)/inside-network)
	@bash Scripts/filtered.sh $(BUILD) $(JOBS) "$(SWIFT)" '$(FILTER)'

# The Swift test runner's output is printed last: it closes the output, unless a suite failed.
test-all: setup-format setup-gcc
	@rm -f .build-native/logs/*.failed
	@$(SUITE) build $(MAKE) --no-print-directory -j$(JOBS) build-test
	@$(call side_by_side,swift-library swift-command $(filter-out swift-quick rules-quick,$(CHECK)) $(TEST)); status=$$?; \
	    cat .build-native/logs/swift-command.log .build-native/logs/swift-library.log; [ $$status -eq 0 ] || { tail -n 40 .build-native/logs/*.failed 2>/dev/null; $(failed_suites); }; exit $$status

# The suites that CI runs in addition to test, the longest first. (A suite that waits for another one starts in the next
# pass over the list, after all others have started. So the one that it waits for is early enough in the list to have
# ended by then.)
more: setup-network setup-format setup-gcc
	@rm -f .build-native/logs/*.failed
	@$(SUITE) build $(MAKE) --no-print-directory -j$(JOBS) build-more
	@$(call side_by_side,$(MORE)) || { $(failed_suites); exit 1; }

# One after the other: the last one is measured.
weekly-all:
	@$(MAKE) --no-print-directory suite-mutations suite-network-mutations SECONDS_EACH=10
	@$(MAKE) --no-print-directory suite-arm64-torture suite-fuzz SECONDS_EACH=300
	@$(MAKE) --no-print-directory suite-stress SECONDS_EACH=120
	@$(MAKE) --no-print-directory suite-soak SOAK_SECONDS=900
	@$(MAKE) --no-print-directory suite-soak-durable SOAK_SECONDS=900
	@$(MAKE) --no-print-directory suite-coverage
	@$(MAKE) --no-print-directory suite-bench-peers suite-bench RESULTS=$(BUILD)/bench-weekly

LAYERS := CHerald CHeraldHost CHeraldCF $(if $(wildcard /usr/include/nats/nats.h),CHeraldNetwork)
LAYERED := $(OBJECTS) $(CF_OBJECTS) $(if $(filter CHeraldNetwork,$(LAYERS)),$(NET_OBJECTS) $(BUILD)/objects/CHeraldNetwork/src/trait.o)

build-check: build-rules $(BUILD)/plan $(BUILD)/ground $(LAYERED) build-swift
# sanitize, network-sanitize and cpp share the sanitized objects; rules-more and native-more those of each compiler.
build-more: build-rules $(BUILD)/libherald.so.$(VERSION) $(NET_OBJECTS) $(BUILD)/libherald-network.a \
            $(foreach s,address thread,$(BUILD)/rules-$s $(BUILD)/network-$s) $(COMPILERS:%=$(BUILD)/rules-%)
build-test: build-check $(BUILD)/rules-network $(BUILD)/inside-network $(BUILD)/allocation $(BUILD)/failing $(BUILD)/libherald.so.$(VERSION) \
            $(NETWORK_LIBRARIES) $(CF_OBJECTS) tested-command \
            $(CPP_ONCE)

# ---- Swift -----------------------------------------------------------------------------------------------------------

# Build folders without an index, because no editor reads them. (Tests need the index: it is how they are found.)
APART = --disable-index-store --scratch-path

# One test at a time: a test that blocks one of the pool's few threads would starve the others.
SWIFT_TEST = bash Scripts/swift-tests.sh $(SWIFT) --no-parallel

build-swift: setup has-swift
	$(SWIFT) build --build-tests --quiet

# The command for tests: without optimisation it is built in a third of the time. (`make command` builds it anew.)
tested-command:
	@$(MAKE) --no-print-directory command COMMAND_FLAGS="-Xswiftc -Onone -Xswiftc -gnone"

# These suites compile or run programs, so they run with the rest of make test.
PROGRAMS := Misuse|Documentation|Modes|Allocation|Wire|Shapes|HostCenter

swift: setup has-swift tested-command  ## run the Swift tests that need no trait
	@$(SWIFT_TEST) --skip '^CHeraldTests\.'

# The same in two processes of the test runner, which run side by side: each of them takes half of the time.
AS_BUILT = --skip-build --ignore-lock
swift-library: $(if $(BUILT),,build-swift tested-command)
	@$(SWIFT_TEST) $(AS_BUILT) --skip '^(CHerald|HeraldCommand)Tests\.'

swift-command: $(if $(BUILT),,build-swift tested-command)
	@$(SWIFT_TEST) $(AS_BUILT) --filter '^HeraldCommandTests\.'

swift-quick: setup has-swift
	@$(SWIFT_TEST) --filter '^Herald(Foundation)?Tests\.' --skip '$(PROGRAMS)'

# The core as the package manager builds it: its files that call observers are compiled as one C++ file.
rules-swift: setup has-swift  ## run the core's rules with the core as the Swift package builds it
	@$(SWIFT_TEST) --filter '^CHeraldTests\.'

swift-thread: TESTS_ALONE = HERALD_TESTS="HeraldTests HeraldFoundationTests"
swift-thread: setup has-swift tested-command  ## run the Swift tests under the thread sanitizer
	$(TESTS_ALONE) $(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-thread
	TSAN_OPTIONS=halt_on_error=1 $(TESTS_ALONE) $(SWIFT_TEST) --sanitize=thread --scratch-path .build-thread --skip-build \
	    --filter '^Herald(Foundation)?Tests\.' --skip 'Misuse|Documentation|Modes|Allocation'

# One optimised build for both.
RELEASED = --scratch-path .build-static

shapes: setup has-swift  ## pass messages of every shape through closures that C calls, optimised
	$(SWIFT) run -c release --quiet $(RELEASED) HeraldShapes

companions: setup has-swift  ## check what the documentation writes about other packages
	$(SWIFT) run --quiet --package-path Tests/Companions $(APART) .build-companions

examples: setup has-swift  ## run the tests of Examples
	@[ -e /usr/include/sqlite3.h ] || sh Scripts/install.sh libsqlite3-dev
	$(SWIFT) test --quiet --package-path Examples/SharedDatabase --scratch-path .build-examples
	$(SWIFT) build --quiet --package-path Examples/Signals --scratch-path .build-signals
	@sh Examples/Signals/test.sh .build-signals/debug/Signals

evolution: setup has-swift  ## check that the Swift layer compiles with library evolution
	$(SWIFT) build --quiet --target Herald $(APART) .build-evolution -Xswiftc -enable-library-evolution

# One build with both traits.
TESTS_WITH_TRAITS = HERALD_TESTS="HeraldNetworkTests HeraldInstrumentationTests"
WITH_TRAITS = $(TESTS_WITH_TRAITS) bash Scripts/traits.sh $(SWIFT) .build-network

network-swift: setup-network has-swift  ## test the network center in Swift, with its trait on and off
	$(WITH_TRAITS) '^HeraldNetworkTests\.'
	@sh Scripts/network-off.sh $(SWIFT)

instrumentation: setup-network has-swift tested-command  ## test logs, metrics and spans of HeraldInstrumentation, with the trait on and off
	$(WITH_TRAITS) '^HeraldInstrumentationTests\.'
	@sh Scripts/manifests.sh $(SWIFT)

network: network-rules network-swift  ## test the network center with its own servers: rules in C, and in Swift with its trait on and off

# Sanitized programs name gcc, whatever CC is. Programs that use an installed copy ask pkg-config.
setup-gcc:
	@command -v gcc >/dev/null && command -v g++ >/dev/null && command -v pkg-config >/dev/null || \
	    sh Scripts/install.sh g++ pkg-config

# ---- Objects: once for each compiler and flavour ---------------------------------------------------------------------

# Arguments: NAME, and the compiler with its flags. $(call in,NAME,FILES) are its objects.
define FLAVOUR
$$(BUILD)/$1/%.o: %.c Tests/tests.mk $$(BUILD)/compiler $3
	@mkdir -p $$(@D)
	@echo "$1: $$<"
	@$2 $$(INCLUDES) $$(OBJECT)
endef
in = $(patsubst %.c,$(BUILD)/$1/%.o,$(filter %.c,$2))

C_FLAGS := -std=gnu11 -g -fexceptions -Wall -Wextra -Werror
# In sanitized code gcc cannot find out how long a text may become, so it warns of truncation.
ADDRESS := -O1 -Wno-format-truncation -fsanitize=address,undefined -fno-sanitize-recover=all
# The tests lock the sanitizer's heap: see check.c.
LINK_ADDRESS := $(ADDRESS) -static-libasan
THREAD  := -O1 -Wno-format-truncation -fsanitize=thread -Wno-tsan
TORTURE := -I$(CORE)/src -DHERALD_TORTURE -DHERALD_RETIRED_ENOUGH=512
ARM     := $(BUILD)/arm64
MUSL    := $(BUILD)/musl
$(eval $(call FLAVOUR,tests,$$(CC) $(C_FLAGS) -O2))
$(eval $(call FLAVOUR,address,gcc $(C_FLAGS) $(ADDRESS),| setup-gcc))
$(eval $(call FLAVOUR,thread,gcc $(C_FLAGS) $(THREAD),| setup-gcc))
$(eval $(call FLAVOUR,tortured,$$(CC) $(C_FLAGS) -O2 $(TORTURE)))
$(eval $(call FLAVOUR,tortured-address,gcc $(C_FLAGS) $(ADDRESS) $(TORTURE),| setup-gcc))
$(eval $(call FLAVOUR,tortured-thread,gcc $(C_FLAGS) $(THREAD) $(TORTURE),| setup-gcc))
$(eval $(call FLAVOUR,arm64,aarch64-linux-gnu-gcc $(C_FLAGS) -O2 -isystem $(ARM)/root/usr/include,| setup-arm64))
$(eval $(call FLAVOUR,arm64-torture,aarch64-linux-gnu-gcc $(C_FLAGS) -O2 -isystem $(ARM)/root/usr/include $(TORTURE),| setup-arm64))
$(eval $(call FLAVOUR,musl,musl-gcc -static $(C_FLAGS) -O2 -D_GNU_SOURCE -isystem $(MUSL)/include,| setup-musl))
$(eval $(call FLAVOUR,musl-torture,musl-gcc -static $(C_FLAGS) -O2 -D_GNU_SOURCE -isystem $(MUSL)/include $(TORTURE),| setup-musl))

# ---- The rules -------------------------------------------------------------------------------------------------------

MAIN     := $(wildcard Tests/Rules/Main/*.c)
RULES    := $(wildcard Tests/Rules/*.c) $(MAIN)
# White-box tests, which include the host center's private headers.
INSIDE   := $(wildcard Tests/Inside/*.c) Tests/Rules/check.c Tests/Rules/host.c $(MAIN)
ALL_RULES := $(sort $(RULES) $(INSIDE))
# For machines on which the host center's rules cannot run.
CORE_RULES := $(filter-out Tests/Rules/host_% Tests/Inside/host_%,$(ALL_RULES))
# More jobs than processors: the rules wait more than they compute.
RUN_RULES = sh Scripts/rules.sh $(BUILD)/rules $(BUILD)/inside --jobs $(or $(RULE_JOBS),4)

# The contract is about the library's public functions, so its rules are linked with the library.
$(BUILD)/rules: $(call in,tests,$(RULES)) $(BUILD)/libherald.a
	@echo "link: $@"
	@$(CC) $^ $(LIBS) -o $@
$(BUILD)/inside: $(call in,tests,$(INSIDE)) $(OBJECTS)
	@echo "link: $@"
	@$(CC) $^ $(LIBS) -o $@
# Rules and white-box tests in one program, named as in 0.2.0. For another compiler it is built in a folder of its own.
$(BUILD)/rules-$(CC): $(call in,tests,$(ALL_RULES)) $(OBJECTS)
	@echo "link: $@"
	@$(CC) $^ $(LIBS) -o $@
$(BUILD)/rules-%: FORCE
	@$(MAKE) --no-print-directory CC=$* BUILD=$(BUILD)/$* $(BUILD)/$*/rules-$*
	@cp $(BUILD)/$*/rules-$* $@.new && mv $@.new $@

build-rules: $(BUILD)/rules $(BUILD)/inside

rules: rules-once rules-more  ## run the contract's rules in C, with each compiler, with fences, and traced

rules-quick: setup build-rules
	@$(RUN_RULES) --quick
rules-once: setup build-rules  ## run the rules once, with one compiler
	@$(RUN_RULES)
# Without the host center's rules: fences and traces make no difference to them.
rules-more: setup build-rules $(COMPILERS:%=$(BUILD)/rules-%)
	@set -e; for c in $(filter-out $(CC),$(COMPILERS)); do $(BUILD)/rules-$$c --jobs 4; done
	@echo "with fences:"; HERALD_BARRIER=fence $(BUILD)/rules --jobs 2 -Host
	@echo "traced:"; HERALD_TEST_TRACE=1 $(BUILD)/rules -Host

contract:  ## check that every rule that is named has its paragraph in CONTRACT.md, and is about it
	@sh Scripts/contract.sh

layers: setup $(LAYERED)  ## check that no C modules use each other in a circle, and that each private name stands for one thing
	@set -e; for l in $(LAYERS); do sh Scripts/layers.sh CSources/$$l/src $(BUILD)/objects/$$l/src; done
	@sh Scripts/names.sh $(BUILD)/objects

places:  ## check that each retry, mapping and number of the shared file is listed with the reason why it does no harm
	@sh Scripts/places.sh

$(BUILD)/forms: $(wildcard Scripts/forms/*.swift)
	@mkdir -p $(BUILD)
	@echo "compile: $@"
	@$(SWIFT)c -O $^ -o $@

forms-check: has-swift $(BUILD)/forms  ## check that the functions that observe are what Scripts/forms gives
	@sh Scripts/forms.sh check $(BUILD)/forms $(SWIFT)

# ---- C++ -------------------------------------------------------------------------------------------------------------

CPP        := $(wildcard Tests/Cpp/*.cpp)
CPP_FLAGS  := -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Werror
CPP_ALLOCATING := malloc calloc realloc aligned_alloc
once = $(if $1,$(firstword $1) $(call once,$(filter-out $(firstword $1),$1)))
COMPILERS_CPP  := $(call once,$(foreach c,$(COMPILERS),$(or $(if $(filter gcc,$c),g++),$(if $(filter clang,$c),clang++),$(CXX))))
# A program of the tests for each: COMPILER-STANDARD, and COMPILER-bare, which has neither exceptions nor type_info.
CPP_PLAIN  := $(foreach c,$(COMPILERS_CPP),$c-17 $c-20 $c-bare)
CPP_ONCE   := $(BUILD)/cpp/$(firstword $(CPP_PLAIN))/tests

# Arguments: NAME, the compiler with its flags, the library, flags to link.
define CPP_FLAVOUR
$$(BUILD)/cpp/$1/check.hpp.gch: Tests/Cpp/check.hpp Tests/tests.mk | setup-gcc
	@mkdir -p $$(@D)
	@echo "cpp, $1: $$<"
	@$2 $$(CPP_FLAGS) $$(INCLUDES) -x c++-header $$(OBJECT)
$$(BUILD)/cpp/$1/%.o: Tests/Cpp/%.cpp $$(BUILD)/cpp/$1/check.hpp.gch Tests/tests.mk
	@echo "cpp, $1: $$<"
	@$2 -include $$(@D)/check.hpp $$(CPP_FLAGS) $$(INCLUDES) $$(OBJECT)
$$(BUILD)/cpp/$1/tests: $$(CPP:Tests/Cpp/%.cpp=$$(BUILD)/cpp/$1/%.o) $3
	@echo "link: $$@"
	@$2 $4 $$^ $$(CPP_ALLOCATING:%=-Wl,--wrap=%) $$(LIBS) -o $$@
endef
$(foreach n,$(filter-out %-bare,$(CPP_PLAIN)),$(eval $(call CPP_FLAVOUR,$n,$(subst -, -std=c++,$n),$$(BUILD)/libherald.a,)))
$(foreach n,$(filter %-bare,$(CPP_PLAIN)),$(eval $(call CPP_FLAVOUR,$n,$(n:-bare=) -std=c++17 -fno-exceptions -fno-rtti,$$(BUILD)/libherald.a,)))
$(eval $(call CPP_FLAVOUR,address,g++ -g -std=c++20 $(ADDRESS),$(HOSTED:%.c=$$(BUILD)/address/%.o),-static-libasan))
$(eval $(call CPP_FLAVOUR,thread,g++ -g -std=c++20 $(THREAD),$(HOSTED:%.c=$$(BUILD)/thread/%.o),))

CPP_RUN = set -e; for t in $(CPP_PLAIN); do echo "$$t:"; $(BUILD)/cpp/$$t/tests; done
CPP_PROGRAMS := $(patsubst %,$(BUILD)/cpp/%/tests,$(CPP_PLAIN) address thread)

cpp: setup $(CPP_PROGRAMS)  ## test herald.hpp: each compiler, C++17 and 20, without exceptions, sanitizers; compile the guide's C++
	@$(CPP_RUN)
	$(BUILD)/cpp/address/tests
	TSAN_OPTIONS=halt_on_error=1 $(BUILD)/cpp/thread/tests
	@sh Tests/Cpp/snippets.sh $(BUILD)/cpp "$(COMPILERS_CPP)" "$(INCLUDES)"

cpp-once: setup $(CPP_ONCE)
	@$(CPP_ONCE)
	@sh Tests/Cpp/snippets.sh $(BUILD)/cpp "$(firstword $(COMPILERS_CPP))" "$(INCLUDES)"

# ---- The network center ----------------------------------------------------------------------------------------------

NET_RULES  := $(wildcard Tests/Network/*.c) Tests/Rules/check.c $(MAIN)
NET_INSIDE := $(wildcard Tests/Network/Inside/*.c) Tests/Rules/check.c $(MAIN)

$(BUILD)/rules-network: $(call in,tests,$(NET_RULES)) $(BUILD)/libherald-network.a $(BUILD)/libherald.a
	@echo "link: $@"
	@$(CC) $^ -lck $(NET_LIBS) -o $@
$(BUILD)/inside-network: $(call in,tests,$(NET_INSIDE)) $(SOURCES:CSources/%.c=$(BUILD)/objects/%.o) $(NET_OBJECTS)
	@echo "link: $@"
	@$(CC) $^ -lck $(NET_LIBS) -o $@
$(BUILD)/network-address $(BUILD)/network-thread: $(BUILD)/network-%: \
    $(foreach f,$(sort $(NET_RULES) $(NET_INSIDE)) $(SOURCES) $(NET_SOURCES),$(BUILD)/%/$(f:.c=.o))
	@echo "link: $@"
	@gcc $(if $(filter address,$*),$(LINK_ADDRESS),$(THREAD)) $^ -lck $(NET_LIBS) -o $@

network-rules: setup-network $(BUILD)/rules-network $(BUILD)/inside-network
	@sh Scripts/rules.sh $(BUILD)/rules-network $(BUILD)/inside-network --jobs $(or $(RULE_JOBS),4)

network-sanitize: setup-network $(BUILD)/network-address $(BUILD)/network-thread  ## run the network center's rules under address, undefined-behaviour and thread sanitizers
	ASAN_OPTIONS=use_sigaltstack=0 $(BUILD)/network-address --jobs 3
	TSAN_OPTIONS="halt_on_error=1 die_after_fork=0 atexit_sleep_ms=0" $(BUILD)/network-thread --jobs 3

network-mutations: setup-network  ## leave out each step of the network center once: its rules must notice
	CC=$(CC) ONLY=network sh Tests/Stress/mutations.sh

# ---- Installed programs ----------------------------------------------------------------------------------------------

native: setup-gcc setup-network library $(NETWORK_LIBRARIES)  ## build and run programs in C and C++ against an installed copy (NATIVE="gcc clang": with each)
	@sh Tests/Native/run.sh $(BUILD) "$(or $(NATIVE),$(CC))" $(CC)
native-more:
	@$(MAKE) --no-print-directory native NATIVE="$(filter-out $(CC),$(COMPILERS))"

native-cf: setup-gcc setup-network library $(NETWORK_LIBRARIES)  ## build and run programs of CFNotificationCenter in C against an installed copy of HeraldCF
	@sh Tests/Native/cf.sh $(BUILD) $(CLANG)

cmake: setup-gcc library  ## build and run programs with CMake: find_package of an installed copy, FetchContent of the sources
	@command -v cmake >/dev/null || sh Scripts/install.sh cmake
	@sh Tests/Native/cmake.sh $(BUILD)

# Programs that are compiled with sanitizers, and use a library that is not. In Swift the package manager compiles the
# library with the sanitizer, too.
sanitized: setup setup-gcc has-swift library  ## build and run programs in C, C++ and Swift under each sanitizer, with the library as it is installed
	@sh Tests/Native/sanitized.sh $(BUILD) "$(COMPILERS)"
	@sh Tests/Sanitized/run.sh $(SWIFT)

setup-python:
	@command -v "$(PYTHON)" >/dev/null || sh Scripts/install.sh python3

python: setup-python library  ## test the Python module, also installed (PYTHON=python3)
	@CC="$(CC)" sh Tests/Python/run.sh $(BUILD) $(VERSION) "$(PYTHON)"

api: library  ## check that the library has all functions and types that were promised (RECORD=record: promise what it has)
	@SWIFT="$(SWIFT)" bash Scripts/api.sh $(BUILD)/libherald.so.$(VERSION) $(RECORD)

abi: library  ## compare the library's binary interface with that of 0.2.0
	@CC="$(CC)" sh Scripts/abi.sh $(BUILD)/libherald.so.$(VERSION) $(RECORD)

# ---- Failures --------------------------------------------------------------------------------------------------------

# Each of these functions is made to fail in turn.
ALLOCATING := malloc calloc realloc aligned_alloc
FAILING := $(ALLOCATING) open fcntl fstat stat lstat fchmod ftruncate posix_fallocate madvise linkat rename unlink \
           pread pwrite getrlimit eventfd unlinkat opendir readdir getrandom \
           write mmap pthread_create pthread_atfork sigaction

$(BUILD)/allocation: $(call in,address,Tests/Allocation/allocation.c $(SOURCES))
	@echo "link: $@"
	@gcc $(ADDRESS) $^ $(ALLOCATING:%=-Wl,--wrap=%) $(LIBS) -o $@
$(BUILD)/failing: $(call in,tests,Tests/Failing/failing.c) $(OBJECTS)
	@echo "link: $@"
	@$(CC) $^ $(FAILING:%=-Wl,--wrap=%) $(LIBS) -o $@

alloc: setup $(BUILD)/allocation  ## make every allocation fail, one by one
	$(BUILD)/allocation

failing: setup $(BUILD)/failing  ## make every system call and allocation of the host center fail, one by one
	$(BUILD)/failing

# ---- Sanitizers and stress -------------------------------------------------------------------------------------------

$(BUILD)/rules-address $(BUILD)/rules-thread: $(BUILD)/rules-%: $(foreach f,$(ALL_RULES) $(HOSTED),$(BUILD)/%/$(f:.c=.o))
	@echo "link: $@"
	@gcc $(if $(filter address,$*),$(LINK_ADDRESS),$(THREAD)) $^ $(LIBS) -o $@
$(BUILD)/torture-address $(BUILD)/torture-thread: $(BUILD)/torture-%: \
    $(foreach f,Tests/Stress/torture.c $(SOURCES),$(BUILD)/tortured-%/$(f:.c=.o))
	@echo "link: $@"
	@gcc $(if $(filter address,$*),$(ADDRESS),$(THREAD)) $^ $(LIBS) -o $@
$(BUILD)/torture: $(call in,tortured,Tests/Stress/torture.c $(SOURCES))
	@echo "link: $@"
	@$(CC) $^ $(LIBS) -o $@

SANITIZED := $(foreach s,address thread,$(BUILD)/rules-$(s) $(BUILD)/torture-$(s))

# use_sigaltstack=0: a cancelled thread leaves marks on its stack, and the sanitizer's clean-up of the signal stack
# would run into them.
sanitize: setup $(SANITIZED)  ## run rules and torture under address, undefined-behaviour and thread sanitizers
	ASAN_OPTIONS=use_sigaltstack=0 $(BUILD)/rules-address --jobs 4
	ASAN_OPTIONS=use_sigaltstack=0 HERALD_BARRIER=fence $(BUILD)/rules-address --jobs 2 -Host
	TSAN_OPTIONS=halt_on_error=1 $(BUILD)/rules-thread --jobs 2 -Host
	TSAN_OPTIONS="halt_on_error=1 die_after_fork=0 atexit_sleep_ms=0" $(BUILD)/rules-thread --jobs 4 Host
	TSAN_OPTIONS=halt_on_error=1 HERALD_BARRIER=fence $(BUILD)/rules-thread --jobs 2 -Host
	$(BUILD)/torture-address $(SECONDS_EACH)
	TSAN_OPTIONS=halt_on_error=1 $(BUILD)/torture-thread $(SECONDS_EACH)

stress: setup $(BUILD)/torture  ## run the torture, with both kinds of barrier (SECONDS_EACH=10)
	$(BUILD)/torture $(SECONDS_EACH)
	HERALD_BARRIER=fence $(BUILD)/torture $(SECONDS_EACH)

SOAK_SECONDS ?= 60

$(BUILD)/soak: $(call in,tests,Tests/Stress/soak.c) $(BUILD)/libherald.a
	@echo "link: $@"
	@$(CC) $^ $(LIBS) -o $@

soak: setup $(BUILD)/soak  ## count messages between processes: with resets, stopped readers, observers of any name that come and go (SOAK_SECONDS=60)
	$(BUILD)/soak $(SOAK_SECONDS)

$(BUILD)/durable: $(call in,tests,Tests/Stress/durable.c Tests/Network/server.c Tests/Rules/check.c) \
    $(SOURCES:CSources/%.c=$(BUILD)/objects/%.o) $(NET_OBJECTS)
	@echo "link: $@"
	@$(CC) $^ -lck $(NET_LIBS) -o $@

soak-durable: setup-network $(BUILD)/durable  ## kill durable observers and servers, and count what is heard (SOAK_SECONDS=60)
	$(BUILD)/durable $(SOAK_SECONDS)

mutations: setup  ## leave out each step of the host center once: its rules must notice; some of the core's, with the torture
	CC=$(CC) sh Tests/Stress/mutations.sh $(SECONDS_EACH)

fuzz: setup  ## run random calls against a simple model of the contract (SECONDS_EACH=10, SEED=1)
	@sh Tests/Fuzz/run.sh $(BUILD) $(or $(FUZZ_SECONDS),$(SECONDS_EACH)) $(SEED)

# ---- Other machines --------------------------------------------------------------------------------------------------

ARM_LIBS := $(ARM)/root/usr/lib/aarch64-linux-gnu/libck.a -lpthread
# G_SLICE: a thread of the emulator's own may hold the lock of GLib's slices while the program forks, and then the child
# waits for it for ever. malloc is made for forks.
ARM_RUN  := G_SLICE=always-malloc qemu-aarch64 -L /usr/aarch64-linux-gnu

setup-arm64:
	@command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null && [ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ] || \
	    sh Scripts/install.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
	@sh Scripts/foreign.sh arm64 libck-dev $(ARM)/root

$(ARM)/rules: $(call in,arm64,$(CORE_RULES) $(HOSTED))
	@echo "link: $@"
	@aarch64-linux-gnu-gcc $^ $(ARM_LIBS) -o $@
$(ARM)/torture: $(call in,arm64-torture,Tests/Stress/torture.c $(SOURCES))
	@echo "link: $@"
	@aarch64-linux-gnu-gcc $^ $(ARM_LIBS) -o $@

# The emulator has the memory order of the machine on which it runs; weak memory is tested by the explorer. The host
# center is compiled, and has no rules here. They trace processes, they measure, and they fork processes that have
# threads, at which QEMU 7.2 stops with an assertion of its own (cpu_exec: cpu == current_cpu).
arm64: setup-arm64 $(ARM)/rules  ## run the core's rules for arm64, under qemu, plain and with fences
	$(ARM_RUN) $(ARM)/rules
	HERALD_BARRIER=fence $(ARM_RUN) $(ARM)/rules --quick

arm64-torture: setup-arm64 $(ARM)/torture  ## run the torture for arm64, under qemu, plain and with fences
	$(ARM_RUN) $(ARM)/torture $(SECONDS_EACH)
	HERALD_BARRIER=fence $(ARM_RUN) $(ARM)/torture $(SECONDS_EACH)

# With musl, and static. CK's headers and library are Debian's; the library uses nothing of glibc's. libgcc_eh calls a
# function of glibc's, in whose place a stub reports that it finds nothing. The host center is compiled, and has no rules
# here: they trace processes and read glibc's names of things.
MUSL_LIBS := $(MUSL)/stub.c /usr/lib/$(MULTIARCH)/libck.a -lpthread -lgcc_eh

setup-musl: setup
	@command -v musl-gcc >/dev/null || sh Scripts/install.sh musl-tools
	@mkdir -p $(MUSL)/include
	@ln -sf /usr/include/ck_*.h $(MUSL)/include
	@for f in gcc linux asm-generic; do ln -sfn /usr/include/$$f $(MUSL)/include/$$f; done
	@ln -sfn /usr/include/$(MULTIARCH)/asm $(MUSL)/include/asm
	@echo 'int _dl_find_object(void *at, void *found); int _dl_find_object(void *at, void *found) { return (void)at, (void)found, -1; }' > $(MUSL)/stub.c

$(MUSL)/rules: $(call in,musl,$(CORE_RULES) $(HOSTED))
	@echo "link: $@"
	@musl-gcc -static $^ $(MUSL_LIBS) -o $@
$(MUSL)/torture: $(call in,musl-torture,Tests/Stress/torture.c $(SOURCES))
	@echo "link: $@"
	@musl-gcc -static $^ $(MUSL_LIBS) -o $@

musl: setup-musl $(MUSL)/rules $(MUSL)/torture  ## run the core's rules and torture with musl, in static programs
	$(MUSL)/rules
	$(MUSL)/torture $(SECONDS_EACH)

# The linker takes libck.a if the first folder that it searches has only that one.
static: setup has-swift  ## build the tour as one file, which runs without the toolchain's libraries and libck.so.0
	@mkdir -p $(BUILD)/static && ln -sf /usr/lib/$(MULTIARCH)/libck.a $(BUILD)/static
	$(SWIFT) build -c release --quiet $(RELEASED) --product HeraldTour --static-swift-stdlib \
	    -Xlinker -L$(CURDIR)/$(BUILD)/static
	@! ldd .build-static/release/HeraldTour | grep -E 'libck|libswift|Foundation'
	.build-static/release/HeraldTour CSources/CHerald/include >/dev/null

# ---- Models and the explorer -----------------------------------------------------------------------------------------

$(BUILD)/plan: $(call in,tests,Tests/Plan/plan.c) $(BUILD)/objects/CHerald/src/plan.o
	@echo "link: $@"
	@$(CC) $^ -o $@
$(BUILD)/tests/Tests/Plan/plan.o: INCLUDES += -I$(CORE)/src

$(BUILD)/ground: $(call in,tests,Tests/Ground/ground.c)
	@echo "link: $@"
	@$(CC) $^ -lpthread -lm -o $@

ground: $(BUILD)/ground  ## check the headers that the libraries share: tables, lists, threads, times
	$(BUILD)/ground

plan: $(BUILD)/plan  ## check what becomes of a post to a suspended center, case by case
	$(BUILD)/plan

MODELS := model handshake told first host_order host_move host_log host_loss host_ring host_kept network_switch

$(MODELS:%=$(BUILD)/models/%): $(BUILD)/models/%: Tests/Model/%.c Tests/tests.mk
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -MMD -MP $< -o $@

model: $(MODELS:%=$(BUILD)/models/%)  ## explore the protocols as state models: no bad state, and one for each step left out
	@set -e; for m in $^; do $$m; done

# Takes at most three minutes without arguments. MUTATION=NAME, SCENARIO=NAME, SEED=SEED (as a failure prints it),
# MEMORY=tso|views, BARRIER=membarrier|fence
EXPLORE_WORDS = $(if $(MUTATION),--mutation $(MUTATION)) $(if $(SCENARIO),--scenario $(SCENARIO)) \
                $(if $(SEED),--seed $(SEED)) $(if $(MEMORY),--memory $(MEMORY))

explore: setup setup-gcc  ## run the shipped core under a controlled scheduler: scenarios, and each step left out
	@sh Scripts/explore.sh $(BUILD)/explore >/dev/null
	@$(if $(BARRIER),HERALD_BARRIER=$(BARRIER)) $(BUILD)/explore/explore $(EXPLORE_WORDS)

coverage: setup has-swift  ## list lines of CSources that no test runs; each has a sentence in Tests/Coverage/reasons.txt
	@sh Scripts/coverage.sh $(BUILD)/coverage "$(ALLOCATING)" "$(FAILING)"
