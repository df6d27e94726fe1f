// weft/weft.hpp - the C API as C++17 classes: each owns one handle and frees it, moves and does not copy, and
// turns a failure into weft::Error with the diag's text. Header only; it allocates nothing but std::string,
// std::vector and what an asynchronous run keeps.
//
//   weft::Env env;
//   auto program = weft::Program::compile(weft::Graph::onnx(env, "model.onnx"));
//   weft::Exec exec(program);
//   auto out = exec.run(weft::Tensor::copy<float>({1, 3, 224, 224}, pixels));
//   const float *y = out[0].data<float>();  // out[0].shape(), out[0].elems()
//
//   weft::Session session(env);
//   session.add(0, std::move(program));
//   weft::Pending first = session.run_async(0, std::move(x)), second = session.run_async(0, y);
//   out = first.wait();  // throws what the run failed with
//
// An Env outlives what was made with it: declare it first. Threads: those of the C functions; `get()` gives
// the C handle for everything that has no method here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/weft.h"

namespace weft {

class Error : public std::runtime_error {
 public:
  Error(weft_status status, const weft_diag &d)
      : std::runtime_error(d.length ? std::string(d.text, d.length) : std::string(weft_status_text(status))),
        status_(status) {}
  weft_status status() const noexcept { return status_; }
  const char *status_name() const noexcept { return weft_status_name(status_); }

 private:
  weft_status status_;
};

// Calls f(diag) and throws when it gives a status: weft::check([&](weft_diag *d) { return weft_graph_sort(g,
// d); });
template <class F>
void check(F &&f) {
  weft_diag d;
  weft_diag_clear(&d);
  const weft_status s = f(&d);
  if (s != WEFT_OK) throw Error(s, d);
}

using Shape = std::vector<int64_t>;

template <class T>
constexpr weft_dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) return WEFT_FLOAT;
  else if constexpr (std::is_same_v<T, double>) return WEFT_DOUBLE;
  else if constexpr (std::is_same_v<T, bool>) return WEFT_BOOL;
  else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8,
                  "this type has no dtype: use Tensor::view or Tensor::get");
    constexpr bool s = std::is_signed_v<T>;
    return sizeof(T) == 1 ? (s ? WEFT_INT8 : WEFT_UINT8) : sizeof(T) == 2 ? (s ? WEFT_INT16 : WEFT_UINT16)
         : sizeof(T) == 4 ? (s ? WEFT_INT32 : WEFT_UINT32) : (s ? WEFT_INT64 : WEFT_UINT64);
  }
}

namespace detail {
// Owns one handle; Free is its destructor.
template <class T, void (*Free)(T *)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T *p) noexcept : p_(p) {}
  Handle(Handle &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Handle &operator=(Handle &&o) noexcept {
    if (this != &o) reset(std::exchange(o.p_, nullptr));
    return *this;
  }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  ~Handle() { reset(); }
  T *get() const noexcept { return p_; }
  T *release() noexcept { return std::exchange(p_, nullptr); }  // the caller frees it
  explicit operator bool() const noexcept { return p_ != nullptr; }

 protected:
  void reset(T *p = nullptr) noexcept {
    if (p_) Free(p_);
    p_ = p;
  }

 private:
  T *p_ = nullptr;
};

inline weft_status append(void *ctx, const char *text, size_t bytes) {
  try {
    static_cast<std::string *>(ctx)->append(text, bytes);
  } catch (...) {
    return WEFT_E_NOMEM;
  }
  return WEFT_OK;
}
}  // namespace detail

class Env : public detail::Handle<weft_env, weft_env_destroy> {
 public:
  Env() : Env(weft_env_options{}) {}
  explicit Env(const weft_env_options &o) {
    weft_env *e = nullptr;
    check([&](weft_diag *d) { return weft_env_create(&o, &e, d); });
    reset(e);
  }
};

// A value: tensor, sequence or optional. Without data it is a place for an output, which the run allocates.
class Tensor {
 public:
  Tensor() noexcept { weft_tensor_init(&t_, nullptr); }
  Tensor(Tensor &&o) noexcept : t_(o.t_) { weft_tensor_init(&o.t_, &t_.alloc); }
  Tensor &operator=(Tensor &&o) noexcept {
    if (this == &o) return *this;
    weft_tensor_deinit(&t_);
    t_ = o.t_;
    weft_tensor_init(&o.t_, &t_.alloc);
    return *this;
  }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;
  ~Tensor() { weft_tensor_deinit(&t_); }

