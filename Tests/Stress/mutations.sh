#!/bin/sh
# Leaves out one step of the host center's protocol at a time; its rules must notice. Leaves out some steps of the core,
# to see that the torture notices (make explore catches all of these).
#
#       mutations.sh [SECONDS]      at most so long for each; CC as the Makefile gives it
#       ONLY=core (host, network) mutations.sh   only those; network needs libnats and a server
#
# A mutation counts as caught when the program fails: by its own checks, by AddressSanitizer, or by not ending.
set -u
cd "$(dirname "$0")/../.."
seconds=${1:-10}
compiler=${CC:-cc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build() { # NAME=MUTATION FLAGS FILES
    $compiler -std=gnu11 -g $2 -fexceptions -DHERALD_TORTURE -DHERALD_RETIRED_ENOUGH=512 \
        -D"$1" -ICSources/Ground -ICSources/CHerald/include -ICSources/CHerald/src -ICSources/CHeraldHost/include \
        $3 CSources/CHerald/src/*.c -lck -lpthread -o "$folder/program"
}

passed=0 failed=0
limit=$((seconds + 170)) # longer than any wait of a program that works, however slow the machine is
survives() { # COMMAND...; three times, because it depends on chance where threads meet
    for attempt in 1 2 3; do
        timeout "$limit" "$@" >"$folder/out" 2>&1 || return 1
    done
}

judge() { # MUTATION COMMAND...
    mutation=$1
    shift
    if survives "$@" || grep -qE '^nothing is called|^no rule is left' "$folder/out"; then
        echo "NOT CAUGHT  $mutation"
        failed=$((failed + 1))
    else
        how=$(grep -oE 'AddressSanitizer: [a-z-]+|late [0-9]+|wrong [0-9]+|doubled [0-9]+|leaked [0-9]+|FAILED [^:]*' "$folder/out" |
            grep -v ' 0$' | head -n 1)
        echo "caught      $mutation: ${how:-did not end}"
        passed=$((passed + 1))
    fi
}

# The torture as it is; its duel alone, at full speed, for a barrier (with BARRIER).
try() { # MUTATION
    build "HERALD_MUTATION=HERALD_DROP_$1" "-O1 -fsanitize=address" Tests/Stress/torture.c || exit 1
    judge "$1" "$folder/program" "$seconds"
}
try_duel() { # MUTATION BARRIER
    build "HERALD_MUTATION=HERALD_DROP_$1" -O2 Tests/Stress/torture.c || exit 1
    judge "$1" env HERALD_BARRIER="$2" "$folder/program" "$seconds" 1 hooked
}
# Objects that the host center's mutations do not change are compiled once.
includes="-ICSources/Ground -ICSources/CHerald/include -ICSources/CHerald/src -ICSources/CHeraldHost/include"
host_flags="-std=gnu11 -g -O1 -fexceptions $includes"
build_rest() {
    for source in Tests/Rules/*.c Tests/Inside/*.c Tests/Rules/Main/*.c CSources/CHerald/src/*.c; do
        $compiler $host_flags -c "$source" -o "$folder/$(echo "$source" | tr / -).o" || exit 1
    done
}
try_host() { # MUTATION RULE
    ls "$folder"/*.o >/dev/null 2>&1 || build_rest
    $compiler $host_flags -DHERALD_HOST_MUTATION="HERALD_HOST_DROPS_$1" CSources/CHeraldHost/src/*.c "$folder"/*.o \
        -lck -lpthread -o "$folder/program" || exit 1
    judge "host: $1" "$folder/program" "$2"
}
network_flags="-std=gnu11 -g -O1 -fexceptions -ICSources/Ground -ICSources/CHerald/include -ICSources/CHeraldNetwork/include"
network_sources=$(ls CSources/CHeraldNetwork/src/*.c | grep -v trait.c)
try_network() { # MUTATION RULE
    for source in Tests/Network/*.c Tests/Network/Inside/*.c Tests/Rules/check.c Tests/Rules/Main/*.c CSources/CHerald/src/*.c; do
        object="$folder/$(echo "$source" | tr / -).o"
        [ -e "$object" ] || $compiler $network_flags -c "$source" -o "$object" || exit 1
    done
    $compiler $network_flags -DHERALD_NETWORK_MUTATION="HERALD_NETWORK_DROPS_$1" $network_sources "$folder"/*.o \
        -lck -lnats -lcrypto -lpthread -o "$folder/program" || exit 1
    judge "network: $1" "$folder/program" "$2"
}
network() {
    limit=180
    try_network WIDE_FIRST wider_observers_that_come_and_go
    try_network ONCE wider_observers_that_come_and_go
    try_network COVERED only_the_widest
    try_network PENDING outlive_their_subscription
    try_network HOLD held_for_a_moment
    try_network BACKLOG counts_against_the_limit
    try_network MISSED slow_observer
    try_network DENIED does_not_allow
    try_network CAP names_that_others_make
    try_network FORK child_of_a_fork
    try_network FLUSH close_waits
    try_network TOLD told_before_the_answer
    try_network DEADLINE falls_silent
    try_network SOMETHING turns_in_which
    try_network SLOW slow_link
    try_network CONFIRMED by_the_server_that_took
    try_network DOUBLED another_subscription_brings
    try_network SUBSCRIBED followers_that_come_while
    try_network REPEATED repeated_is_dropped
    try_network MENDED a_reconnection_mends
    try_network ID sent_again_is_stored_once
    try_network AGAIN made_in_time
    try_network MARK heard_here_again
    try_network PROGRESS worked_on
    try_network AWAY away_gives_up
    try_network PATIENT alone_waits
    try_network SORT alone_sorts
    try_network DRAIN that_ends_is_given
}

core() {
    build HERALD_MUTATION=HERALD_DROP_NOTHING "-O1 -fsanitize=address" Tests/Stress/torture.c || exit 1
    "$folder/program" 2 || { echo "the torture fails without a mutation"; exit 1; }
    for mutation in SECTION PIN TOPIC_PIN HAZARD STATE_CHECK LAST_USER_CHECK WAIT LIMIT ORPHAN GENERATION LANE_OWNER \
        BEGIN_AT_ONCE; do
        try $mutation
    done
    try_duel HANDSHAKE_REMOVE membarrier
    try_duel LIGHT fence
}
host() {
    limit=180
    try_host ARM post_wakes
    try_host WAKE post_wakes
    try_host GROUP post_wakes
    try_host BIT post_wakes
    try_host SEQUENCE posters_killed
    try_host COMPARE posters_killed
    try_host SWEEP dead_processes
    try_host TICK count_of_a_killed_poster
    try_host CLOSE table_full_of_long_names
    try_host CHANGES file_removed
    try_host SUPERSEDED survives_a_header_of_zeros
    try_host REPOST posted_again
    try_host CARRY file_removed
    try_host FAULT survives_a_file_cut_to_nothing
    try_host OUR_FILE has_become
    try_host TEXT_BOUNDS outside_its_region
    try_host CANCELLATION cancelled_thread
    try_host STAMP order_of_their_posts
    try_host SECOND_LOOK order_holds
    try_host SORT order_of_their_posts
    try_host SUMMARY beyond_those_with_bits
    try_host SUPERSEDE reset_makes_the_file_anew
    try_host WAKE_ALL reset_makes_the_file_anew
    try_host USER becomes_another_user
    try_host TRY never_waits_for_the_lock
    try_host PROBES full_table
    try_host IDLE idle_watcher
    try_host END heard_once_across_files
    try_host SEAL deafens_nobody
    try_host DESERTED after_another_logout
    try_host EXPECTING heard_once_across_files
    try_host LOGGED lost_messages
    try_host MISSED lost_messages
    try_host INTENT lost_messages
    try_host HELP heard_with_all
    try_host COMPLETE in_one_order
    try_host LAPPED observers_of_any_name_miss
    try_host HANDOVER heard_once_as_an_observer
    try_host WANTED ring_that_a_reader
    try_host IDENTITY private_posts
    try_host TAIL passes_the_tail
    try_host SETTLE has_not_shown
    try_host UNCOUNTED where_those_before_had_none
    try_host ARRIVAL files_between
    try_host LINE earlier_file
    try_host COUNTED posts_that_the_log_has_lost
    try_host CELL keeper_killed_or_held
    try_host HAND keeper_killed_or_held
    try_host OLD keeper_killed_or_held
    try_host SETTLES keeper_killed_or_held
    try_host SETTLE_ORDER keeper_killed_or_held
    try_host PENDING keeper_killed_or_held
    try_host GENERATION reader_of_what_is_kept
    try_host MEND whose_messages_were_overwritten
}

if [ -n "${ONLY:-}" ]; then
    $ONLY
    echo "$passed passed, $failed failed"
    exit $failed
fi
# In parallel: the rules wait more than they compute.
ONLY=host sh "$0" "$seconds" >"$folder/host" 2>&1 &
core
wait $! || failed=$((failed + 1))
cat "$folder/host"
echo "the core's: $passed passed, $failed failed"
[ $failed -eq 0 ]
