// main.cpp - the headers from C++17.
#include <cstdio>
#include <weft/weft.h>

int main() {
  weft_diag d = {};
  weft_env *env = nullptr;
  if (weft_env_create(nullptr, &env, &d)) return 1;
  const weft_proto *p = weft_find(env, "Conv2D");
  std::printf("Conv2D has %u inputs\n", p ? weft_proto_n_in(p) : 0u);
  weft_env_destroy(env);
  return p ? 0 : 1;
}