  // Zeroed memory of its own.
  static Tensor zeros(weft_dtype type, const Shape &shape) {
    Tensor t;
    check([&](weft_diag *d) { return weft_tensor_alloc(&t.t_, type, shape.data(), shape.size(), d); });
    return t;
  }
  // A copy of the caller's elements, of which there must be as many as the shape says.
  template <class T>
  static Tensor copy(const Shape &shape, const T *data, size_t n) {
    Tensor t = zeros(dtype_of<T>(), shape);
    if (static_cast<size_t>(weft_tensor_elems(&t.t_)) != n)
      mismatch(WEFT_E_SHAPE, "the data do not fit the shape");
    if (n) std::memcpy(t.t_.data, data, n * sizeof(T));
    return t;
  }
  template <class T>
  static Tensor copy(const Shape &shape, const std::vector<T> &data) {
    static_assert(!std::is_same_v<T, bool>,
                  "std::vector<bool> holds bits: use std::vector<uint8_t> and Tensor::view");
    return copy<T>(shape, data.data(), data.size());
  }
  template <class T>
  static Tensor copy(const Shape &shape, std::initializer_list<T> data) {
    return copy<T>(shape, data.begin(), data.size());
  }
  // The caller's memory, which must outlive the tensor; inputs are read from it, outputs written to it.
  static Tensor view(weft_dtype type, const Shape &shape, void *data, size_t bytes) {
    Tensor t;
    check([&](weft_diag *d) {
      return weft_tensor_borrow(&t.t_, type, shape.data(), shape.size(), data, bytes, d);
    });
    return t;
  }
  static Tensor npy(const std::string &path) {
    Tensor t;
    check([&](weft_diag *d) { return weft_npy_load(path.c_str(), &t.t_, d); });
    return t;
  }
  static Tensor parse(const std::string &text) {  // "f32[2]{1,2}"
    Tensor t;
    size_t used = 0;
    check(
        [&](weft_diag *d) { return weft_tensor_parse(text.data(), text.size(), nullptr, &t.t_, &used, d); });
    return t;
  }
  Tensor clone() const {
    Tensor t;
    check([&](weft_diag *d) { return weft_tensor_copy(&t.t_, &t_, d); });
    return t;
  }

  weft_dtype dtype() const noexcept { return t_.dtype; }
  Shape shape() const { return Shape(t_.layout.origin.dim, t_.layout.origin.dim + t_.layout.origin.rank); }
  size_t elems() const noexcept {
    return weft_tensor_elems(&t_) < 0 ? 0 : static_cast<size_t>(weft_tensor_elems(&t_));
  }
  size_t bytes() const noexcept { return t_.bytes; }
  template <class T>
  const T *data() const {
    typed(dtype_of<T>());
    return static_cast<const T *>(t_.data);
  }
  template <class T>
  T *data() {
    typed(dtype_of<T>());
    return static_cast<T *>(t_.data);
  }
  std::string str(size_t max_elems = 0) const {
    std::string s;
    check([&](weft_diag *) { return weft_tensor_print(&t_, max_elems, detail::append, &s); });
    return s;
  }
  weft_tensor *get() noexcept { return &t_; }
  const weft_tensor *get() const noexcept { return &t_; }

 private:
  [[noreturn]] static void mismatch(weft_status s, const char *text) {
    weft_diag d;
    weft_diag_clear(&d);
    throw Error(weft_fail(&d, s, "%s", text), d);
  }
  void typed(weft_dtype want) const {
    if (t_.data && t_.dtype != want) mismatch(WEFT_E_DTYPE, "the tensor's elements have another type");
  }
  weft_tensor t_;
};

