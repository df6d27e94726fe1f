// weft_cann/securec.h - the copying functions of the bounds-checked library that operator code calls: the
// size of the place comes with it, and nothing is written where the data do not fit.
#pragma once
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#ifndef EOK
#define EOK 0
#endif
#ifndef SECUREC_MEM_MAX_LEN
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL
#endif
using errno_t = int;

// 0; EINVAL: an address is missing; ERANGE: the data do not fit.
inline errno_t memmove_s(void *to, size_t room, const void *from, size_t count) {
  if (!to || !from)
    return EINVAL;
  if (count > room)
    return ERANGE;
  memmove(to, from, count);
  return EOK;
}
inline errno_t memcpy_s(void *to, size_t room, const void *from, size_t count) {
  return memmove_s(to, room, from, count);
}
inline errno_t memset_s(void *to, size_t room, int byte, size_t count) {
  if (!to)
    return EINVAL;
  if (count > room)
    return ERANGE;
  memset(to, byte, count);
  return EOK;
}
// `count` characters of `from` at most, and the zero behind them.
inline errno_t strncpy_s(char *to, size_t room, const char *from, size_t count) {
  if (!to || !from)
    return EINVAL;
  const size_t length = strnlen(from, count);
  if (length >= room)
    return ERANGE;
  memmove(to, from, length);
  to[length] = 0;
  return EOK;
}
inline errno_t strcpy_s(char *to, size_t room, const char *from) {
  return from ? strncpy_s(to, room, from, strlen(from)) : EINVAL;
}
inline errno_t strcat_s(char *to, size_t room, const char *from) {
  if (!to || !from)
    return EINVAL;
  const size_t length = strnlen(to, room);
  return strncpy_s(to + length, room - length, from, strlen(from));
}
// The number of characters; -1: they do not fit, and the text is cut off.
__attribute__((format(printf, 3, 0))) inline int vsprintf_s(char *to, size_t room, const char *format,
                                                            va_list values) {
  if (!to || !room || !format)
    return -1;
  const int length = vsnprintf(to, room, format, values);
  return length < 0 || static_cast<size_t>(length) >= room ? -1 : length;
}
__attribute__((format(printf, 3, 4))) inline int sprintf_s(char *to, size_t room, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int length = vsprintf_s(to, room, format, values);
  va_end(values);
  return length;
}
__attribute__((format(printf, 4, 5))) inline int snprintf_s(char *to, size_t room, size_t count,
                                                            const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int length = vsprintf_s(to, count < room ? count + 1 : room, format, values);
  va_end(values);
  return length;
}
// SPDX-License-Identifier: Apache-2.0
