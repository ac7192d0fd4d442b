/* SPDX-License-Identifier: MIT */
/* Lines between two processes of this machine that take each other for another machine's. What MPI would carry goes
 * through pipes here, so that each end can be held up where that matters. */
#define _GNU_SOURCE
#include <sys/socket.h>

static int limited_socket(int family, int type, int protocol);
static int limited_accept(int s, struct sockaddr *address, socklen_t *size, int flags);
#define socket  limited_socket
#define accept4 limited_accept
#include "core/wire/lines.c"
#undef socket
#undef accept4

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <cmocka.h>

enum { DOWN, UP, BACK, PIPES }; /* the offer; what rank 1 has; what both have */
static int way[PIPES][2];
static struct {
    bool late;          /* rank 0 gets there when rank 1 has given up */
    unsigned strangers; /* who call first and say nothing */
} play;
static uint8_t theirs_ahead[2];
static bool has_ahead;
tw__wire_state tw__wire = { .size = 2 };

/* In both processes: one that cmocka would go on with has no place in the child. */
static void must(bool holds)
{
    if (!holds) abort();
}

/* A system without IPv6; one whose process has no descriptors left. */
static bool no_ipv6, no_descriptors;
static unsigned accepts;

static int limited_socket(int family, int type, int protocol)
{
    errno = EAFNOSUPPORT;
    return family == AF_INET6 && no_ipv6 ? -1 : socket(family, type, protocol);
}

static int limited_accept(int s, struct sockaddr *address, socklen_t *size, int flags)
{
    accepts++;
    errno = EMFILE;
    return no_descriptors ? -1 : accept4(s, address, size, flags);
}

static double patience = 300;

double tw__wire_patience(void)
{
    return patience;
}

static void pass(int pipe, void *bytes, size_t size)
{
    must(write(way[pipe][1], bytes, size) == (ssize_t)size);
}

static void fetch(int pipe, void *bytes, size_t size)
{
    must(read(way[pipe][0], bytes, size) == (ssize_t)size);
}

static void let_strangers_call(const offer *o)
{
    for (unsigned k = 0; k < play.strangers; k++) /* they stay until the process ends */
        must(call_one(&o->address[0], tw__seconds() + 10) >= 0);
}

tw_status tw__wire_broadcast(tw__wire_site site, unsigned root, void *bytes, size_t size)
{
    (void)site, (void)root;
    if (tw__wire.rank == 0) {
        pass(DOWN, bytes, size);
        if (play.late) fetch(UP, theirs_ahead, 2), has_ahead = true;
        return TW_OK;
    }
    fetch(DOWN, bytes, size);
    let_strangers_call(bytes);
    return TW_OK;
}

tw_status tw__wire_combine(tw__wire_site site, void *bytes, size_t size,
                           void (*combine)(void *mine, const void *theirs))
{
    uint8_t theirs[2];
    (void)site;
    must(size == sizeof theirs);
    if (tw__wire.rank != 0) {
        pass(UP, bytes, size);
        fetch(BACK, bytes, size);
        return TW_OK;
    }
    if (has_ahead)
        memcpy(theirs, theirs_ahead, sizeof theirs);
    else
        fetch(UP, theirs, sizeof theirs);
    combine(bytes, theirs);
    pass(BACK, bytes, size);
    return TW_OK;
}

