// isa_test.c - WEFT_ISA, WEFT_VNNI and WEFT_BF16 lower what runs; where AVX-512 is emulated, all of it is
// there, so that tests that go over what a machine has go over that.
#include "cpu/isa.h"
#include "check.h"

TEST(wishes_lower_the_answer) {
  const int best = weft__cpu_isa();
  for (int i = 0; i <= best; i++) {
    setenv("WEFT_ISA", weft__cpu_isa_name(i), 1);
    CHECK_INT(weft__cpu_isa(), i);
    setenv("WEFT_VNNI", "0", 1), setenv("WEFT_BF16", "0", 1);
    CHECK_INT(weft__cpu_bytes(i), WEFT__BYTES_NONE);
    CHECK(!weft__cpu_bf16(i));
    unsetenv("WEFT_VNNI"), unsetenv("WEFT_BF16");
  }
  unsetenv("WEFT_ISA");
}

#if defined(WEFT_AVX512_EMULATED)
TEST(emulated_sets_are_there) {
  CHECK_INT(weft__cpu_isa(), WEFT__ISA_AVX512);
  CHECK_INT(weft__cpu_bytes(WEFT__ISA_AVX512), WEFT__BYTES_DOT);
  CHECK_INT(weft__cpu_bytes(WEFT__ISA_AVX2), WEFT__BYTES_DOT);
  CHECK(weft__cpu_bf16(WEFT__ISA_AVX512));
}
#endif
