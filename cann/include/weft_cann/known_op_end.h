// weft_cann/known_op_end.h - takes the macros of known_op.h away.
#undef WEFT_OP_CLASS
#undef WEFT_I
#undef WEFT_DI
#undef WEFT_O
#undef WEFT_DO
#undef WEFT_A
#undef WEFT_G
#undef WEFT_DG
// SPDX-License-Identifier: Apache-2.0