class Graph : public detail::Handle<weft_graph, weft_graph_destroy> {
 public:
  Graph() = default;
  Graph(const Env &env, const std::string &name) {
    make([&](weft_graph **g, weft_diag *d) { return weft_graph_create(env.get(), name.c_str(), g, d); });
  }
  // Any kind of model: weft/model.h.
  static Graph load(const Env &env, const std::string &path) {
    Graph r;
    r.make([&](weft_graph **g, weft_diag *d) { return weft_model_load(env.get(), path.c_str(), g, d); });
    return r;
  }
  static Graph onnx(const Env &env, const std::string &path) {
    Graph r;
    r.make([&](weft_graph **g, weft_diag *d) { return weft_onnx_load(env.get(), path.c_str(), g, d); });
    return r;
  }
  // The memory must outlive the graph and what is compiled from it.
  static Graph onnx(const Env &env, const void *data, size_t bytes, const std::string &name) {
    Graph r;
    r.make([&](weft_graph **g, weft_diag *d) {
      return weft_onnx_read(env.get(), data, bytes, name.c_str(), g, d);
    });
    return r;
  }
  static Graph parse(const Env &env, const std::string &text) {
    Graph r;
    r.make([&](weft_graph **g, weft_diag *d) {
      return weft_graph_parse(env.get(), text.data(), text.size(), "text", g, d);
    });
    return r;
  }
  weft_value *input(const std::string &name, weft_dtype type, const Shape &shape) {
    return value([&](weft_diag *d) {
      return weft_graph_input(get(), name.c_str(), type, shape.data(), shape.size(), d);
    });
  }
  weft_value *constant(const std::string &name, const Tensor &t) {
    return value(
        [&](weft_diag *d) { return weft_graph_const(get(), name.c_str(), t.get(), WEFT_CONST_COPY, d); });
  }
  // A node without attributes that has one output; others by weft_graph_add.
  weft_value *op(const std::string &type, const std::string &name, const std::vector<weft_value *> &in) {
    weft_value *v = nullptr;
    check([&](weft_diag *d) {
      return weft_graph_op1(get(), type.c_str(), name.c_str(), in.data(), in.size(), &v, d);
    });
    return v;
  }
  void output(weft_value *v) {
    check([&](weft_diag *d) { return weft_graph_output(get(), v, d); });
  }
  void infer() {
    check([&](weft_diag *d) { return weft_graph_infer(get(), nullptr, nullptr, d); });
  }
  std::string str(unsigned flags = 0) const {
    std::string s;
    check([&](weft_diag *) { return weft_graph_print(get(), flags, detail::append, &s); });
    return s;
  }

 private:
  template <class F>
  void make(F &&f) {
    weft_graph *g = nullptr;
    check([&](weft_diag *d) { return f(&g, d); });
    reset(g);
  }
  template <class F>
  static weft_value *value(F &&f) {
    weft_value *v = nullptr;
    check([&](weft_diag *d) {
      v = f(d);
      return v           ? static_cast<weft_status>(WEFT_OK)
             : d->status ? d->status
                         : static_cast<weft_status>(WEFT_E_INVALID);
    });
    return v;
  }
};

class Program : public detail::Handle<weft_program, weft_program_release> {
 public:
  Program() = default;
  explicit Program(weft_program *p) noexcept : Handle(p) {}  // takes over a retained one
  // The graph is given away. options: "name=value".
  static Program compile(Graph &&graph, const std::vector<std::string> &options = {}) {
    std::vector<const char *> list;
    for (const std::string &s : options) list.push_back(s.c_str());
    weft_compile_options o = {};
    o.size = sizeof o;
    o.options = list.data();
    o.n_options = list.size();
    return compile(std::move(graph), o);
  }
  static Program compile(Graph &&graph, const weft_compile_options &o) {
    weft_program *p = nullptr;
    check([&](weft_diag *d) { return weft_compile(graph.release(), &o, &p, d); });
    return Program(p);
  }
  static Program load(const Env &env, const std::string &path) {
    weft_program *p = nullptr;
    check([&](weft_diag *d) { return weft_program_load(env.get(), path.c_str(), &p, d); });
    return Program(p);
  }
  // The memory must outlive the program, unless it is not 64-byte aligned: then it is copied.
  static Program load(const Env &env, const void *data, size_t bytes) {
    weft_program *p = nullptr;
    check([&](weft_diag *d) { return weft_program_load_memory(env.get(), data, bytes, &p, d); });
    return Program(p);
  }
  void save(const std::string &path) const {
    check([&](weft_diag *d) { return weft_program_save_file(get(), path.c_str(), d); });
  }
  Program share() const {  // another holder of the same program
    weft_program_retain(get());
    return Program(get());
  }
  size_t n_inputs() const noexcept { return weft_program_n_inputs(get()); }
  size_t n_outputs() const noexcept { return weft_program_n_outputs(get()); }
  weft_tensor_desc input(size_t i) const { return desc(weft_program_input, i, "input"); }
  weft_tensor_desc output(size_t i) const { return desc(weft_program_output, i, "output"); }

