// main.cpp - the C++ header from outside: a graph, compiled and run.
#include <cstdio>
#include <weft/weft.hpp>

int main() try {
  weft::Env env;
  weft::Graph g(env, "g");
  g.output(g.op("Relu", "relu", {g.input("x", WEFT_FLOAT, {-1})}));
  weft::Exec exec(weft::Program::compile(std::move(g)));
  auto out = exec.run(weft::Tensor::copy<float>({3}, {-1, 0, 2}));
  const float *y = out[0].data<float>();
  std::printf("weft %s: relu(-1, 0, 2) = %g, %g, %g\n", weft_version(), y[0], y[1], y[2]);
  return 0;
} catch (const weft::Error &e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
// SPDX-License-Identifier: Apache-2.0
