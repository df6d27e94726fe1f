// check.h - the tests of the interface use what it gives to users' tests.
#pragma once
#include "weft_cann/check.h"
// SPDX-License-Identifier: Apache-2.0
