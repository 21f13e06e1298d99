# Everything by two commands: `make run` and `make test`. `make help` lists the rest.

CC      ?= cc
CXX     ?= c++
PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   := .build-native
VERSION := $(shell sed -n 's/^\#define HERALD_VERSION "\(.*\)"/\1/p' CSources/CHerald/include/herald/herald.h)
SONAME  := libherald.so.0
SECONDS_EACH ?= 10

CORE     := CSources/CHerald
HOST     := CSources/CHeraldHost
NETWORK_FOLDER := CSources/CHeraldNetwork
HEADERS  := $(wildcard $(CORE)/include/herald/*.h $(HOST)/include/herald/*.h)
PRIVATE  := $(wildcard $(CORE)/src/*.h $(HOST)/src/*.h)
SOURCES  := $(wildcard $(CORE)/src/*.c)
HOSTED   := $(SOURCES) $(wildcard $(HOST)/src/*.c)
OBJECTS  := $(HOSTED:CSources/%.c=$(BUILD)/objects/%.o)
SWIFT    := swift
FLAGS    := -std=c11 -O2 -g -fPIC -fexceptions -Wall -Wextra -Werror
INCLUDES := -I$(CORE)/include -I$(HOST)/include
TORTURE  := $(INCLUDES) -I$(CORE)/src -DHERALD_TORTURE -DHERALD_RETIRED_ENOUGH=512
LIBS     := -lck -lpthread
MULTIARCH = $(shell $(CC) -print-multiarch 2>/dev/null)
COMPILERS := $(foreach c,gcc clang,$(if $(shell command -v $(c)),$(c)))

.PHONY: deb api release static arm64 setup-arm64 musl setup-musl instrumentation setup-network install-network network network-sanitize network-mutations help run test command shapes evolution companions examples setup library install install-cf install-command layers contract native native-cf rules sanitize stress mutations plan model explore coverage fuzz alloc failing bench bench-quick \
        bench-build bench-peers bench-render bench-compare bench-check bench-test docs format format-check setup-format clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: setup  ## the tour: scan a folder (ARGS=folder), show what observers heard and what a post costs
	$(SWIFT) run -c release --quiet HeraldTour $(ARGS)

test: setup rules native native-cf alloc failing plan model network command instrumentation shapes evolution companions bench-test  ## everything that must hold: Swift tests, C rules, installed library, model
	@bash Scripts/swift-tests.sh $(SWIFT)

setup:  ## install what is missing (libck-dev)
	@sh Scripts/setup.sh

# STATIC=1: it needs none of the toolchain's libraries; the page's server needs libcurl, for which Foundation asks.
COMMAND_FOLDER = .build-command$(if $(STATIC),-static)

command: setup  ## the command herald, in .build-native (NETWORK=0: without --network, which needs libnats)
	@mkdir -p $(BUILD)
	@$(if $(filter 0,$(NETWORK)),:,sh Scripts/setup.sh libnats)
	$(SWIFT) build --quiet --package-path Command --scratch-path $(COMMAND_FOLDER) -c release \
	    $(if $(STATIC),--static-swift-stdlib -Xlinker --as-needed -Xlinker -lcurl) $(if $(filter 0,$(NETWORK)),,--traits Network)
	@for p in herald herald-web; do cp $(COMMAND_FOLDER)/release/$$p $(BUILD)/$$p.new && mv $(BUILD)/$$p.new $(BUILD)/$$p; done

shapes: setup  ## messages of every shape through closures that C calls, optimised
	$(SWIFT) run -c release --quiet HeraldShapes

companions: setup  ## what the documentation says of other packages
	$(SWIFT) run --quiet --package-path Tests/Companions --scratch-path .build-companions

examples: setup  ## the tests of what is in Examples
	@[ -e /usr/include/sqlite3.h ] || sh Scripts/install.sh libsqlite3-dev
	$(SWIFT) test --quiet --package-path Examples/SharedDatabase --scratch-path .build-examples

evolution: setup  ## that the Swift layer compiles with library evolution
	$(SWIFT) build --quiet --target Herald --scratch-path .build-evolution -Xswiftc -enable-library-evolution

# ---- The native library --------------------------------------------------------------------------------------------

$(BUILD)/objects/%.o: CSources/%.c $(HEADERS) $(PRIVATE)
	@mkdir -p $(@D)
	$(CC) $(FLAGS) $(CFLAGS) $(INCLUDES) -c $< -o $@

# Hidden symbols become local, so that a program with a static copy shows none of them.
$(BUILD)/libherald.a: $(OBJECTS)
	@rm -f $@
	ld -r $^ -o $(BUILD)/herald.o
	objcopy --localize-hidden $(BUILD)/herald.o
	ar rcs $@ $(BUILD)/herald.o

# nodelete: threads keep a destructor of ours. Bsymbolic-functions: its own calls are calls of itself, whatever a program
# with another copy of the library (R22) exports.
$(BUILD)/libherald.so.$(VERSION): $(OBJECTS)
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,-Bsymbolic-functions -Wl,-z,nodelete -Wl,-z,defs $(LDFLAGS) $^ $(LIBS) -o $@

library: setup $(BUILD)/libherald.a $(BUILD)/libherald.so.$(VERSION)  ## the static and the shared library, in .build-native

install: library $(if $(filter-out 0,$(NETWORK)),install-network)  ## headers, libraries and herald.pc into PREFIX (Swift is not needed; NETWORK=1: the network center, too)
	@test -n "$(PREFIX)" || { echo "make install: PREFIX is empty" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/include/herald $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/share/doc/herald
	install -m 644 CONTRACT.md $(DESTDIR)$(PREFIX)/share/doc/herald
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/herald
	install -m 644 $(BUILD)/libherald.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/libherald.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib
	ln -sf libherald.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/libherald.so
	sed 's/@VERSION@/$(VERSION)/' $(CORE)/herald.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/herald.pc

# The Swift libraries of the toolchain are needed at run time. The command writes the completions itself.
SHARE = $(DESTDIR)$(PREFIX)/share

install-command: command  ## the command herald, its manual page and its completions into PREFIX (needs the toolchain)
	@test -n "$(PREFIX)" || { echo "make install-command: PREFIX is empty" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	    $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 $(BUILD)/herald $(DESTDIR)$(PREFIX)/bin
	install -D -m 755 $(BUILD)/herald-web $(DESTDIR)$(PREFIX)/libexec/herald/herald-web
	install -m 644 Command/herald.1 $(SHARE)/man/man1
	$(BUILD)/herald --generate-completion-script bash > $(SHARE)/bash-completion/completions/herald
	$(BUILD)/herald --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_herald
	$(BUILD)/herald --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/herald.fish

api: library  ## that the library has all functions and types that were promised (RECORD=record: promise what it has)
	@SWIFT="$(SWIFT)" bash Scripts/api.sh $(BUILD)/libherald.so.$(VERSION) $(RECORD)

release:  ## tag a version: VERSION of herald.h, with its section in CHANGELOG.md, of a commit that is clean
	@sh Scripts/release.sh $(VERSION)

deb: setup-network  ## Debian packages in .build-deb: libherald0, libherald-dev, herald; installed, used and removed
	@bash Scripts/deb.sh .build-deb $(VERSION)

# ---- The network center --------------------------------------------------------------------------------------------

NET_SONAME  := libherald-network.so.0
NET_SOURCES := $(filter-out %/trait.c,$(wildcard $(NETWORK_FOLDER)/src/*.c))
NET_OBJECTS := $(NET_SOURCES:CSources/%.c=$(BUILD)/objects/%.o)
NET_LIBS    := -lnats -lcrypto -lpthread

setup-network:  ## install what the network center needs (libnats, libcrypto), and the server for its tests
	@sh Scripts/setup.sh network

$(NET_OBJECTS): INCLUDES += -I$(NETWORK_FOLDER)/include
$(NET_OBJECTS): $(wildcard $(NETWORK_FOLDER)/src/*.h $(NETWORK_FOLDER)/include/herald/*.h)

$(BUILD)/libherald-network.a: $(NET_OBJECTS)
	@rm -f $@
	ld -r $^ -o $(BUILD)/herald-network.o
	objcopy --localize-hidden $(BUILD)/herald-network.o
	ar rcs $@ $(BUILD)/herald-network.o

$(BUILD)/libherald-network.so.$(VERSION): $(NET_OBJECTS) $(BUILD)/libherald.so.$(VERSION)
	$(CC) -shared -Wl,-soname,$(NET_SONAME) -Wl,-z,nodelete -Wl,-z,defs -Wl,-rpath,'$$ORIGIN' $(LDFLAGS) $^ $(NET_LIBS) -o $@

install-network: setup-network library $(BUILD)/libherald-network.a $(BUILD)/libherald-network.so.$(VERSION)
	install -d $(DESTDIR)$(PREFIX)/include/herald $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 $(NETWORK_FOLDER)/include/herald/network.h $(DESTDIR)$(PREFIX)/include/herald
	install -m 644 $(BUILD)/libherald-network.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/libherald-network.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib
	ln -sf libherald-network.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(NET_SONAME)
	ln -sf $(NET_SONAME) $(DESTDIR)$(PREFIX)/lib/libherald-network.so
	sed 's/@VERSION@/$(VERSION)/' $(NETWORK_FOLDER)/herald-network.pc.in > \
	    $(DESTDIR)$(PREFIX)/lib/pkgconfig/herald-network.pc

instrumentation: setup-network command  ## logs, metrics and spans of HeraldInstrumentation, with the trait on
	$(WITH_TRAITS) --filter '^HeraldInstrumentationTests\.'
	@sh Scripts/instrumentation-off.sh $(SWIFT)

NET_TESTS    := $(wildcard Tests/Network/*.c) Tests/Rules/check.c Tests/Rules/Main/main.c $(SOURCES) $(NET_SOURCES)
NET_INCLUDES := -I$(CORE)/include -I$(NETWORK_FOLDER)/include
NET_FLAGS    := -std=gnu11 -g -fexceptions -Wall -Wextra -Werror $(NET_INCLUDES)

$(BUILD)/rules-network: $(NET_TESTS) $(PRIVATE) $(HEADERS) $(wildcard Tests/Network/*.h $(NETWORK_FOLDER)/src/*.h $(NETWORK_FOLDER)/include/herald/*.h)
	@mkdir -p $(@D)
	$(CC) $(NET_FLAGS) -O2 $(NET_TESTS) -lck $(NET_LIBS) -o $@

# Both traits are on in one build.
WITH_TRAITS := $(SWIFT) test --no-parallel --traits Network,Instrumentation --scratch-path .build-network

network: setup-network $(BUILD)/rules-network  ## the network center with servers of its own: rules in C, and the trait Network on and off in Swift
	$(BUILD)/rules-network
	$(WITH_TRAITS) --filter '^HeraldNetworkTests\.'
	@sh Scripts/network-off.sh $(SWIFT)

network-sanitize: setup-network  ## the network center's rules under address, undefined-behaviour and thread sanitizers
	@mkdir -p $(BUILD)
	gcc $(NET_FLAGS) -O1 -fsanitize=address,undefined -fno-sanitize-recover=all $(NET_TESTS) -lck $(NET_LIBS) \
	    -o $(BUILD)/network-address
	gcc $(NET_FLAGS) -O1 -fsanitize=thread -Wno-tsan $(NET_TESTS) -lck $(NET_LIBS) -o $(BUILD)/network-thread
	ASAN_OPTIONS=use_sigaltstack=0 $(BUILD)/network-address
	TSAN_OPTIONS="halt_on_error=1 die_after_fork=0 atexit_sleep_ms=0" $(BUILD)/network-thread

network-mutations: setup-network  ## leave out each step of the network center once: its rules must notice
	CC=$(CC) ONLY=network sh Tests/Stress/mutations.sh

# ---- HeraldCF for C ------------------------------------------------------------------------------------------------

# It needs the CoreFoundation of a Swift toolchain, at run time, too. SWIFT says which.
CF         := CSources/CHeraldCF
CF_SONAME  := libheraldcf.so.0
CF_OBJECTS := $(patsubst CSources/%.c,$(BUILD)/objects/%.o,$(wildcard $(CF)/src/*.c))
TOOLCHAIN   = $(shell $(SWIFT) -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')

$(CF_OBJECTS): $(wildcard $(CF)/src/*.h $(CF)/include/*.h)

$(BUILD)/libheraldcf.a: $(CF_OBJECTS)
	@rm -f $@
	ld -r $^ -o $(BUILD)/heraldcf.o
	objcopy --localize-hidden $(BUILD)/heraldcf.o
	ar rcs $@ $(BUILD)/heraldcf.o

# It finds libherald beside itself, and the toolchain where that is.
$(BUILD)/libheraldcf.so.$(VERSION): $(CF_OBJECTS) $(BUILD)/libherald.so.$(VERSION)
	@test -d "$(TOOLCHAIN)/CoreFoundation" || { echo "make install-cf: '$(SWIFT)' has no CoreFoundation" >&2; exit 1; }
	$(CC) -shared -Wl,-soname,$(CF_SONAME) -Wl,-z,nodelete -Wl,-z,defs -Wl,-rpath,'$$ORIGIN:$(TOOLCHAIN)/linux' \
	    $(LDFLAGS) $^ -L$(TOOLCHAIN)/linux -lFoundation -ldispatch -lpthread -o $@

install-cf: install $(BUILD)/libheraldcf.a $(BUILD)/libheraldcf.so.$(VERSION)  ## make install, and HeraldCF for C: header, libraries and heraldcf.pc (needs a Swift toolchain)
	install -m 644 $(CF)/include/HeraldCF.h $(DESTDIR)$(PREFIX)/include
	install -m 644 $(BUILD)/libheraldcf.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/libheraldcf.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib
	ln -sf libheraldcf.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(CF_SONAME)
	ln -sf $(CF_SONAME) $(DESTDIR)$(PREFIX)/lib/libheraldcf.so
	sed 's|@VERSION@|$(VERSION)|; s|@TOOLCHAIN@|$(TOOLCHAIN)|' $(CF)/heraldcf.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/heraldcf.pc

# ---- Proof ---------------------------------------------------------------------------------------------------------

RULES := $(wildcard Tests/Rules/*.c Tests/Rules/Main/*.c) $(wildcard Tests/Rules/*.h Tests/Rules/include/*.h)

$(BUILD)/rules-%: $(RULES) $(HOSTED) $(PRIVATE) $(HEADERS)
	@mkdir -p $(@D)
	$* -std=gnu11 -g -O2 -fexceptions -Wall -Wextra -Werror $(INCLUDES) $(filter %.c,$^) $(LIBS) -o $@

rules: setup contract $(COMPILERS:%=$(BUILD)/rules-%)  ## the contract's rules in C, with each compiler, and with fences
	@# Those of the host center once: the Swift tests run them as clang compiles them.
	@set -e; host=; for c in $(COMPILERS); do echo "rules, $$c:"; $(BUILD)/rules-$$c $$host; host=-Host; done
	@echo "rules, with fences:"; HERALD_BARRIER=fence $(BUILD)/rules-$(firstword $(COMPILERS)) -Host
	@echo "rules, looked at:"; HERALD_TEST_TRACE=1 $(BUILD)/rules-$(firstword $(COMPILERS)) -Host

LAYERS := CHerald CHeraldHost CHeraldCF $(if $(wildcard /usr/include/nats/nats.h),CHeraldNetwork)

layers: setup $(OBJECTS) $(CF_OBJECTS) $(if $(filter CHeraldNetwork,$(LAYERS)),$(NET_OBJECTS) $(BUILD)/objects/CHeraldNetwork/src/trait.o)  ## that no modules of C use each other in a circle
	@set -e; for l in $(LAYERS); do sh Scripts/layers.sh CSources/$$l/src $(BUILD)/objects/$$l/src; done

contract:  ## that every rule which is named has its paragraph in CONTRACT.md
	@sh Scripts/contract.sh

native: setup-network library  ## programs in C and C++ against an installed copy, with each compiler
	@sh Tests/Native/run.sh $(BUILD) "$(COMPILERS)"

# CoreFoundation's headers need clang, which stands beside the compiler.
CLANG = $(or $(wildcard $(dir $(realpath $(shell command -v $(SWIFT))))clang),clang)

native-cf: setup-network  ## programs of CFNotificationCenter in C against an installed copy of HeraldCF
	@sh Tests/Native/cf.sh $(BUILD) $(CLANG)

alloc: setup  ## every allocation made to fail, one by one
	@mkdir -p $(BUILD)
	$(CC) -std=gnu11 -g -O1 -fexceptions -fsanitize=address,undefined $(INCLUDES) Tests/Allocation/allocation.c $(SOURCES) \
	    $(ALLOCATING:%=-Wl,--wrap=%) $(LIBS) -o $(BUILD)/allocation
	$(BUILD)/allocation

# Each of these is made to fail in turn.
ALLOCATING := malloc calloc realloc aligned_alloc
FAILING := $(ALLOCATING) open fcntl fstat stat lstat fchmod ftruncate posix_fallocate madvise linkat rename unlink \
           pread getrlimit eventfd \
           write mmap pthread_create pthread_atfork sigaction

failing: setup  ## every system call and allocation of the host center made to fail, one by one
	@mkdir -p $(BUILD)
	$(CC) -std=gnu11 -g -O1 -fexceptions -Wall -Wextra -Werror $(INCLUDES) Tests/Failing/failing.c $(HOSTED) \
	    $(FAILING:%=-Wl,--wrap=%) $(LIBS) -o $(BUILD)/failing
	$(BUILD)/failing

sanitize: setup command  ## rules and torture under address, undefined-behaviour and thread sanitizers
	@mkdir -p $(BUILD)
	gcc -std=gnu11 -g -O1 -fexceptions -fsanitize=address,undefined -fno-sanitize-recover=all $(INCLUDES) \
	    $(filter %.c,$(RULES)) $(HOSTED) $(LIBS) -o $(BUILD)/rules-address
	gcc -std=gnu11 -g -O1 -fexceptions -fsanitize=thread -Wno-tsan $(INCLUDES) $(filter %.c,$(RULES)) $(HOSTED) $(LIBS) \
	    -o $(BUILD)/rules-thread
	gcc -std=gnu11 -g -O1 -fexceptions -fsanitize=address,undefined $(TORTURE) Tests/Stress/torture.c $(SOURCES) $(LIBS) \
	    -o $(BUILD)/torture-address
	gcc -std=gnu11 -g -O1 -fexceptions -fsanitize=thread -Wno-tsan $(TORTURE) Tests/Stress/torture.c $(SOURCES) $(LIBS) \
	    -o $(BUILD)/torture-thread
	@# A thread that has been cancelled leaves marks on its stack, which the sanitizer's own end of the signal stack meets.
	ASAN_OPTIONS=use_sigaltstack=0 $(BUILD)/rules-address
	ASAN_OPTIONS=use_sigaltstack=0 HERALD_BARRIER=fence $(BUILD)/rules-address -Host
	TSAN_OPTIONS=halt_on_error=1 $(BUILD)/rules-thread -Host
	TSAN_OPTIONS="halt_on_error=1 die_after_fork=0" $(BUILD)/rules-thread Host
	TSAN_OPTIONS=halt_on_error=1 HERALD_BARRIER=fence $(BUILD)/rules-thread -Host
	$(BUILD)/torture-address $(SECONDS_EACH)
	TSAN_OPTIONS=halt_on_error=1 $(BUILD)/torture-thread $(SECONDS_EACH)
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-thread
	@# One test at a time: their threads are enough, and a test that blocks one of the pool's few starves the others.
	TSAN_OPTIONS=halt_on_error=1 $(SWIFT) test --no-parallel --sanitize=thread --scratch-path .build-thread --skip-build \
	    --filter '^HeraldTests\.' --skip 'Misuse|Documentation|Allocation'

$(BUILD)/torture: Tests/Stress/torture.c $(SOURCES) $(PRIVATE) $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -g -O2 -fexceptions $(TORTURE) $(filter %.c,$^) $(LIBS) -o $@

stress: setup $(BUILD)/torture  ## the torture, both ways of barrier (SECONDS_EACH=10)
	$(BUILD)/torture $(SECONDS_EACH)
	HERALD_BARRIER=fence $(BUILD)/torture $(SECONDS_EACH)

# ---- Other machines ------------------------------------------------------------------------------------------------

ARM      := $(BUILD)/arm64
ARM_CC   := aarch64-linux-gnu-gcc -std=gnu11 -g -O2 -fexceptions -Wall -Wextra -Werror -isystem $(ARM)/root/usr/include
ARM_LIBS := $(ARM)/root/usr/lib/aarch64-linux-gnu/libck.a -lpthread
ARM_RUN  := qemu-aarch64 -L /usr/aarch64-linux-gnu

setup-arm64:
	@command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null && [ -e /usr/aarch64-linux-gnu/lib/libc.so.6 ] || \
	    sh Scripts/install.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
	@sh Scripts/foreign.sh arm64 libck-dev $(ARM)/root

$(ARM)/rules: $(RULES) $(HOSTED) $(PRIVATE) $(HEADERS) | setup-arm64
	@$(ARM_CC) $(INCLUDES) $(filter %.c,$^) $(ARM_LIBS) -o $@
$(ARM)/torture: Tests/Stress/torture.c $(SOURCES) $(PRIVATE) $(HEADERS) | setup-arm64
	@$(ARM_CC) $(TORTURE) $(filter %.c,$^) $(ARM_LIBS) -o $@

# The emulator orders memory as the machine does on which it runs: what a weak memory does is for the explorer. Rules of
# the host center are compiled, and not run: they fork processes that have threads, at which QEMU 7.2 stops by an
# assertion of its own (cpu_exec: cpu == current_cpu), trace processes, and measure.
arm64: setup-arm64 $(ARM)/rules $(ARM)/torture  ## the core's rules and torture for arm64, under qemu, plain and with fences
	$(ARM_RUN) $(ARM)/rules -Host
	HERALD_BARRIER=fence $(ARM_RUN) $(ARM)/rules -Host
	$(ARM_RUN) $(ARM)/torture $(SECONDS_EACH)
	HERALD_BARRIER=fence $(ARM_RUN) $(ARM)/torture $(SECONDS_EACH)

# With musl, and static. CK's headers are Debian's, and so is its library, which takes nothing of glibc; libgcc_eh asks
# glibc for a function, which a stub says there is none of. The host center is compiled, and its rules do not run: they
# trace processes and read what glibc calls things.
MUSL      := $(BUILD)/musl
MUSL_CC   := musl-gcc -static -std=gnu11 -g -O2 -fexceptions -Wall -Wextra -Werror -D_GNU_SOURCE -isystem $(MUSL)/include
MUSL_LIBS := $(MUSL)/stub.c /usr/lib/$(MULTIARCH)/libck.a -lpthread -lgcc_eh

setup-musl: setup
	@command -v musl-gcc >/dev/null || sh Scripts/install.sh musl-tools
	@mkdir -p $(MUSL)/include
	@ln -sf /usr/include/ck_*.h $(MUSL)/include
	@for f in gcc linux asm-generic; do ln -sfn /usr/include/$$f $(MUSL)/include/$$f; done
	@ln -sfn /usr/include/$(MULTIARCH)/asm $(MUSL)/include/asm
	@echo 'int _dl_find_object(void *at, void *found); int _dl_find_object(void *at, void *found) { return (void)at, (void)found, -1; }' > $(MUSL)/stub.c

$(MUSL)/rules: $(RULES) $(HOSTED) $(PRIVATE) $(HEADERS) | setup-musl
	@$(MUSL_CC) $(INCLUDES) $(filter %.c,$^) $(MUSL_LIBS) -o $@
$(MUSL)/torture: Tests/Stress/torture.c $(SOURCES) $(PRIVATE) $(HEADERS) | setup-musl
	@$(MUSL_CC) $(TORTURE) $(filter %.c,$^) $(MUSL_LIBS) -o $@

musl: setup-musl $(MUSL)/rules $(MUSL)/torture  ## the core's rules and torture with musl, in static programs
	$(MUSL)/rules -Host
	$(MUSL)/torture $(SECONDS_EACH)

# The linker takes libck.a where it is the only one in the first folder that it looks into.
static: setup  ## the tour in one file: neither the toolchain's libraries nor libck.so.0 are needed to run it
	@mkdir -p $(BUILD)/static && ln -sf /usr/lib/$(MULTIARCH)/libck.a $(BUILD)/static
	$(SWIFT) build -c release --quiet --product HeraldTour --scratch-path .build-static --static-swift-stdlib \
	    -Xlinker -L$(CURDIR)/$(BUILD)/static
	@! ldd .build-static/release/HeraldTour | grep -E 'libck|libswift|Foundation'
	.build-static/release/HeraldTour CSources/CHerald/include >/dev/null

mutations: setup  ## leave out each step of the protocol once: the torture must notice
	CC=$(CC) sh Tests/Stress/mutations.sh $(SECONDS_EACH)

plan:  ## what becomes of a post to a suspended center, case by case
	@mkdir -p $(BUILD)
	$(CC) -std=c11 -g -O1 -Wall -Wextra -Werror $(INCLUDES) -I$(CORE)/src Tests/Plan/plan.c $(CORE)/src/plan.c -o $(BUILD)/plan
	$(BUILD)/plan

model:  ## the protocols as state models: no bad state, and one for each step left out
	@mkdir -p $(BUILD)
	@set -e; for m in model first host_order host_move host_log network_switch; do \
	    $(CC) -std=c11 -O2 -Wall -Wextra Tests/Model/$$m.c -o $(BUILD)/$$m; $(BUILD)/$$m; done

# Without arguments within three minutes. MUTATION=NAME, SCENARIO=NAME, SEED=SEED (as a failure prints it),
# MEMORY=tso|views, BARRIER=membarrier|fence
EXPLORE_WORDS = $(if $(MUTATION),--mutation $(MUTATION)) $(if $(SCENARIO),--scenario $(SCENARIO)) \
                $(if $(SEED),--seed $(SEED)) $(if $(MEMORY),--memory $(MEMORY))

explore: setup  ## the shipped core under a controlled scheduler: scenarios, and each step left out
	@sh Scripts/explore.sh $(BUILD)/explore >/dev/null
	@$(if $(BARRIER),HERALD_BARRIER=$(BARRIER)) $(BUILD)/explore/explore $(EXPLORE_WORDS)

coverage: setup  ## lines and branches of CSources that no test runs; each has a sentence in Tests/Coverage/reasons.txt
	@sh Scripts/coverage.sh $(BUILD)/coverage "$(ALLOCATING)" "$(FAILING)"

fuzz: setup  ## sequences of calls against a simple model of the contract (SECONDS_EACH=10, SEED=1)
	@sh Tests/Fuzz/run.sh $(BUILD) $(SECONDS_EACH) $(SEED)

# ---- Figures and form ----------------------------------------------------------------------------------------------

# Benchmarks is a package of its own. The native programs are built by its Makefile, each where its library is found.
BENCHMARKS    := Benchmarks
RESULTS       ?= $(BENCHMARKS)/Results
BENCH_BUILD   := $(BENCHMARKS)/.build-native
BENCH_SWIFT    = $(SWIFT) build -c release --package-path $(BENCHMARKS)
BENCH_PROGRAMS = $(shell $(BENCH_SWIFT) --show-bin-path)
BENCH_RUNNER   = $(BENCH_PROGRAMS)/HeraldBench
# The documents show the committed results and no others.
BENCH_DOCUMENTS = $(if $(filter $(BENCHMARKS)/Results,$(RESULTS)),--documents .)
BENCH_RUN      = $(BENCH_RUNNER) run --programs $(BENCH_BUILD)/peers --programs $(BENCH_PROGRAMS)/SwiftPeers \
                 --placed $(BENCH_BUILD)/placed --results

bench: bench-build  ## put rules to all, measure all, write the page and the documents' figures (RESULTS=folder)
	$(BENCH_RUN) $(RESULTS) $(BENCH_DOCUMENTS)

bench-quick: bench-build  ## the same with fewer samples in under a minute, into .build-native/bench-quick
	$(BENCH_RUN) $(BUILD)/bench-quick --quick

bench-build: setup $(BUILD)/libherald.a $(if $(wildcard /usr/include/nats/nats.h),$(BUILD)/libherald-network.a)  ## what is measured, and what measures
	$(MAKE) -C $(BENCHMARKS) --no-print-directory
	$(BENCH_SWIFT) --product SwiftPeers
	$(MAKE) -C $(BENCHMARKS) --no-print-directory placed-swift SWIFT_PROGRAMS=$(abspath $(BENCH_PROGRAMS))
	$(BENCH_SWIFT) --product HeraldBench

bench-peers:  ## install the packages of all peers (apt-get)
	@sh Scripts/peers.sh

bench-render:  ## the page and the documents' figures from the committed results
	$(BENCH_SWIFT) --product HeraldBench
	$(BENCH_RUNNER) render --results $(RESULTS) $(BENCH_DOCUMENTS)

bench-compare:  ## two results beside each other: A=before.json B=after.json
	@test -n "$(A)" -a -n "$(B)" || { echo "make bench-compare A=before.json B=after.json" >&2; exit 64; }
	@$(BENCH_SWIFT) --product HeraldBench >&2
	@$(BENCH_RUNNER) compare "$(A)" "$(B)"

# Counted, not timed: 10,000 operations' allocations, and instructions by valgrind. Swift's debug information is too new
# for valgrind.
bench-check: bench-build  ## allocations and instructions against the committed thresholds (UPDATE=1 writes them)
	@command -v valgrind >/dev/null || { echo "make bench-check needs valgrind: make bench-peers" >&2; exit 1; }
	@mkdir -p $(BENCH_BUILD)/stripped
	strip -o $(BENCH_BUILD)/stripped/SwiftPeers $(BENCH_PROGRAMS)/SwiftPeers
	strip -o $(BENCH_BUILD)/stripped/herald $(BENCH_BUILD)/peers/herald
	cd $(BENCHMARKS) && HERALD_PEERS=$(CURDIR)/$(BENCH_BUILD)/stripped $(SWIFT) package \
	    $(if $(UPDATE),--allow-writing-to-package-directory) benchmark thresholds $(if $(UPDATE),update,check) \
	    --target Counts --no-progress

bench-test: setup $(BUILD)/libherald.a  ## the runner's own tests; page, plots and README say what the results say
	$(MAKE) -C $(BENCHMARKS) --no-print-directory .build-native/peers/floor .build-native/peers/herald
	$(SWIFT) test --package-path $(BENCHMARKS)

# docc stands beside the compiler; it warns of links that do not resolve, and a warning is an error.
DOCS     := .build-docs
DOCC      = $(or $(shell command -v docc),$(dir $(realpath $(shell command -v $(SWIFT))))docc)
MODULES   = $(shell $(SWIFT) build --show-bin-path)/Modules

docs: setup  ## the documentation; then python3 -m http.server -d .build-docs/Herald, localhost:8000/documentation/herald
	$(SWIFT) build --target Herald
	@rm -rf $(DOCS)
	@mkdir -p $(DOCS)/symbols
	$(SWIFT) symbolgraph-extract -module-name Herald -target $(shell uname -m)-unknown-linux-gnu -I $(MODULES) $(INCLUDES) \
	    -I CSources/CHeraldRuntime/include \
	    -minimum-access-level public -skip-inherited-docs -skip-synthesized-members -output-dir $(DOCS)/symbols
	$(DOCC) convert Sources/Herald/Herald.docc --additional-symbol-graph-dir $(DOCS)/symbols --output-dir $(DOCS)/Herald \
	    --fallback-display-name Herald --fallback-bundle-identifier herald --warnings-as-errors

# Versions of clang-format differ: Debian 12's decides.
C_FILES     = $(shell git ls-files '*.c' '*.h' '*.cpp' '*.hpp')
SWIFT_FILES = $(shell git ls-files '*.swift')

format: setup-format  ## lay out the code
	clang-format-14 -i $(C_FILES)
	$(SWIFT) format -i $(SWIFT_FILES)

format-check: setup-format  ## that the code is laid out as make format does
	@clang-format-14 --dry-run -Werror $(C_FILES)
	@$(SWIFT) format lint -s $(SWIFT_FILES)
	@echo "format: as make format lays it out"

setup-format:
	@command -v clang-format-14 >/dev/null || sh Scripts/install.sh clang-format-14

clean:  ## remove what was built
	rm -rf $(BUILD) $(DOCS) $(wildcard .build .build-*) $(BENCH_BUILD) $(BENCHMARKS)/.build
