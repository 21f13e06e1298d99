/* The list of all network centers, and what a fork does to them.
 *
 * Ordering: The registry's lock is taken before a center's lock. A forked child keeps the parent's networks in the
 * list, to recognize their centers, and does not touch them: their threads do not exist there, and their locks may stay
 * locked for ever. The child replaces the descriptors of the parent's connections by /dev/null, so that it does not
 * hold the connections open. The descriptors' numbers stay in use, because libnats in the child may still close them.
 * Progress: Linear in the number of centers.
 * Ownership: The list has no references. A network is taken off the list before the core's center releases it.
 */
#include "net.h"
#include "ground_list.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct herald_net_center *networks;
static _Atomic uint32_t forks;

uint32_t herald_net_registry_forks(void) { return forks; }

bool herald_net_registry_is_inherited(const struct herald_net_center *network) {
    return network->forks != forks && HERALD_NET_STEP(FORK);
}

HeraldStatus herald_net_registry_check(const struct herald_net_center *network) {
    if (!herald_net_registry_is_inherited(network)) return HeraldOK;
    return herald_net_complain(HeraldTransportFailed,
                               "the network center is the parent process's: this is a child of its fork");
}

/* The list, if it has this process's own networks. A process that has inherited networks can make none of its own
 * (herald_net_connection_prepare). */
static struct herald_net_center *own_networks(void) {
    return networks && !herald_net_registry_is_inherited(networks) ? networks : NULL;
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }
static void let_go_of_connections(void) {
    int nothing = own_networks() ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    if (nothing < 0) return;
    for (struct herald_net_center *network = own_networks(); network; network = network->next) {
        int descriptors[] = {network->socket, network->dialed, network->given};
        for (int i = 0; i < 3; i++)
            if (descriptors[i] >= 0) dup3(nothing, descriptors[i], O_CLOEXEC);
    }
    close(nothing);
}
static void in_child(void) {
    let_go_of_connections();
    forks++;
    pthread_mutex_unlock(&lock);
}
__attribute__((constructor)) static void prepare_forks(void) { pthread_atfork(before_fork, in_parent, in_child); }

int herald_net_registry_copy(struct herald_net_center *all[], int most) {
    int count = 0;
    pthread_mutex_lock(&lock);
    for (struct herald_net_center *network = own_networks(); network && count < most; network = network->next) {
        herald_net_retain(network);
        all[count++] = network;
    }
    pthread_mutex_unlock(&lock);
    return count;
}

void herald_net_registry_add(struct herald_net_center *network) {
    pthread_mutex_lock(&lock);
    GROUND_LIST_PUSH(networks, network);
    pthread_mutex_unlock(&lock);
}

void herald_net_registry_remove(struct herald_net_center *network) {
    pthread_mutex_lock(&lock);
    GROUND_LIST_REMOVE(network);
    pthread_mutex_unlock(&lock);
}

HeraldStatus herald_net_registry_find(HeraldCenterRef center, struct herald_net_center **found) {
    pthread_mutex_lock(&lock);
    struct herald_net_center *network = networks;
    while (network && network->center != center) network = network->next;
    *found = network && !herald_net_registry_is_inherited(network) ? network : NULL;
    if (*found) herald_net_retain(*found);
    pthread_mutex_unlock(&lock);
    return network ? herald_net_registry_check(network)
                   : herald_net_complain(HeraldInvalidArgument, "this is not a network center");
}