/* Rank 1, which begins to live with this; the parent is rank 0. `end`: reads a byte when it has to go, and how. */
static pid_t other_end(int end[2], int has[2])
{
    assert_int_equal(pipe(end) | pipe(has), 0);
    for (unsigned k = 0; k < PIPES; k++) assert_int_equal(pipe(way[k]), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    tw__wire.rank = child ? 0 : 1;
    if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails does not tell it to go */
    return child;
}

/* The end of rank 1, when it is told how: 'e' as processes end, 'r' as if its machine knew nothing of the line. */
static _Noreturn void live_until_told(int end[2], int has[2])
{
    const struct linger at_once = { .l_onoff = 1 };
    char how = lines && lines[0] >= 0, told = 'e';
    if (write(has[1], &how, 1) != 1 || read(end[0], &told, 1) != 1) _exit(1);
    if (told == 'r') setsockopt(lines[0], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    _exit(0);
}

typedef struct other {
    pid_t process;
    bool has; /* a line, of its own opinion */
    int end;  /* where it is told to go */
} other;

/* Makes the lines of both; rank 0 comes back. */
static other make_both(void (*before)(void))
{
    static const bool far[2] = { false, true };
    int end[2], has[2];
    char its;
    free(lines), lines = NULL, has_ahead = false;
    other o = { .process = other_end(end, has) };
    if (before) before();
    must(tw__wire_make_lines(far) == TW_OK);
    if (o.process == 0) live_until_told(end, has);
    assert_int_equal(read(has[0], &its, 1), 1);
    for (unsigned k = 0; k < PIPES; k++) close(way[k][0]), close(way[k][1]);
    close(has[0]), close(has[1]), close(end[0]);
    o.has = its, o.end = end[1];
    return o;
}

static void send_away(const other *o, char how)
{
    int status;
    assert_int_equal(write(o->end, &how, 1), 1);
    assert_int_equal(waitpid(o->process, &status, 0), o->process);
    assert_int_equal(status, 0);
    close(o->end);
}

static void leave_line(void)
{
    if (lines && lines[1] >= 0) close(lines[1]);
    free(lines), lines = NULL;
}

/* Neither end alone has one, and who lives is not taken for gone. */
static void both_or_none(const other *o)
{
    assert_int_equal(o->has, lines && lines[1] >= 0);
    assert_false(tw__wire_line_ended(1));
}

static void end_is_seen(void **state)
{
    (void)state;
    other o = make_both(NULL);
    assert_true(o.has);
    both_or_none(&o);
    send_away(&o, 'e');
    assert_true(tw__wire_line_ended(1));
    assert_true(tw__wire_line_ended(1));
    leave_line();
}

/* Reset, as by a system that has given it up: no sign of an end to who waits for ever, now and later. */
static void reset_lines(void **state)
{
    (void)state;
    for (patience = 0; patience <= 300; patience += 300) {
        other o = make_both(NULL);
        assert_true(o.has);
        send_away(&o, 'r');
        assert_int_equal(tw__wire_line_ended(1), patience > 0);
        assert_int_equal(tw__wire_line_ended(1), patience > 0);
        leave_line();
    }
    patience = 0;
    other o = make_both(NULL);
    send_away(&o, 'e');
    assert_true(tw__wire_line_ended(1));
    patience = 300;
    leave_line();
}

/* Its calls are still there, and nobody is at their other end any more. */
static void late_rank_0(void **state)
{
    (void)state;
    play.late = true;
    other o = make_both(NULL);
    play.late = false;
    both_or_none(&o);
    assert_false(o.has);
    send_away(&o, 'e');
    leave_line();
}

static void silent_strangers(void **state)
{
    (void)state;
    play.strangers = 2;
    other o = make_both(NULL);
    play.strangers = 0;
    both_or_none(&o);
    send_away(&o, 'e');
    leave_line();
}

static void on_alarm(int number)
{
    (void)number;
}

static void ring(long us)
{
    const struct itimerval every = { { 0, us }, { 0, us } };
    must(setitimer(ITIMER_REAL, &every, NULL) == 0);
}

/* Rank 0 is disturbed while it waits; rank 1 takes its time. */
static void disturb(void)
{
    signal(SIGALRM, on_alarm);
    if (tw__wire.rank == 0)
        ring(5000);
    else
        usleep(100000);
}

static void signals_do_not_matter(void **state)
{
    (void)state;
    other o = make_both(disturb);
    ring(0);
    both_or_none(&o);
    assert_true(o.has);
    send_away(&o, 'e');
    leave_line();
}

static void without_ipv6(void **state)
{
    (void)state;
    no_ipv6 = true;
    other o = make_both(NULL);
    no_ipv6 = false;
    both_or_none(&o);
    assert_true(o.has);
    send_away(&o, 'e');
    assert_true(tw__wire_line_ended(1));
    leave_line();
}

/* It is tried once. */
static void without_descriptors(void **state)
{
    (void)state;
    no_descriptors = true, accepts = 0;
    other o = make_both(NULL);
    no_descriptors = false;
    both_or_none(&o);
    assert_false(o.has);
    assert_int_equal(accepts, 1);
    send_away(&o, 'e');
    leave_line();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_is_seen),          cmocka_unit_test(reset_lines),
        cmocka_unit_test(late_rank_0),          cmocka_unit_test(silent_strangers),
        cmocka_unit_test(without_ipv6),         cmocka_unit_test(without_descriptors),
        cmocka_unit_test(signals_do_not_matter)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
