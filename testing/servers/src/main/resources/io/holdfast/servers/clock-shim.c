/*
 * Moves the wall clock of one process: LD_PRELOAD this, name a file of eight bytes in HOLDFAST_CLOCK_FILE, and write a
 * signed number of nanoseconds (little endian) into it, whenever and as often as you like. The monotonic clocks stay.
 *
 * Built with: gcc -O2 -fPIC -shared -nostdlib -fno-stack-protector -fno-asynchronous-unwind-tables -s
 *             -Wl,-z,noseparate-code,--build-id=none -o clock-shim-linux-amd64.so clock-shim.c
 */
typedef long long i64;
struct ts { i64 sec, nsec; };
struct tv { i64 sec, usec; };

static volatile i64 none;
static volatile i64 *offset = &none;

static i64 call6(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
    i64 r;
    register i64 r10 __asm__("r10") = d;
    register i64 r8 __asm__("r8") = e;
    register i64 r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}

/* Constructors of a shared object get argc, argv and envp from glibc. */
__attribute__((constructor)) static void start(int argc, char **argv, char **envp) {
    static const char key[] = "HOLDFAST_CLOCK_FILE=";
    for (; *envp; envp++) {
        int i = 0;
        while (key[i] && (*envp)[i] == key[i]) i++;
        if (!key[i]) {
            i64 fd = call6(2 /* open */, (i64) (*envp + i), 0, 0, 0, 0, 0);
            i64 at = fd < 0 ? -1 : call6(9 /* mmap */, 0, 4096, 1 /* read */, 1 /* shared */, fd, 0);
            if (at > 0) offset = (volatile i64 *) at;
            if (fd >= 0) call6(3 /* close */, fd, 0, 0, 0, 0, 0);
        }
    }
}

int clock_gettime(int clock, struct ts *t) {
    i64 r = call6(228, clock, (i64) t, 0, 0, 0, 0);
    if (r == 0 && (clock == 0 || clock == 5)) {
        i64 all = t->sec * 1000000000LL + t->nsec + *offset;
        t->sec = all / 1000000000LL;
        t->nsec = all % 1000000000LL;
    }
    return r == 0 ? 0 : -1;
}

int gettimeofday(struct tv *t, void *zone) {
    struct ts now;
    (void) zone;
    if (t && clock_gettime(0, &now) == 0) {
        t->sec = now.sec;
        t->usec = now.nsec / 1000;
    }
    return 0;
}

i64 time(i64 *t) {
    struct ts now;
    clock_gettime(0, &now);
    if (t) *t = now.sec;
    return now.sec;
}
