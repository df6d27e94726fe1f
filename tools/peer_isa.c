// peer_isa.c - lets a library see a processor with AVX2 and nothing wider. Loaded before a copy of the
// library in which tools/peer_isa.py has replaced every `cpuid` by the bytes 37 37, which are no instruction
// in 64-bit mode and which no compiler writes. The SIGILL they raise is answered here as the processor would
// have answered, without what `weft --isa avx2` does not use either: AVX-512 in all its parts, AVX10, AMX,
// and the VEX forms that came after AVX2 (but AVX-VNNI, which weft's AVX2 kernels use where it is there). Any
// other SIGILL ends the process as ever.
//
// It also proves itself: while peer_isa_watch is on, a timer of the process's CPU time counts how many of the
// instructions that it interrupts work on 512 bits.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // REG_RIP
#endif
#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define EXPORT __attribute__((visibility("default")))
enum { MARK = 0x37, WATCH_US = 1000 };
typedef struct reply {
  unsigned a, b, c, d;
} reply;

static struct sigaction former;
static long asked, seen, wide;  // answers of leaf 7; instructions looked at, those of 512 bits

#define BIT(n) (1u << (n))

static reply answer(unsigned leaf, unsigned sub) {
  // Bits of leaf 7: AVX512 F DQ IFMA PF ER CD BW VL; VBMI VBMI2 VNNI BITALG VPOPCNTDQ; 4VNNIW 4FMAPS
  // VP2INTERSECT, AMX-BF16, FP16, AMX-TILE AMX-INT8. Of its second page: AVX512_BF16 AMX-FP16 AVX-IFMA;
  // AVX-VNNI-INT8 AVX-NE-CONVERT AMX-COMPLEX AVX-VNNI-INT16 AVX10.
  static const unsigned b0 = BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31);
  static const unsigned c0 = BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14);
  static const unsigned d0 = BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25);
  static const unsigned a1 = BIT(5) | BIT(21) | BIT(23);
  static const unsigned d1 = BIT(4) | BIT(5) | BIT(8) | BIT(10) | BIT(19);
  // State that the system saves: mask registers, upper halves, registers 16 to 31; AMX's tiles.
  static const unsigned states = BIT(5) | BIT(6) | BIT(7) | BIT(17) | BIT(18);
  reply r;
  __cpuid_count(leaf, sub, r.a, r.b, r.c, r.d);
  if (leaf == 7 && sub == 0) {
    r.b &= ~b0;
    r.c &= ~c0;
    r.d &= ~d0;
    __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
  }
  if (leaf == 7 && sub == 1) {
    r.a &= ~a1;
    r.d &= ~d1;
  }
  if (leaf == 0xd && sub == 0)
    r.a &= ~states;
  if ((leaf == 0xd && sub > 1 && sub < 32 && (states >> sub & 1)) || leaf == 0x1d || leaf == 0x1e ||
      leaf == 0x24)
    r = (reply){0};  // of AMX's palettes and products, of AVX10
  return r;
}

static void on_illegal(int number, siginfo_t *info, void *context) {
  greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned char *at = (const unsigned char *)regs[REG_RIP];
  (void)number;
  if (info->si_code <= 0 || at[0] != MARK ||
      at[1] != MARK) {  // sent by somebody, or a true fault: as without us
    sigaction(SIGILL, &former, NULL);
    if (info->si_code <= 0)
      raise(SIGILL);
    return;
  }
  reply r = answer((unsigned)regs[REG_RAX], (unsigned)regs[REG_RCX]);
  regs[REG_RAX] = r.a;
  regs[REG_RBX] = r.b;
  regs[REG_RCX] = r.c;
  regs[REG_RDX] = r.d;
  regs[REG_RIP] += 2;
}

// EVEX instructions begin with 62; bits 5 and 6 of their fourth byte say how wide they are.
static void on_tick(int number, siginfo_t *info, void *context) {
  const unsigned char *at = (const unsigned char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  (void)number;
  (void)info;
  __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
  if (at[0] == 0x62 && (at[3] >> 5 & 3) == 2)
    __atomic_add_fetch(&wide, 1, __ATOMIC_RELAXED);
}

// From here on the marks are answered; 0: it could be arranged.
EXPORT int peer_isa_begin(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_sigaction = on_illegal;
  a.sa_flags = SA_SIGINFO | SA_NODEFER;
  return sigaction(SIGILL, &a, &former);
}

// How often somebody asked for the instruction sets and did not see all of them.
EXPORT long peer_isa_asked(void) {
  return __atomic_load_n(&asked, __ATOMIC_RELAXED);
}

EXPORT int peer_isa_watch(int on) {
  struct sigaction a;
  struct itimerval every = {{0, on ? WATCH_US : 0}, {0, on ? WATCH_US : 0}};
  memset(&a, 0, sizeof a);
  a.sa_sigaction = on_tick;
  a.sa_flags = SA_SIGINFO | SA_RESTART;
  if (on)
    seen = wide = 0;
  return (on ? sigaction(SIGPROF, &a, NULL) : 0) | setitimer(ITIMER_PROF, &every, NULL);
}

EXPORT long peer_isa_seen(void) {
  return __atomic_load_n(&seen, __ATOMIC_RELAXED);
}

EXPORT long peer_isa_wide(void) {
  return __atomic_load_n(&wide, __ATOMIC_RELAXED);
}
// SPDX-License-Identifier: Apache-2.0
