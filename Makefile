# The two main commands are `make run` and `make test`. `make help` lists the rest.
#
# This file has what runs and installs Herald, and the tiers of tests. Tests/tests.mk builds each test,
# Benchmarks/Makefile measures Herald.

ifeq ($(origin CC),default)
CC := $(if $(shell command -v gcc),gcc,cc)
endif
CXX     ?= c++
PREFIX  ?= /usr/local
DESTDIR ?=
BUILD   := .build-native
VERSION := $(shell sed -n 's/^\#define HERALD_VERSION "\(.*\)"/\1/p' CSources/CHerald/include/herald/herald.h)
SWIFT   := swift
JOBS    := $(shell nproc 2>/dev/null || echo 2)

CORE    := CSources/CHerald
HOST    := CSources/CHeraldHost
NET     := CSources/CHeraldNetwork
CF      := CSources/CHeraldCF
HEADERS := $(wildcard $(foreach f,$(CORE) $(HOST),$f/include/herald/*.h $f/include/herald/*.hpp))
SOURCES := $(wildcard $(CORE)/src/*.c)
HOSTED  := $(SOURCES) $(wildcard $(HOST)/src/*.c)
NET_SOURCES := $(filter-out %/trait.c,$(wildcard $(NET)/src/*.c))
FLAGS   := -std=c11 -O2 -g -fPIC -fexceptions -Wall -Wextra -Werror
INCLUDES := -ICSources/Ground -I$(CORE)/include -I$(HOST)/include -I$(NET)/include
LIBS    := -lck -lpthread
MULTIARCH = $(shell $(CC) -print-multiarch 2>/dev/null)

default: help

# All targets of these files that are no files. (A suite target is a pattern, which cannot be phony.)
.PHONY: default $(shell sed -n '/^suite-/d; s/^\([a-z][a-z0-9-]*\):.*/\1/p' Makefile Tests/tests.mk Benchmarks/Makefile)

help:  ## print this list
	@grep -hE '^[a-z][a-z0-9-]*:.*## ' Makefile Tests/tests.mk Benchmarks/Makefile | sed 's/:.*## /\t/' | expand -t 20

run: setup has-swift  ## run the tour: scan a folder (ARGS=folder), show what observers heard and what a post costs
	$(SWIFT) run -c release --quiet HeraldTour $(ARGS)

# ---- Tiers: Tests/README.md lists what is in each, CONTRIBUTING.md which to run --------------------------------------

check: setup has-swift  ## run before each commit, a minute: contract, form, rules, the quick Swift suites (FILTER=R06, REPEAT=20)
	@$(AGAIN) $(MAKE) $(QUIET) $(if $(FILTER),check-filtered,check-all)

test: setup-network has-swift  ## run all that must pass, ten minutes: check, all rules, failures, native, network, command, all Swift tests (REPEAT=20)
	@$(AGAIN) $(MAKE) $(QUIET) test-all

ci:  ## run what CI runs, half an hour: test, other compilers and machines, models, sanitizers, fuzzers, counts
	@bash .ci/run

weekly: setup-network  ## run by hand before a release: mutations, arm64's torture, coverage, bench, long fuzz and soaks
	@$(MAKE) $(QUIET) weekly-all

AGAIN = sh Scripts/repeat.sh $(or $(REPEAT),1)
QUIET = --no-print-directory REPEAT=

has-swift:
	@sh Scripts/need.sh "$(firstword $(SWIFT))" "install a Swift toolchain of 6.2 or later (swift.org/install), or say where: make SWIFT=/path/to/swift"

setup:  ## install what is missing (libck-dev)
	@sh Scripts/setup.sh

setup-network:  ## install what the network center needs (libnats, libcrypto), and the server for its tests
	@sh Scripts/setup.sh network
setup-libnats:
	@sh Scripts/setup.sh libnats

# ---- The native libraries --------------------------------------------------------------------------------------------

OBJECTS     := $(HOSTED:CSources/%.c=$(BUILD)/objects/%.o)
NET_OBJECTS := $(NET_SOURCES:CSources/%.c=$(BUILD)/objects/%.o)
$(NET_OBJECTS): | setup-libnats
NETWORK_LIBRARIES = $(BUILD)/libherald-network.a $(BUILD)/libherald-network.so.$(VERSION)
CF_OBJECTS  := $(patsubst CSources/%.c,$(BUILD)/objects/%.o,$(wildcard $(CF)/src/*.c))

# An object depends on the headers that it includes. The object and the list of its headers get their names only when
# they are complete. So an interrupted build, a full disk, or two suites that build the same object never leave a
# partial file that make takes for built.
OBJECT = -MMD -MP -MT $@ -MF $@.$$$$.headers -c $< -o $@.$$$$ && mv $@.$$$$.headers $(basename $@).d && mv $@.$$$$ $@
.DELETE_ON_ERROR:

$(BUILD)/objects/%.o: CSources/%.c Makefile $(BUILD)/compiler | setup
	@mkdir -p $(@D)
	@echo "library: $<"
	@$(CC) $(FLAGS) $(CFLAGS) $(INCLUDES) $(OBJECT)

# Contains the compiler's name and flags, and is rewritten only when they change.
$(BUILD)/compiler: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CFLAGS)' > $@
FORCE:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# Makes a static and a shared library. Arguments: NAME, its objects, our libraries that it needs, flags and libraries to
# link. Hidden symbols become local, so that a program with a static copy exports none of them. Groups are dissolved: of
# groups with one name a linker keeps one, and what a local symbol names in another is gone (Tests/Native/unwinding.c).
# nodelete: threads keep a destructor of the library.
define LIBRARY
$$(BUILD)/lib$1.a: $2
	@echo "library: $$@"
	@rm -f $$@
	@ld -r --force-group-allocation $$^ -o $$(BUILD)/$1.o
	@objcopy --localize-hidden $$(BUILD)/$1.o
	@ar rcs $$@ $$(BUILD)/$1.o

$$(BUILD)/lib$1.so.$$(VERSION): $2 $3
	@echo "library: $$@"
	@$$(CC) -shared -Wl,-soname,lib$1.so.0 -Wl,-z,nodelete -Wl,-z,defs $4 $$(LDFLAGS) $$^ $5 -o $$@
endef

# Bsymbolic-functions: the library's calls of its own functions stay in it, even if a program with another copy (R22)
# exports the same names.
$(eval $(call LIBRARY,herald,$$(OBJECTS),,-Wl$$(comma)-Bsymbolic-functions,$$(LIBS)))
$(eval $(call LIBRARY,herald-network,$$(NET_OBJECTS),$$(BUILD)/libherald.so.$$(VERSION),-Wl$$(comma)-rpath$$(comma)'$$$$ORIGIN',$$(NET_LIBS)))
# At run time it finds libherald in its own folder, and the toolchain's CoreFoundation in the toolchain that SWIFT
# names.
$(eval $(call LIBRARY,heraldcf,$$(CF_OBJECTS),$$(BUILD)/libherald.so.$$(VERSION) | has-cf,-Wl$$(comma)-rpath$$(comma)'$$$$ORIGIN:$$(TOOLCHAIN)/linux',$$(CF_LIBS)))
comma    := ,
NET_LIBS := -lnats -lcrypto -lpthread
CF_LIBS   = -L$(TOOLCHAIN)/linux -lFoundation -ldispatch -lpthread
TOOLCHAIN = $(shell $(SWIFT) -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')

has-cf:
	@test -d "$(TOOLCHAIN)/CoreFoundation" || { echo "make install-cf: '$(SWIFT)' has no CoreFoundation" >&2; exit 1; }

library: setup $(BUILD)/libherald.a $(BUILD)/libherald.so.$(VERSION)  ## build the static and the shared library, in .build-native

# Arguments: NAME, its headers, their folder below include, the template of its .pc file.
define INSTALL
	@test -n "$(PREFIX)" || { echo "make $@: PREFIX is empty" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/include/$3 $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 644 $2 $(DESTDIR)$(PREFIX)/include/$3
	install -m 644 $(BUILD)/lib$1.a $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BUILD)/lib$1.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib
	ln -sf lib$1.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/lib$1.so.0
	ln -sf lib$1.so.0 $(DESTDIR)$(PREFIX)/lib/lib$1.so
	sed 's|@VERSION@|$(VERSION)|; s|@TOOLCHAIN@|$(TOOLCHAIN)|' $4 > $(DESTDIR)$(PREFIX)/lib/pkgconfig/$1.pc
endef

install: library $(if $(filter-out 0,$(NETWORK)),install-network)  ## install headers, libraries, herald.pc and CMake's HeraldConfig into PREFIX (Swift is not needed; NETWORK=1: the network center, too)
	$(call INSTALL,herald,$(HEADERS),herald,$(CORE)/herald.pc.in)
	install -d $(DESTDIR)$(PREFIX)/lib/cmake/Herald
	for f in HeraldConfig HeraldConfigVersion; do sed 's|@VERSION@|$(VERSION)|g; s|@INCLUDE@|../include|' \
	    $(CORE)/$$f.cmake.in > $(DESTDIR)$(PREFIX)/lib/cmake/Herald/$$f.cmake; done
	install -D -m 644 CONTRACT.md $(DESTDIR)$(PREFIX)/share/doc/herald/CONTRACT.md
	@echo "installed below $(DESTDIR)$(PREFIX): headers, libherald, herald.pc. Now export" \
	    "PKG_CONFIG_PATH=$(PREFIX)/lib/pkgconfig, and run ldconfig or link with -Wl,-rpath,$(PREFIX)/lib"

install-network: setup-network library
	@$(MAKE) --no-print-directory $(BUILD)/libherald-network.a $(BUILD)/libherald-network.so.$(VERSION)
	$(call INSTALL,herald-network,$(NET)/include/herald/network.h,herald,$(NET)/herald-network.pc.in)

install-cf: install $(BUILD)/libheraldcf.a $(BUILD)/libheraldcf.so.$(VERSION)  ## as make install, and HeraldCF for C: header, libraries and heraldcf.pc (needs a Swift toolchain)
	$(call INSTALL,heraldcf,$(CF)/include/HeraldCF.h,.,$(CF)/heraldcf.pc.in)

# ---- The Python module -----------------------------------------------------------------------------------------------

PYTHON := python3

has-python:
	@sh Scripts/need.sh "$(PYTHON)" "apt-get install python3, or say where: make PYTHON=/path/to/python3"

install-python: has-python install  ## as make install, and the Python module herald, where python3 looks below PREFIX (PYTHON=python3)
	@folder=$$(sh Scripts/python-folder.sh "$(PYTHON)" "$(PREFIX)") && \
	    install -D -m 644 Examples/Python/herald.py "$(DESTDIR)$$folder/herald.py" && \
	    echo "the module is $(DESTDIR)$$folder/herald.py"

# ---- The command -----------------------------------------------------------------------------------------------------

# STATIC=1: the program needs none of the toolchain's libraries. The page's server needs libcurl, because Foundation
# does.
IS_STATIC      = $(filter-out 0,$(STATIC))
COMMAND_FOLDER = .build-command$(if $(IS_STATIC),-static)$(if $(COMMAND_FLAGS),-with-flags)

command: setup has-swift $(if $(filter 0,$(NETWORK)),,setup-libnats)  ## build the command herald, in .build-native (NETWORK=0: without --network, which needs libnats)
	@mkdir -p $(BUILD)
	@$(if $(IS_STATIC),sh Scripts/setup.sh curl,:)
	$(SWIFT) build --quiet --package-path Command --scratch-path $(COMMAND_FOLDER) -c release $(COMMAND_FLAGS) \
	    $(if $(IS_STATIC),--static-swift-stdlib -Xlinker --as-needed -Xlinker -lcurl) $(if $(filter 0,$(NETWORK)),,--traits Network)
	@for p in herald herald-web; do cp $(COMMAND_FOLDER)/release/$$p $(BUILD)/$$p.$$$$ && mv $(BUILD)/$$p.$$$$ $(BUILD)/$$p || exit 1; done

# The command generates its completions itself.
SHARE = $(DESTDIR)$(PREFIX)/share

install-command: STATIC ?= 1
install-command: command  ## install the command herald, its manual page and its completions into PREFIX (STATIC=0: smaller, and needs the toolchain where it runs)
	@test -n "$(PREFIX)" || { echo "make install-command: PREFIX is empty" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	    $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 $(BUILD)/herald $(DESTDIR)$(PREFIX)/bin
	install -D -m 755 $(BUILD)/herald-web $(DESTDIR)$(PREFIX)/libexec/herald/herald-web
	install -m 644 Command/herald.1 $(SHARE)/man/man1
	$(BUILD)/herald --generate-completion-script bash > $(SHARE)/bash-completion/completions/herald
	$(BUILD)/herald --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_herald
	$(BUILD)/herald --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/herald.fish
	@echo "installed below $(DESTDIR)$(PREFIX): bin/herald, which $(if $(IS_STATIC),runs without,needs) the Swift toolchain," \
	    "man herald, completions. Have $(PREFIX)/bin in PATH; begin with: herald watch com.acme.hello"

release:  ## tag a version: VERSION of herald.h, with its section in CHANGELOG.md, from a clean checkout
	@sh Scripts/release.sh $(VERSION)

deb: setup-network  ## build Debian packages in .build-deb: libherald0, libherald-dev, herald; install, use and remove them
	@bash Scripts/deb.sh .build-deb $(VERSION)

# ---- Form ------------------------------------------------------------------------------------------------------------

# Built where the suites with traits build, of the same tests: Tests/tests.mk.
DOCS := .build-docs

docs: setup has-swift  ## build the documentation of all modules and the C headers in .build-docs/site; prints how to read it
	@sh Scripts/setup.sh libnats
	@$(TESTS_WITH_TRAITS) bash Scripts/docs.sh $(SWIFT) $(DOCS) .build-network

# Versions of clang-format lay out differently. Debian 12's is used.
C_FILES     = $(shell git ls-files '*.c' '*.h' '*.cpp' '*.hpp')
SWIFT_FILES = $(shell git ls-files '*.swift')

format: setup-format  ## format the code
	clang-format-14 -i $(C_FILES)
	$(SWIFT) format -i $(SWIFT_FILES)

format-check: setup-format has-swift  ## check that the code is formatted as make format does it
	@clang-format-14 --dry-run -Werror $(C_FILES)
	@$(SWIFT) format lint -s $(SWIFT_FILES)
	@echo "format: as make format lays it out"

forms: has-swift $(BUILD)/forms  ## write the functions that observe, from the table in Scripts/forms
	@sh Scripts/forms.sh write $(BUILD)/forms $(SWIFT)

setup-format:
	@command -v clang-format-14 >/dev/null || sh Scripts/install.sh clang-format-14

clean:  ## remove all build products
	rm -rf $(BUILD) $(DOCS) $(wildcard .build .build-*) Benchmarks/.build-native Benchmarks/.build

# ---- The rest --------------------------------------------------------------------------------------------------------

include Tests/tests.mk

# Benchmarks is a separate package with its own Makefile.
BENCH := bench bench-quick bench-build bench-peers bench-render bench-compare bench-check bench-test

$(BENCH): setup has-swift
	@$(MAKE) --no-print-directory -C Benchmarks $@ $(if $(RESULTS),RESULTS=$(abspath $(RESULTS))) \
	    $(if $(A),A=$(abspath $(A))) $(if $(B),B=$(abspath $(B)))

# bench-test and bench-check build the same programs.
ifneq ($(filter bench-test,$(MAKECMDGOALS)),)
bench-check: | bench-test
endif
