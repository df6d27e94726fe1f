// weft_cann/asc_queue.h - TPipe, TQue, TBuf: how a kernel shares out the memory of its core. Queues count on
// program order: a buffer that is taken twice, or a queue that is empty, ends the launch with a message where
// a device would wait for ever.
#pragma once
#include "weft_cann/asc_tensor.h"

namespace AscendC {
using TBufHandle = uint8_t *;
enum class TBufState : uint8_t { FREE, OCCUPIED, ENQUE, DEQUE };
struct TBuffAddr {
  uint32_t dataLen = 0;
  uint32_t bufferAddr = 0;
  TBufHandle bufferHandle = nullptr;
  uint8_t logicPos = 0;
  uint8_t *absAddr = nullptr;
};

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  static constexpr TPosition kPosition = dst == TPosition::GM || dst == TPosition::MAX ? src : dst;
  TQueBind() {
    queue_ = {};
    queue_.region = static_cast<uint8_t>(weft_asc::RegionOf(src == TPosition::GM ? dst : src));
    queue_.source = static_cast<uint8_t>(weft_asc::FilledBy(src == TPosition::GM ? dst : src));
    queue_.target = static_cast<uint8_t>(weft_asc::EmptiedBy(dst == TPosition::GM ? src : dst));
  }
  template <typename T>
  LocalTensor<T> AllocTensor(weft_asc_at at = weft_asc::Here()) {
    return TensorOf<T>(weft_asc_queue_alloc(&queue_, at));
  }
  template <typename T>
  void AllocTensor(LocalTensor<T> &tensor, weft_asc_at at = weft_asc::Here()) {
    tensor = AllocTensor<T>(at);
  }
  template <typename T>
  void FreeTensor(const LocalTensor<T> &tensor, weft_asc_at at = weft_asc::Here()) {
    weft_asc_queue_free(&queue_, tensor.Data(), at);
  }
  template <typename T>
  bool EnQue(const LocalTensor<T> &tensor, weft_asc_at at = weft_asc::Here()) {
    weft_asc_queue_put(&queue_, tensor.Data(), at);
    return true;
  }
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  bool EnQue(const LocalTensor<T> &tensor, weft_asc_at at = weft_asc::Here()) {
    return EnQue(tensor, at);
  }
  bool EnQue(TBufHandle buf, weft_asc_at at = weft_asc::Here()) {
    weft_asc_queue_put(&queue_, buf, at);
    return true;
  }
  template <typename T>
  LocalTensor<T> DeQue(weft_asc_at at = weft_asc::Here()) {
    return TensorOf<T>(weft_asc_queue_take(&queue_, at));
  }
  template <typename T>
  void DeQue(LocalTensor<T> &tensor, weft_asc_at at = weft_asc::Here()) {
    tensor = DeQue<T>(at);
  }
  template <TPosition srcUserPos, TPosition dstUserPos, typename T>
  LocalTensor<T> DeQue(weft_asc_at at = weft_asc::Here()) {
    return DeQue<T>(at);
  }
  TBufHandle DeQue(weft_asc_at at = weft_asc::Here()) {
    const weft_asc_buffer *b = weft_asc_queue_take(&queue_, at);
    return b ? b->at : nullptr;
  }
  void FreeBuffer(TBufHandle buf, weft_asc_at at = weft_asc::Here()) {
    weft_asc_queue_free(&queue_, buf, at);
  }
  TBuffAddr GetBufferAddr(TBufHandle buf) {
    TBuffAddr address;
    weft_asc_pointers();
    address.bufferHandle = address.absAddr = buf;
    return address;
  }
  bool HasTensorInQue() { return queue_.waiting > 0; }
  bool VacantInQue() { return queue_.waiting < queue_.count; }
  int32_t GetTensorCountInQue() { return queue_.waiting; }
  bool HasIdleBuffer() {
    const weft_asc_core *core = weft_asc_current();
    for (uint32_t i = 0; core && i < queue_.count; i++) {
      if (core->buffers[queue_.first + i].state == WEFT_ASC_FREE)
        return true;
    }
    return false;
  }
  void FreeAllEvent() {}
  weft_asc_queue *Queue() { return &queue_; }

