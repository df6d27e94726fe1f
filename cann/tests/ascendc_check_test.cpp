// Kernels with one mistake each, run in the checked mode: every message names the line and the rule.
#include <cstdlib>
#include <string>
#include <vector>

#include "check.h"
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t kFloats = 64;

// What most kernels begin with: a queue in, a queue out, a buffer, and a global tensor of 64 floats a block.
struct Bench {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<TPosition::VECCALC> buffer;
  GlobalTensor<float> x, y;
  Bench(float *from, float *to) {
    pipe.InitBuffer(in, 1, kFloats * 4);
    pipe.InitBuffer(out, 1, kFloats * 4);
    pipe.InitBuffer(buffer, kFloats * 4);
    x.SetGlobalBuffer(from + GetBlockIdx() * kFloats, kFloats);
    y.SetGlobalBuffer(to + GetBlockIdx() * kFloats, kFloats);
  }
  LocalTensor<float> Loaded() {
    LocalTensor<float> t = in.AllocTensor<float>();
    DataCopy(t, x, kFloats);
    in.EnQue(t);
    return in.DeQue<float>();
  }
};

using Body = void (*)(float *x, float *y);
struct Wrong {
  const char *name;
  const char *says;  // nullptr: nothing is wrong
  int first;
  Body body;
  int last;
};
const Wrong kWrong[] = {
    {"none", nullptr, __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.Loaded();
       LocalTensor<float> r = b.out.AllocTensor<float>();
       Adds(r, t, 1.0f, kFloats);
       b.in.FreeTensor(t);
       b.out.EnQue(r);
       r = b.out.DeQue<float>();
       DataCopy(b.y, r, kFloats);
       b.out.FreeTensor(r);
     },
     __LINE__},
    {"mutexes between pipes", nullptr, __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       const MutexID id = AllocMutexID(), other = b.pipe.AllocMutexID();
       LocalTensor<float> t = b.buffer.Get<float>();
       for (int i = 0; i < 3; i++) {
         Mutex::Lock<PIPE_MTE2>(id);
         DataCopy(t, b.x, kFloats);
         Mutex::Unlock<PIPE_MTE2>(id);
         Mutex::Lock<PIPE_V>(id);
         Adds(t, t, 1.0f, kFloats);
         Mutex::Unlock<PIPE_V>(id);
         Mutex::Lock<PIPE_MTE3>(id);
         DataCopy(b.y, t, kFloats);
         Mutex::Unlock<PIPE_MTE3>(id);
       }
       b.pipe.ReleaseMutexID(other);
       ReleaseMutexID(id);
     },
     __LINE__},
    {"a mutex that another pipe has not unlocked", "V reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       const MutexID id = AllocMutexID();
       LocalTensor<float> t = b.buffer.Get<float>();
       Mutex::Lock<PIPE_MTE2>(id);
       DataCopy(t, b.x, kFloats);
       Mutex::Lock<PIPE_V>(id);
       Adds(t, t, 1.0f, kFloats);
     },
     __LINE__},
    {"a mutex given back twice", "was not taken by AllocMutexID", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       const MutexID id = AllocMutexID();
       ReleaseMutexID(id);
       ReleaseMutexID(id);
     },
     __LINE__},
    {"vector reads before the copy in is done", "V reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       DataCopy(t, b.x, kFloats);
       Adds(t, t, 1.0f, kFloats);
     },
     __LINE__},
    {"copy out before the vector is done", "MTE3 reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       Duplicate(t, 1.0f, kFloats);
       DataCopy(b.y, t, kFloats);
     },
     __LINE__},
    {"copy in over what the vector still reads", "MTE2 writes", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.Loaded();
       LocalTensor<float> r = b.buffer.Get<float>();
       Adds(r, t, 1.0f, kFloats);
       DataCopy(t, b.x, kFloats);
     },
     __LINE__},
    {"scalar reads before the vector is done", "S reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       Duplicate(t, 1.0f, kFloats);
       y[0] = t.GetValue(0);
     },
     __LINE__},
    {"vector reads what the scalar wrote", "V reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       for (uint32_t i = 0; i < kFloats; i++)
         t.SetValue(i, 1.0f);
       Adds(t, t, 1.0f, kFloats);
     },
     __LINE__},
    {"the flag of other pipes", "MTE3 reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       Duplicate(t, 1.0f, kFloats);
       SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
       WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
       DataCopy(b.y, t, kFloats);
     },
     __LINE__},
    {"the flag before the work", "MTE3 reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
       Duplicate(t, 1.0f, kFloats);
       WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
       DataCopy(b.y, t, kFloats);
     },
     __LINE__},
    {"wait without set", "was not set", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
     },
     __LINE__},
    {"set twice", "is set already", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
       SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
     },
     __LINE__},
    {"set for ever", "nobody waited", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
     },
     __LINE__},
    {"wait for another id", "was not set", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
       WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
     },
     __LINE__},
    {"an id that there is not", "ids are 0 to 7", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       SetFlag<HardEvent::MTE2_V>(8);
     },
     __LINE__},
    {"DeQue of nothing", "nothing was put", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       b.in.DeQue<float>();
     },
     __LINE__},
    {"EnQue of nothing", "is free; AllocTensor comes first", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       b.in.FreeTensor(t);
       b.in.EnQue(t);
     },
     __LINE__},
    {"EnQue twice", "put into the queue by EnQue; AllocTensor", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       b.in.EnQue(t);
       b.in.EnQue(t);
     },
     __LINE__},
    {"AllocTensor twice", "none of the queue's 1 buffers is free", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       b.in.AllocTensor<float>();
       b.in.AllocTensor<float>();
     },
     __LINE__},
    {"FreeTensor twice", "free already", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       b.in.FreeTensor(t);
       b.in.FreeTensor(t);
     },
     __LINE__},
    {"FreeTensor of another queue's", "none of this queue's buffers", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       b.out.FreeTensor(t);
     },
     __LINE__},
    {"used after FreeTensor", "given back by FreeTensor", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.Loaded();
       b.in.FreeTensor(t);
       Adds(t, t, 1.0f, kFloats);
     },
     __LINE__},
    {"used while it is in the queue", "put into its queue by EnQue", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       DataCopy(t, b.x, kFloats);
       b.in.EnQue(t);
       Adds(t, t, 1.0f, kFloats);
     },
     __LINE__},
    {"a queue without buffers", "has no buffers", __LINE__,
     [](float *x, float *y) {
       TPipe pipe;
       TQue<TPosition::VECIN, 1> queue;
       queue.AllocTensor<float>();
       (void)x;
       (void)y;
     },
     __LINE__},
    {"a TBuf without memory", "InitBuffer gives it some", __LINE__,
     [](float *x, float *y) {
       TPipe pipe;
       TBuf<TPosition::VECCALC> buffer;
       buffer.Get<float>(8);
       (void)x;
       (void)y;
     },
     __LINE__},
    {"more than UB", "more than UB has", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       TBuf<TPosition::VECCALC> large;
       b.pipe.InitBuffer(large, 192 * 1024);
     },
     __LINE__},
    {"more than 64 buffers", "at most 64 buffers", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       TBuf<TPosition::VECCALC> small[64];
       for (TBuf<TPosition::VECCALC> &s : small)
         b.pipe.InitBuffer(s, 32);
     },
     __LINE__},
    {"a buffer and more", "from byte 0 of a buffer that has 256", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       Duplicate(t, 1.0f, kFloats + 8);
     },
     __LINE__},
    {"the copy in is longer than the buffer", "from byte 0 of a buffer that has 256", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       GlobalTensor<float> all;
       all.SetGlobalBuffer(x);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       DataCopy(t, all, kFloats + 8);
     },
     __LINE__},
    {"reads beyond the global tensor", "of a GlobalTensor that has", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       DataCopy(t, b.x[8], kFloats);
     },
     __LINE__},
    {"writes beyond the global tensor", "of a GlobalTensor that has", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.Loaded();
       SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       DataCopy(b.y[32], t, kFloats);
     },
     __LINE__},
    {"a scalar beyond the global tensor", "element 64 of a GlobalTensor that has 64", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       b.y.SetValue(kFloats, 1.0f);
     },
     __LINE__},
    {"misaligned vector", "a multiple of 32 bytes", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       Duplicate(t[1], 1.0f, 8);
     },
     __LINE__},
    {"misaligned copy", "a multiple of 32 bytes", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       DataCopy(t[4], b.x, 8);
     },
     __LINE__},
    {"copy of half a block", "a multiple of 32", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       DataCopy(t, b.x, 5);
     },
     __LINE__},
    {"copies out what nobody wrote", "nobody wrote", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.out.AllocTensor<float>();
       b.out.EnQue(t);
       t = b.out.DeQue<float>();
       DataCopy(b.y, t, kFloats);
     },
     __LINE__},
    {"copies out what was made of nothing", "nobody wrote", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       LocalTensor<float> r = b.out.AllocTensor<float>();
       Duplicate(t, 1.0f, kFloats / 2);
       Adds(r, t, 1.0f, kFloats);
       b.out.EnQue(r);
       r = b.out.DeQue<float>();
       DataCopy(b.y, r, kFloats);
     },
     __LINE__},
    {"a scalar that nobody wrote", "nobody wrote", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.buffer.Get<float>();
       y[0] = t.GetValue(3);
     },
     __LINE__},
    {"all blocks write the same", "meet in global memory", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       GlobalTensor<float> all;
       all.SetGlobalBuffer(y, kFloats);
       LocalTensor<float> t = b.Loaded();
       SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       DataCopy(all, t, kFloats);
     },
     __LINE__},
    {"reads what another block writes", "meet in global memory", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       GlobalTensor<float> first;
       first.SetGlobalBuffer(y, kFloats);
       LocalTensor<float> t = b.in.AllocTensor<float>();
       DataCopy(t, first, kFloats);
       SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       DataCopy(b.y, t, kFloats);
     },
     __LINE__},
    {"reads back what it has not yet written", "MTE2 reads", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       LocalTensor<float> t = b.Loaded();
       SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
       DataCopy(b.y, t, kFloats);
       LocalTensor<float> r = b.out.AllocTensor<float>();
       DataCopy(r, b.y, kFloats);
     },
     __LINE__},
    {"one block does not come to the barrier", "waits for ever", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       if (GetBlockIdx() == 0)
         return;
       SyncAll();
     },
     __LINE__},
    {"a flag between cores that nobody sets", "waits for ever", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       CrossCoreWaitFlag(3);
     },
     __LINE__},
    {"an assertion", "assertion failed: GetBlockNum() == 1", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       ascendc_assert(GetBlockNum() == 1);
     },
     __LINE__},
    {"an assertion that says more", "assertion failed: x[1] > 0: block 0 has 7 of 2", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       x[1] = -1;
       ascendc_assert(x[1] > 0, "block %d has %u of 2\n", static_cast<int>(GetBlockIdx()), 7u);
     },
     __LINE__},
    {"an event taken nine times", "no event from MTE2 to V is free", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       for (int i = 0; i < 9; i++)
         b.pipe.AllocEventID<HardEvent::MTE2_V>();
     },
     __LINE__},
    {"an event given back twice", "was not taken by AllocEventID", __LINE__,
     [](float *x, float *y) {
       Bench b(x, y);
       const TEventID id = b.pipe.AllocEventID<HardEvent::MTE2_V>();
       b.pipe.ReleaseEventID<HardEvent::MTE2_V>(id);
       b.pipe.ReleaseEventID<HardEvent::MTE2_V>(id);
     },
     __LINE__},
};

