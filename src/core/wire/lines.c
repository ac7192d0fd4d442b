/* SPDX-License-Identifier: MIT */
/* Lines: an idle connection from each rank of another machine to rank 0. The system of a machine closes it when the
 * process ends, however that happens, and asks over it whether the other machine is still there: so both ends find
 * out who is gone without a thread of theirs, whatever the other one is doing. Where none can be made (no network but
 * that of MPI, more than MOST_LINES ranks) that rank is only missed after mpi.timeout. */
#define _GNU_SOURCE /* accept4 */
#include "core/wire/inside.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_LINES = 256, MOST_ADDRESSES = 8, START_MS = 2000, GREETING_MS = 500 };
/* A line that says nothing for IDLE seconds is asked, MOST_ASKED times: gaps of a network that MPI gets over as well
 * do not count. */
enum { IDLE = 5, ASKED_EVERY = 5, MOST_ASKED = 3 };

/* What rank 0 tells all: where it listens. */
typedef struct offer {
    unsigned char token[16]; /* who has it belongs to this run */
    uint32_t count;
    struct sockaddr_in6 address[MOST_ADDRESSES]; /* those of IPv4 are mapped; with the port */
} offer;

/* What is said over a line, and answered with the same. */
typedef struct greeting {
    unsigned char token[16];
    uint32_t rank;
} greeting;

static int *lines; /* [ranks]: -1 = none */

/* --- where rank 0 listens -------------------------------------------------------------------------------------- */

static void offer_address(offer *o, const struct ifaddrs *of, in_port_t port)
{
    struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = port };
    if (of->ifa_addr->sa_family == AF_INET6) {
        memcpy(&a.sin6_addr, &((const struct sockaddr_in6 *)(const void *)of->ifa_addr)->sin6_addr,
               sizeof a.sin6_addr);
        if (IN6_IS_ADDR_LINKLOCAL(&a.sin6_addr)) return; /* means nothing elsewhere */
    } else {
        a.sin6_addr.s6_addr[10] = a.sin6_addr.s6_addr[11] = 0xff;
        memcpy(&a.sin6_addr.s6_addr[12], &((const struct sockaddr_in *)(const void *)of->ifa_addr)->sin_addr.s_addr,
               4);
    }
    if (o->count < MOST_ADDRESSES) o->address[o->count++] = a;
}

/* Loopback only where there is nothing else: machines that share a network are containers then. */
static void offer_addresses(offer *o, const struct sockaddr_in6 *at)
{
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0) return;
    for (unsigned loopback = 0; loopback < 2 && o->count == 0; loopback++)
        for (const struct ifaddrs *a = all; a; a = a->ifa_next)
            if (a->ifa_addr && (a->ifa_addr->sa_family == AF_INET || a->ifa_addr->sa_family == at->sin6_family) &&
                a->ifa_flags & IFF_UP && ((a->ifa_flags & IFF_LOOPBACK) != 0) == (loopback != 0))
                offer_address(o, a, at->sin6_port);
    freeifaddrs(all);
}

/* The socket, which hears both kinds of addresses, or those of IPv4 where there is no other; -1 = none. */
static int listen_as(sa_family_t family, struct sockaddr_in6 *at)
{
    *at = (struct sockaddr_in6){ .sin6_family = family }; /* any address, any port: all of the rest is 0 */
    socklen_t size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof *at;
    int off = 0, s = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) return -1;
    if ((family == AF_INET || setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) &&
        bind(s, (const struct sockaddr *)at, size) == 0 && listen(s, MOST_LINES) == 0 &&
        getsockname(s, (struct sockaddr *)at, &size) == 0)
        return s;
    close(s);
    return -1;
}

/* The socket; -1 = nobody can reach this process. */
static int listen_anywhere(offer *o)
{
    struct sockaddr_in6 at; /* family and port are where IPv4 has them */
    int s = listen_as(AF_INET6, &at);
    if (s < 0) s = listen_as(AF_INET, &at);
    if (s < 0) return -1;
    if (getrandom(o->token, sizeof o->token, 0) == sizeof o->token) offer_addresses(o, &at);
    if (o->count) return s;
    close(s);
    return -1;
}

/* --- both ends ------------------------------------------------------------------------------------------------- */

/* Signals do not shorten that time. */
static bool ready_for(int s, short events, double until)
{
    struct pollfd p = { .fd = s, .events = events };
    for (double left; (left = until - tw__seconds()) > 0;) {
        int ready = poll(&p, 1, (int)(left * 1000) + 1);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return ready > 0;
    }
    return false;
}

static double sooner(double a, double b)
{
    return a < b ? a : b;
}