 private:
  weft_tensor_desc desc(bool (*find)(const weft_program *, size_t, weft_tensor_desc *), size_t i,
                        const char *what) const {
    weft_tensor_desc out;
    weft_desc_init(&out);
    check([&](weft_diag *d) {
      if (find(get(), i, &out)) return static_cast<weft_status>(WEFT_OK);
      return weft_fail(d, WEFT_E_RANGE, "the program has no %s %zu", what, i);
    });
    return out;
  }
};

namespace detail {
struct Lists {  // the C functions' lists of tensors
  std::vector<const weft_tensor *> in;
  std::vector<weft_tensor *> out;
  template <class... T>
  explicit Lists(std::vector<Tensor> &outputs, const T &...inputs) {
    (add(inputs), ...);
    for (Tensor &t : outputs) out.push_back(t.get());
  }

 private:
  void add(const Tensor &t) { in.push_back(t.get()); }
  void add(const std::vector<Tensor> &list) {
    for (const Tensor &t : list) in.push_back(t.get());
  }
};
}  // namespace detail

// One place where a program runs; one thread at a time.
class Exec : public detail::Handle<weft_exec, weft_exec_destroy> {
 public:
  explicit Exec(const Program &p, const weft_exec_options &o = {}) : n_outputs_(p.n_outputs()) {
    weft_exec *x = nullptr;
    check([&](weft_diag *d) { return weft_exec_create(p.get(), &o, &x, d); });
    reset(x);
  }
  // Inputs are tensors or vectors of tensors, in the order of the graph.
  template <class... T>
  std::vector<Tensor> run(const T &...inputs) {
    std::vector<Tensor> out(n_outputs_);
    run_into(out, inputs...);
    return out;
  }
  // Writes outputs that have data in place: weft_exec_run.
  template <class... T>
  void run_into(std::vector<Tensor> &out, const T &...inputs) {
    detail::Lists l(out, inputs...);
    check([&](weft_diag *d) {
      return weft_exec_run(get(), l.in.data(), l.in.size(), l.out.data(), l.out.size(), d);
    });
  }
  weft_exec_stats stats() const {
    weft_exec_stats s = {};
    s.size = sizeof s;
    weft_exec_get_stats(get(), &s);
    return s;
  }

 private:
  size_t n_outputs_;
};

// A run that goes on, or is over and not yet waited for. It owns its outputs and the inputs that were moved
// into it; a Pending that goes away waits. One thread at a time; allowed after the session is gone.
class Pending {
 public:
  Pending() = default;
  Pending(Pending &&) = default;
  Pending &operator=(Pending &&o) noexcept {
    if (this == &o) return *this;
    finish();
    state_ = std::move(o.state_);
    return *this;
  }
  ~Pending() { finish(); }

  // false: waited for, given away or moved from
  explicit operator bool() const noexcept { return state_ != nullptr; }
  // wait() would return at once
  bool finished() const noexcept { return !state_ || weft_pending_finished(state_->p); }
  // Waits for the run and gives its outputs, once. E_STATE: this has no run.
  std::vector<Tensor> wait() {
    const std::unique_ptr<State> s = std::move(state_);
    check([&](weft_diag *d) { return weft_pending_wait(s ? std::exchange(s->p, nullptr) : nullptr, d); });
    return std::move(s->out);
  }
  // Calls fn(const weft::Error *error, std::vector<weft::Tensor> out) once when the run is over, on its
  // thread, or here and now if it is over already. error is null when the run succeeded. fn must neither
  // throw nor destroy the session.
  template <class F>
  void then(F &&fn) {
    struct Last {
      std::unique_ptr<State> s;
      std::decay_t<F> fn;
    };
    if (!state_) check([](weft_diag *d) { return weft_pending_wait(nullptr, d); });
    weft_pending *const p = state_->p;
    auto last = std::make_unique<Last>(Last{nullptr, std::forward<F>(fn)});
    state_->p = nullptr;
    last->s = std::move(state_);
    weft_pending_then(
        p,
        [](void *ctx, weft_status status, const weft_diag *d) noexcept {
          const std::unique_ptr<Last> own(static_cast<Last *>(ctx));
          if (status == WEFT_OK) {
            own->fn(static_cast<const Error *>(nullptr), std::move(own->s->out));
          } else {
            const Error error(status, *d);
            own->fn(&error, std::move(own->s->out));
          }
        },
        last.release());
  }

