"""The system calls that an untrusted program may make, as a filter for seccomp(2).

The filter is a list of what is allowed, as in container runtimes, so a call that nobody thought of
is refused.  Its names are those of the default profile of Docker that Python, numpy, Numba and
threads were seen to use (by strace), and calls that can do no more than one of these.

Sources: the default profile of Docker, github.com/moby/moby/blob/master/profiles/seccomp/
default.json (names); the manual page seccomp(2); include/uapi/linux/filter.h; the numbers are those
of asm/unistd_64.h (x86_64) and asm-generic/unistd.h (aarch64).
"""

import errno
import struct
from typing import NamedTuple

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000  # what a filter returns
LOAD, AND, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # its instructions
INSTRUCTION_BYTES = 8
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in the data that a filter sees
_ALL_BITS = 0xFFFFFFFF

# Calls from this number on came with Linux 5.1 or later.  They are answered as an older kernel
# would answer them, because the C library then uses another call, such as clone for clone3.
FIRST_NEW_NUMBER = 424

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# A name, its number on x86_64, and its number on aarch64; "-" if an architecture lacks it.
_ALLOWED_CALLS = """
    read 0 63; write 1 64; readv 19 65; writev 20 66; pread64 17 67; pwrite64 18 68;
    preadv 295 69; pwritev 296 70; preadv2 327 286; pwritev2 328 287; lseek 8 62; close 3 57;
    close_range 436 436; dup 32 23; dup2 33 -; dup3 292 24; pipe 22 -; pipe2 293 59;
    sendfile 40 71; copy_file_range 326 285;

    open 2 -; openat 257 56; creat 85 -; stat 4 -; fstat 5 80; lstat 6 -; newfstatat 262 79;
    statx 332 291; access 21 -; faccessat 269 48; faccessat2 439 439; getdents 78 -;
    getdents64 217 61; getcwd 79 17; chdir 80 49; fchdir 81 50; readlink 89 -; readlinkat 267 78;
    rename 82 -; renameat 264 38; renameat2 316 276; mkdir 83 -; mkdirat 258 34; rmdir 84 -;
    unlink 87 -; unlinkat 263 35; symlink 88 -; symlinkat 266 36; ftruncate 77 46;
    fallocate 285 47; fsync 74 82; fdatasync 75 83; flock 73 32; umask 95 166; fadvise64 221 223;
    statfs 137 43; fstatfs 138 44;

    poll 7 -; ppoll 271 73; select 23 -; pselect6 270 72; epoll_create1 291 20; epoll_ctl 233 21;
    epoll_wait 232 -; epoll_pwait 281 22; eventfd2 290 19; recvfrom 45 207; getsockname 51 204;
    getpeername 52 205; getsockopt 55 209;

    mmap 9 222; munmap 11 215; mprotect 10 226; mremap 25 216; madvise 28 233; msync 26 227;
    brk 12 214; futex 202 98; set_tid_address 218 96; set_robust_list 273 99; rseq 334 293;
    sched_yield 24 124; exit 60 93; exit_group 231 94;

    rt_sigaction 13 134; rt_sigprocmask 14 135; rt_sigreturn 15 139; rt_sigpending 127 136;
    rt_sigsuspend 130 133; rt_sigtimedwait 128 137; sigaltstack 131 132; restart_syscall 219 128;
    alarm 37 -; getitimer 36 102; setitimer 38 103; pause 34 -;

    clock_gettime 228 113; clock_getres 229 114; clock_nanosleep 230 115; nanosleep 35 101;
    gettimeofday 96 169; time 201 -; times 100 153; getrusage 98 165; getrandom 318 278;
    getpid 39 172; gettid 186 178; getppid 110 173; getuid 102 174; geteuid 107 175; getgid 104 176;
    getegid 108 177; getresuid 118 148; getresgid 120 150; getgroups 115 158; getpgrp 111 -;
    getpgid 121 155; getsid 124 156; getpriority 140 141; uname 63 160; sysinfo 99 179;
    getcpu 309 168; sched_getaffinity 204 123; sched_getparam 143 121; sched_getscheduler 145 120;
    sched_get_priority_max 146 125; sched_get_priority_min 147 126;
"""
_CONDITIONAL_CALLS = """
    clone 56 220; fcntl 72 25; ioctl 16 29; prctl 157 167; prlimit64 302 261; kill 62 129;
    tgkill 234 131; socketpair 53 199; sendto 44 206;
"""

