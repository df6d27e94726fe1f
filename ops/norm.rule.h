// norm.rule.h - what normalisations divide by, and which channels share a mean. Pure: the operators, their
// kernels and the passes that fold them normalise by this.
#pragma once
#include <math.h>

#include "window.rule.h"

// Differences from the mean are divided by this; the variance is biased.
static inline double weft__norm_root(double variance, double epsilon) {
  return sqrt(variance + epsilon);
}

// The axis of the channels: the last one with data_format N...C, otherwise axis 1.
static inline size_t weft__channel_axis(const char *data_format, size_t rank) {
  return weft__channels_last(data_format) ? rank - 1 : 1;
}

// The channels of an image in equal groups: lane i is group i % groups of image i / groups, and has one mean.
typedef struct weft_norm_groups {
  size_t groups, members;  // members: channels of a group
} weft_norm_groups;

static inline weft_norm_groups weft__norm_split(size_t channels, size_t groups) {
  return (weft_norm_groups){groups, channels / groups};
}

// The channel of an image that is the given member of a lane.
static inline size_t weft__norm_channel(weft_norm_groups g, size_t lane, size_t member) {
  return lane % g.groups * g.members + member;
}
// SPDX-License-Identifier: Apache-2.0