/* All of a greeting. */
static bool hear(int s, const offer *o, greeting *g, double until)
{
    size_t got = 0;
    while (got < sizeof *g && ready_for(s, POLLIN, until)) {
        ssize_t n = recv(s, (char *)g + got, sizeof *g - got, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
        if (n > 0) got += (size_t)n;
    }
    return got == sizeof *g && memcmp(g->token, o->token, sizeof g->token) == 0;
}

static bool greet(int s, const offer *o)
{
    greeting g = { .rank = tw__wire.rank };
    memcpy(g.token, o->token, sizeof g.token);
    return send(s, &g, sizeof g, MSG_NOSIGNAL) == sizeof g;
}

static void keep_line(unsigned rank, int s)
{
    const int on = 1, idle = IDLE, every = ASKED_EVERY, count = MOST_ASKED;
    setsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(s, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(s, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof every);
    setsockopt(s, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    lines[rank] = s;
}

/* Rank 0: those who call, until all have or the time is up. A stranger may say nothing at all. */
static void take_calls(int s, const offer *o, unsigned expected, double until)
{
    while (expected && ready_for(s, POLLIN, until)) {
        greeting g;
        int line = accept4(s, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (line < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) return;
        if (line < 0) continue; /* who called is gone again */
        if (hear(line, o, &g, sooner(until, tw__seconds() + GREETING_MS / 1000.0)) && g.rank > 0 &&
            g.rank < tw__wire.size && lines[g.rank] < 0 && greet(line, o))
            keep_line(g.rank, line), expected--;
        else
            close(line);
    }
}

/* Connected to `to`, as far as anybody answers there; -1 = not. What is mapped is called as what it is: IPv6 may be
 * switched off here. */
static int call_one(const struct sockaddr_in6 *to, double until)
{
    struct sockaddr_in plain = { .sin_family = AF_INET, .sin_port = to->sin6_port };
    bool mapped = IN6_IS_ADDR_V4MAPPED(&to->sin6_addr);
    memcpy(&plain.sin_addr, &to->sin6_addr.s6_addr[12], sizeof plain.sin_addr);
    const void *address = mapped ? (const void *)&plain : to;
    int error = 0, s = socket(mapped ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = sizeof error;
    if (s < 0) return -1;
    if ((connect(s, address, mapped ? sizeof plain : sizeof *to) == 0 ||
         (errno == EINPROGRESS && ready_for(s, POLLOUT, until))) &&
        getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0)
        return s;
    close(s);
    return -1;
}

/* The others: one address after the other, each with its share of the time that is left. A stranger who has the same
 * address elsewhere does not know the answer. */
static void call_first(const offer *o, double until)
{
    for (uint32_t k = 0; k < o->count && lines[0] < 0; k++) {
        greeting g;
        double now = tw__seconds(), end = now + (until - now) / (o->count - k);
        int s = call_one(&o->address[k], end);
        if (s < 0) continue;
        if (greet(s, o) && hear(s, o, &g, end))
            keep_line(0, s);
        else
            close(s);
    }
}

/* --- whether both ends have it --------------------------------------------------------------------------------- */

enum { FIRST_HAS = 1, OTHER_HAS = 2, BOTH_HAVE = 3 };

static void add_ends(void *mine, const void *theirs)
{
    uint8_t *a = mine;
    const uint8_t *b = theirs;
    for (unsigned k = 0; k < tw__wire.size; k++) a[k] |= b[k];
}

/* Rank 0 may answer a call after the caller has given it up: a line that one end alone has would look like the end of
 * the other process. All ranks, those without any line too. */
static tw_status keep_common_lines(const bool *far)
{
    uint8_t has[TW__WIRE_MOST_KNOWN] = { 0 };
    unsigned size = tw__wire.size, rank = tw__wire.rank;
    for (unsigned k = 1; k < size && lines && rank == 0; k++) has[k] = lines[k] < 0 ? 0 : FIRST_HAS;
    if (lines && rank != 0) has[rank] = lines[0] < 0 ? 0 : OTHER_HAS;
    tw_status s = tw__wire_combine(TW__WIRE_HERE("lines to rank 0"), has, size, add_ends);
    for (unsigned k = 1; k < size; k++) {
        unsigned other = rank ? 0 : k;
        if (!far[k] || (rank != 0 && rank != k) || (!s && has[k] == BOTH_HAVE)) continue;
        if (lines && lines[other] >= 0) close(lines[other]), lines[other] = -1;
        TW__LOG(ENGINE, INFO, "no line from rank %u to rank 0: if one ends, the other waits for mpi.timeout", k);
    }
    return s;
}

tw_status tw__wire_make_lines(const bool *far)
{
    unsigned expected = 0;
    for (unsigned k = 0; k < tw__wire.size; k++) expected += far[k];
    if (expected == 0 || expected > MOST_LINES) return TW_OK;
    offer o = { .count = 0 };
    int s = tw__wire.rank == 0 ? listen_anywhere(&o) : -1;
    tw_status status = tw__wire_broadcast(TW__WIRE_HERE("where rank 0 is"), 0, &o, sizeof o);
    lines = status || o.count == 0 ? NULL : tw__calloc(tw__wire.size, sizeof *lines);
    for (unsigned k = 0; k < tw__wire.size && lines; k++) lines[k] = -1;
    double until = tw__seconds() + START_MS / 1000.0;
    if (s >= 0 && lines) take_calls(s, &o, expected, until);
    if (s >= 0) close(s);
    if (lines && far[tw__wire.rank]) call_first(&o, until);
    return status ? status : keep_common_lines(far);
}

/* What its system says when a process ends always counts. That nobody answers any more, or that the other system has
 * given up this line, may be the network's fault: who waits for ever (mpi.timeout=0) is left without this line, which
 * stays open, so that the other end does not take it for an end. */
bool tw__wire_line_ended(unsigned rank)
{
    char byte;
    if (!lines || lines[rank] < 0) return false;
    ssize_t n = recv(lines[rank], &byte, 1, MSG_DONTWAIT);
    if (n >= 0) return n == 0;
    if (errno == EAGAIN || errno == EINTR) return false;
    if (tw__wire_patience() > 0) return true;
    TW__LOG(ENGINE, INFO, "the line between ranks %u and %u is lost (%s): that process may end unseen",
            tw__wire.rank, rank, strerror(errno));
    lines[rank] = -1;
    return false;
}