 private:
  template <typename T>
  static LocalTensor<T> TensorOf(const weft_asc_buffer *b) {
    return b ? LocalTensor<T>(b->at, static_cast<uint32_t>(b->bytes / sizeof(T)), kPosition)
             : LocalTensor<T>();
  }
  weft_asc_queue queue_;
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<pos, pos, depth, mask> {};
template <TPosition pos, int32_t depth = 1, auto mask = 0>
using TSCM = TQueBind<pos, TPosition::TSCM, depth, mask>;

template <TPosition pos = TPosition::LCM>
class TBuf {
 public:
  template <typename T>
  LocalTensor<T> Get() {
    return Get<T>(buffer_.bytes / static_cast<uint32_t>(sizeof(T)));
  }
  // `len` elements.
  template <typename T>
  LocalTensor<T> Get(uint32_t len, weft_asc_at at = weft_asc::Here()) {
    return GetWithOffset<T>(len, 0, at);
  }
  template <typename T>
  LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset, weft_asc_at at = weft_asc::Here()) {
    if (uint64_t{size} * sizeof(T) + bufOffset > (uint64_t{buffer_.bytes} + 31) / 32 * 32)
      weft_asc_fail(at, "TBuf: %u elements of %zu bytes from byte %u on, and it has %u bytes%s", size,
                    sizeof(T), bufOffset, buffer_.bytes,
                    buffer_.at ? "" : "; TPipe::InitBuffer gives it some");
    return LocalTensor<T>(buffer_.at + bufOffset, size, pos);
  }
  template <typename T>
  void EnQue(const LocalTensor<T> &) {}
  template <typename T>
  LocalTensor<T> DeQue() {
    return Get<T>();
  }
  template <typename T>
  LocalTensor<T> AllocTensor() {
    return Get<T>();
  }
  template <typename T>
  void FreeTensor(LocalTensor<T> &) {}
  void SetBuffer(const weft_asc_buffer &b) { buffer_ = b; }

 private:
  weft_asc_buffer buffer_ = {};
};

template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool;

class TPipe {
 public:
  TPipe() { Init(); }
  ~TPipe() noexcept { Destroy(); }
  // A copy, as kernels keep one of what they are given, has nothing of its own: buffers are the core's.
  TPipe(const TPipe &) = default;
  TPipe &operator=(const TPipe &) = default;
  void Init() {
    weft_asc_core *core = weft_asc_current();
    if (!core)
      return;
    if (!core->pipe)
      weft_asc_pipe_reset(false, weft_asc::Here());
    core->pipe = this;
  }
  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask> &que, uint8_t num, uint32_t len,
                  weft_asc_at at = weft_asc::Here()) {
    weft_asc_queue_init(que.Queue(), num, len, at);
    return true;
  }
  template <TPosition pos>
  bool InitBuffer(TBuf<pos> &buf, uint32_t len, weft_asc_at at = weft_asc::Here()) {
    buf.SetBuffer(*weft_asc_buffer_init(weft_asc::RegionOf(pos), len, at));
    return true;
  }
  template <typename T>
  bool InitBufPool(T &pool, uint32_t len, weft_asc_at at = weft_asc::Here()) {
    pool.SetBuffer(*weft_asc_buffer_init(T::kRegion, len, at));
    return true;
  }
  template <typename T, typename U>
  bool InitBufPool(T &pool, uint32_t len, U &shareBuf, weft_asc_at = weft_asc::Here()) {
    pool.SetBuffer(shareBuf.Buffer());
    (void)len;
    return true;
  }
  template <HardEvent evt>
  TEventID AllocEventID(weft_asc_at at = weft_asc::Here());
  template <HardEvent evt>
  void ReleaseEventID(TEventID id, weft_asc_at at = weft_asc::Here());
  template <HardEvent evt>
  TEventID FetchEventID(weft_asc_at at = weft_asc::Here());
  TEventID FetchEventID(HardEvent evt, weft_asc_at at = weft_asc::Here());
  template <TPosition pos, typename T>
  LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size, weft_asc_at at = weft_asc::Here()) const {
    return LocalTensor<T>(pos, static_cast<uint32_t>(offset), static_cast<uint32_t>(size), at);
  }
  MutexID AllocMutexID(weft_asc_at at = weft_asc::Here());
  void ReleaseMutexID(MutexID id, weft_asc_at at = weft_asc::Here());
  void Destroy() {
    const weft_asc_core *core = weft_asc_current();
    if (core && core->pipe == this)
      weft_asc_pipe_reset(true, weft_asc::Here());
  }
  void DestroyWithoutPipeAll() { Destroy(); }
  void Reset() { weft_asc_pipe_reset(false, weft_asc::Here()); }

 private:
};