_THREAD = 0x10000  # of the flags of clone: the new task is a thread of this process
# Of these flags, CLONE_VM to CLONE_SIGHAND and CLONE_SYSVSEM say what it shares, and CLONE_SETTLS
# to CLONE_DETACHED and CLONE_CHILD_SETTID where its data are.  The others make new namespaces,
# trace the task, or give it another parent.
_THREAD_FLAGS = _THREAD | 0x017C0F00
# Copy a file, flags, and locks; not who gets a signal (F_SETOWN, F_SETSIG), nor leases.
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030)
# Whether it is a terminal, and how large; bytes to read; flags: TCGETS, TIOCGWINSZ, FIONREAD,
# FIONBIO, FIONCLEX, FIOCLEX.  Not who gets a signal (FIOSETOWN, SIOCSPGRP), nor typing (TIOCSTI).
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_PRCTL = (15, 16, 0x53564D41)  # PR_SET_NAME and PR_GET_NAME of a thread, PR_SET_VMA of memory
_UNIX, _STREAM, _SOCKET_TYPE = 1, 1, 0xF


class Condition(NamedTuple):
    """The bits in `mask` of half an argument must be one of `values`.

    Halves are counted from 0: the lower 32 bits of the first argument, its upper 32 bits, the
    lower 32 bits of the second one, and so on.  The kernel ignores the upper half of an int.
    """

    half: int
    values: tuple[int, ...]
    mask: int = _ALL_BITS


def conditions(pid: int) -> dict[str, tuple[Condition, ...]]:
    """Return the conditions of the calls that are allowed with some arguments only.

    pid  the id of this process, the only one that it may name
    """
    return {
        "clone": (
            Condition(0, (0,), _ALL_BITS ^ _THREAD_FLAGS),
            Condition(0, (_THREAD,), _THREAD),
        ),
        "fcntl": (Condition(2, _FCNTL),),
        "ioctl": (Condition(2, _IOCTL),),
        "prctl": (Condition(0, _PRCTL),),
        "prlimit64": (Condition(0, (0, pid)),),
        "kill": (Condition(0, (pid,)),),
        "tgkill": (Condition(0, (pid,)),),
        # Its two ends are connected to each other for good, unlike those of datagrams, which can
        # be sent to any socket with a name.
        "socketpair": (Condition(0, (_UNIX,)), Condition(2, (_STREAM,), _SOCKET_TYPE)),
        "sendto": (Condition(8, (0,)), Condition(9, (0,))),  # without an address: `send`
    }


def numbers(table: str, machine: str) -> dict[str, int]:
    """Return name -> number of the calls in a table that an architecture has."""
    column = 1 + [*ARCHITECTURES].index(machine)
    rows = [entry.split() for entry in table.split(";") if entry.strip()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def allowed_numbers(machine: str) -> dict[str, int]:
    """Return name -> number of all calls that are allowed, some with conditions."""
    return numbers(_ALLOWED_CALLS + _CONDITIONAL_CALLS, machine)


def filter_program(machine: str, pid: int) -> bytes:
    """Return the instructions of the filter, each of `INSTRUCTION_BYTES`.

    machine  a key of `ARCHITECTURES`
    pid      the id of the process that is to be filtered
    """
    allow = _instruction(RETURN, ALLOW)
    lines = [
        _instruction(LOAD, _ARCHITECTURE),
        _instruction(IF_EQUAL, ARCHITECTURES[machine], 1, 0),
        # The numbers of another architecture, such as those of 32 bits, mean other calls.
        _instruction(RETURN, KILL),
        _instruction(LOAD, _NUMBER),
    ]
    for number in numbers(_ALLOWED_CALLS, machine).values():
        lines += [_instruction(IF_EQUAL, number, 0, 1), allow]
    conditional = numbers(_CONDITIONAL_CALLS, machine)
    for name, needed in conditions(pid).items():
        block = [line for condition in needed for line in _check(condition)] + [allow]
        lines += [_instruction(IF_EQUAL, conditional[name], 0, len(block)), *block]
    lines += [
        _instruction(IF_AT_LEAST, FIRST_NEW_NUMBER, 0, 1),
        _instruction(RETURN, ERROR | errno.ENOSYS),
        _instruction(RETURN, ERROR | errno.EPERM),
    ]
    return b"".join(lines)


def _check(condition: Condition) -> list[bytes]:
    """Return instructions that refuse the call if a condition is not met."""
    return [
        _instruction(LOAD, _ARGUMENTS + 4 * condition.half),
        _instruction(AND, condition.mask),
        *(
            _instruction(IF_EQUAL, value, if_true=len(condition.values) - index)
            for index, value in enumerate(condition.values)
        ),
        _instruction(RETURN, ERROR | errno.EPERM),
    ]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return an instruction; `if_true` and `if_false` are numbers of instructions to skip."""
    return struct.pack("HBBI", code, if_true, if_false, value)