const Wrong *g_wrong;
void run_wrong(float *x, float *y) {
  g_wrong->body(x, y);
}

// The line that a message begins with.
int LineOf(const std::string &message) {
  const size_t colon = message.find(".cpp:");
  return colon == std::string::npos ? 0 : atoi(message.c_str() + colon + 5);
}
}  // namespace

TEST(PlantedMistakes) {
  CHECK_EQ(sizeof kWrong / sizeof *kWrong >= 41, true);  // forty, and one without a mistake
  const char *before = getenv("WEFT_ASC_CHECK");
  const std::string kept = before ? before : "0";
  setenv("WEFT_ASC_CHECK", "1", 1);
  for (size_t i = 0; i < sizeof kWrong / sizeof *kWrong; i++) {
    const Wrong &w = kWrong[i];
    std::vector<float> x(kFloats * 4 + 64, 1.0f);
    std::vector<float> y(x.size());
    g_wrong = &w;
    const int rc =
        weft_asc::call("wrong", __FILE__, __LINE__, run_wrong, 2, nullptr, nullptr)(x.data(), y.data());
    const std::string message = rc ? weft_asc_error() : "";
    const bool found = w.says ? message.find(w.says) != std::string::npos : rc == 0;
    if (!found)
      std::cerr << w.name << ": " << (rc ? message : "no message") << "\n";
    CHECK_EQ(found, true);
    // Within the kernel's own lines.
    const bool near = !w.says || (LineOf(message) >= w.first && LineOf(message) <= w.last);
    if (!near)
      std::cerr << w.name << ": " << message << "\n";
    CHECK_EQ(near, true);
    if (getenv("WEFT_SHOW"))
      std::cout << "-- " << w.name << "\n" << message << "\n";
  }
  setenv("WEFT_ASC_CHECK", kept.c_str(), 1);
}
// SPDX-License-Identifier: Apache-2.0