 private:
  friend class Session;
  struct State {  // stays where it is: the run points into it
    weft_pending *p = nullptr;
    std::vector<Tensor> out;
    std::vector<std::vector<Tensor>> kept;
    std::vector<const weft_tensor *> in;

    void add(const Tensor &t) { in.push_back(t.get()); }
    void add(const std::vector<Tensor> &list) {
      for (const Tensor &t : list) add(t);
    }
    void add(std::vector<Tensor> &&list) {
      kept.push_back(std::move(list));
      add(kept.back());  // its elements stay where they are when `kept` grows
    }
    void add(Tensor &&t) {
      std::vector<Tensor> one;
      one.push_back(std::move(t));
      add(std::move(one));
    }
  };
  void finish() noexcept {
    if (state_ && state_->p) (void)!weft_pending_wait(state_->p, nullptr);
    state_.reset();
  }
  std::unique_ptr<State> state_;
};

// Programs by number, run from any thread.
class Session : public detail::Handle<weft_session, weft_session_destroy> {
 public:
  explicit Session(const Env &env, const weft_session_options &o = {}) {
    weft_session *s = nullptr;
    check([&](weft_diag *d) { return weft_session_create(env.get(), &o, &s, d); });
    reset(s);
  }
  void add(uint32_t id, const Program &p) {
    check([&](weft_diag *d) { return weft_session_add(get(), id, p.get(), d); });
  }
  void add(uint32_t id, Graph &&graph) { add(id, Program::compile(std::move(graph))); }
  void remove(uint32_t id) {
    check([&](weft_diag *d) { return weft_session_remove(get(), id, d); });
  }
  // empty: no such number
  Program program(uint32_t id) const { return Program(weft_session_program(get(), id)); }
  template <class... T>
  std::vector<Tensor> run(uint32_t id, const T &...inputs) {
    const Program p = program(id);
    std::vector<Tensor> out(p ? p.n_outputs() : 0);
    run_into(id, out, inputs...);
    return out;
  }
  template <class... T>
  void run_into(uint32_t id, std::vector<Tensor> &out, const T &...inputs) {
    detail::Lists l(out, inputs...);
    check([&](weft_diag *d) {
      return weft_session_run(get(), id, l.in.data(), l.in.size(), l.out.data(), l.out.size(), d);
    });
  }
  // The same without waiting, on a thread of its own: weft_session_run_async. An input that is moved in
  // belongs to the run; one that is not must outlive it unchanged.
  template <class... T>
  Pending run_async(uint32_t id, T &&...inputs) {
    const Program p = program(id);
    return run_into_async(id, std::vector<Tensor>(p ? p.n_outputs() : 0), std::forward<T>(inputs)...);
  }
  // Outputs that have data, views of the caller's memory among them, are written in place; wait() gives them
  // back.
  template <class... T>
  Pending run_into_async(uint32_t id, std::vector<Tensor> out, T &&...inputs) {
    auto s = std::make_unique<Pending::State>();
    s->out = std::move(out);
    (s->add(std::forward<T>(inputs)), ...);
    std::vector<weft_tensor *> to;
    for (Tensor &t : s->out) to.push_back(t.get());
    check([&](weft_diag *d) {
      return weft_session_run_async(get(), id, s->in.data(), s->in.size(), to.data(), to.size(), &s->p, d);
    });
    Pending r;
    r.state_ = std::move(s);
    return r;
  }
};

}  // namespace weft
// SPDX-License-Identifier: Apache-2.0