// A part of a pipe's memory, of which other queues and buffers are made.
template <TPosition pos, uint32_t bufIDSize>
class TBufPool {
 public:
  static constexpr int kRegion = weft_asc::RegionOf(pos);
  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  bool InitBuffer(TQueBind<src, dst, depth, mask> &que, uint8_t num, uint32_t len,
                  weft_asc_at at = weft_asc::Here()) {
    InPool([&] { weft_asc_queue_init(que.Queue(), num, len, at); }, at);
    return true;
  }
  template <TPosition bufPos>
  bool InitBuffer(TBuf<bufPos> &buf, uint32_t len, weft_asc_at at = weft_asc::Here()) {
    InPool([&] { buf.SetBuffer(*weft_asc_buffer_init(kRegion, len, at)); }, at);
    return true;
  }
  template <typename T>
  bool InitBufPool(T &pool, uint32_t len, weft_asc_at at = weft_asc::Here()) {
    InPool([&] { pool.SetBuffer(*weft_asc_buffer_init(kRegion, len, at)); }, at);
    return true;
  }
  template <typename T, typename U>
  bool InitBufPool(T &pool, uint32_t, U &shareBuf) {
    pool.SetBuffer(shareBuf.Buffer());
    return true;
  }
  void Reset() { used_ = 0; }
  void SetBuffer(const weft_asc_buffer &b) {
    buffer_ = b;
    used_ = 0;
  }
  const weft_asc_buffer &Buffer() const { return buffer_; }

 private:
  // What is made lies in the pool: the pipe's own mark is moved there and back.
  template <typename Make>
  void InPool(Make make, weft_asc_at at) {
    weft_asc_core *core = weft_asc_current();
    if (!core)
      return;
    const uint32_t mark = core->used[kRegion];
    const uint32_t first = static_cast<uint32_t>(buffer_.at - core->memory[kRegion]);
    core->used[kRegion] = first + used_;
    make();
    used_ = core->used[kRegion] - first;
    core->used[kRegion] = mark;
    if (used_ > buffer_.bytes)
      weft_asc_fail(at, "TBufPool: %u bytes of buffers in a pool of %u", used_, buffer_.bytes);
  }
  weft_asc_buffer buffer_ = {};
  uint32_t used_ = 0;
};

// What no buffer of the pipe has taken yet. It stays free: a buffer that is made later lies there, too.
template <typename T, TPosition pos>
bool PopStackBuffer(LocalTensor<T> &popLocal, weft_asc_at at = weft_asc::Here()) {
  const weft_asc_core *core = weft_asc_current();
  if (!core)
    return false;
  constexpr int kRegion = weft_asc::RegionOf(pos);
  const uint32_t from = (core->used[kRegion] + 31) / 32 * 32;
  const uint32_t rest = from < core->capacity[kRegion] ? core->capacity[kRegion] - from : 0;
  popLocal = LocalTensor<T>(weft_asc_region_at(kRegion, from < core->capacity[kRegion] ? from : 0, rest, at),
                            rest / static_cast<uint32_t>(sizeof(T)), pos);
  return rest >= sizeof(T);
}

// One after another in one memory, without queues.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
 public:
  uint32_t GetCurAddr() const { return used_; }
  template <TPosition pos, typename DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc(weft_asc_at at = weft_asc::Here()) {
    return Alloc<pos, DataType>(tileSize, at);
  }
  template <TPosition pos, typename DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize, weft_asc_at at = weft_asc::Here()) {
    const LocalTensor<DataType> tensor(pos, used_, tileSize, at);
    used_ += (tileSize * static_cast<uint32_t>(sizeof(DataType)) + 31) / 32 * 32;
    return tensor;
  }
  template <typename DataType, uint32_t tileSize>
  LocalTensor<DataType> Alloc(weft_asc_at at = weft_asc::Here()) {
    return Alloc<weft_asc::PositionOf(hard), DataType>(tileSize, at);
  }
  template <typename DataType>
  LocalTensor<DataType> Alloc(uint32_t tileSize, weft_asc_at at = weft_asc::Here()) {
    return Alloc<weft_asc::PositionOf(hard), DataType>(tileSize, at);
  }

 private:
  uint32_t used_ = 0;
};
}  // namespace AscendC
// SPDX-License-Identifier: Apache-2.0
