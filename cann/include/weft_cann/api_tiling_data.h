// weft_cann/api_tiling_data.h - what kernels read of the vector library's tilings: each a list of fields,
// from which come the record that tiling writes (optiling::) and the kernel's struct (AscendC::tiling::).
#pragma once
#include "weft_cann/tiling_data.h"

#define WEFT_CANN_SOFT_MAX_TILING(F) \
  F(uint32_t, srcM)                  \
  F(uint32_t, srcK)                  \
  F(uint32_t, srcSize)               \
  F(uint32_t, outMaxM)               \
  F(uint32_t, outMaxK)               \
  F(uint32_t, outMaxSize)            \
  F(uint32_t, splitM)                \
  F(uint32_t, splitK)                \
  F(uint32_t, splitSize)             \
  F(uint32_t, reduceM)               \
  F(uint32_t, reduceK)               \
  F(uint32_t, reduceSize)            \
  F(uint32_t, rangeM)                \
  F(uint32_t, tailM)                 \
  F(uint32_t, tailSplitSize)         \
  F(uint32_t, tailReduceSize)
#define WEFT_CANN_LAYER_NORM_TILING(F) \
  F(uint32_t, bLength)                 \
  F(uint32_t, sLength)                 \
  F(uint32_t, hLength)                 \
  F(uint32_t, originalHLength)         \
  F(uint32_t, inputXSize)              \
  F(uint32_t, meanVarSize)             \
  F(uint32_t, numberOfTmpBuf)          \
  F(uint32_t, meanTmpTensorPos)        \
  F(uint32_t, meanTmpTensorSize)       \
  F(uint32_t, varianceTmpTensorPos)    \
  F(uint32_t, varianceTmpTensorSize)   \
  F(uint32_t, tmpBufSize)              \
  F(uint32_t, oneTmpSize)              \
  F(uint32_t, firstTmpStartPos)        \
  F(uint32_t, secondTmpStartPos)       \
  F(uint32_t, thirdTmpStartPos)        \
  F(uint32_t, loopRound)               \
  F(uint32_t, inputRoundSize)          \
  F(uint32_t, inputTailSize)           \
  F(uint32_t, inputTailPos)            \
  F(uint32_t, meanVarRoundSize)        \
  F(uint32_t, meanVarTailSize)         \
  F(uint32_t, meanVarTailPos)          \
  F(uint32_t, bshCurLength)            \
  F(uint32_t, bsCurLength)             \
  F(float, lastDimValueBack)
#define WEFT_CANN_LAYER_NORM_SEPARATE_TILING(F) \
  F(uint32_t, aLength)                          \
  F(uint32_t, rLength)                          \
  F(uint32_t, halfAddRepeatTimes)               \
  F(uint32_t, rHeadLength)                      \
  F(float, k2Rec)                               \
  F(float, k2RRec)                              \
  F(uint32_t, inputXSize)                       \
  F(uint32_t, meanVarSize)                      \
  F(uint32_t, numberOfTmpBuf)                   \
  F(uint32_t, varianceTmpTensorPos)             \
  F(uint32_t, varianceTmpTensorSize)            \
  F(uint32_t, tmpBufSize)                       \
  F(uint32_t, oneTmpSize)                       \
  F(uint32_t, firstTmpStartPos)                 \
  F(uint32_t, secondTmpStartPos)                \
  F(uint32_t, thirdTmpStartPos)                 \
  F(uint32_t, loopRound)                        \
  F(uint32_t, inputRoundSize)                   \
  F(uint32_t, inputTailSize)                    \
  F(uint32_t, inputTailPos)                     \
  F(uint32_t, meanVarRoundSize)                 \
  F(uint32_t, meanVarTailSize)                  \
  F(uint32_t, meanVarTailPos)                   \
  F(uint32_t, arCurLength)                      \
  F(uint32_t, aCurLength)                       \
  F(float, rValueBack)
#define WEFT_CANN_LAYER_NORM_GRAD_TILING(F) \
  F(uint32_t, stackBufferSize)              \
  F(uint32_t, bLength)                      \
  F(uint32_t, sLength)                      \
  F(uint32_t, hLength)                      \
  F(uint32_t, originalHLength)              \
  F(uint32_t, oneCalSize)                   \
  F(uint32_t, nohCalSize)                   \
  F(uint32_t, loopNum)                      \
  F(uint32_t, tailSize)                     \
  F(uint32_t, nohTailSize)                  \
  F(uint32_t, tmpTensorBSHPos)              \
  F(uint32_t, tmpTensorBSHSize)             \
  F(uint32_t, pdVarTensorPos)               \
  F(uint32_t, pdVarTensorSize)              \
  F(uint32_t, pdMeanTensorPos)              \
  F(uint32_t, pdMeanTensorSize)             \
  F(uint32_t, x1TensorPos)                  \
  F(uint32_t, x1TensorSize)                 \
  F(uint32_t, x2TensorPos)                  \
  F(uint32_t, x2TensorSize)                 \
  F(uint32_t, x3TensorPos)                  \
  F(uint32_t, x3TensorSize)                 \
  F(uint32_t, tmpTensorPos)                 \
  F(uint32_t, tmpTensorSize)                \
  F(uint32_t, tmpTensor1Pos)                \
  F(uint32_t, tmpTensor1Size)               \
  F(uint32_t, tmpTensor2Pos)                \
  F(uint32_t, tmpTensor2Size)               \
  F(uint32_t, lastDimValueBack)             \
  F(uint32_t, lastDimValueBackMulTwo)
#define WEFT_CANN_RMS_NORM_TILING(F) \
  F(uint32_t, bLength)               \
  F(uint32_t, sLength)               \
  F(uint32_t, hLength)               \
  F(uint32_t, originalHLength)       \
  F(float, reciprocalOfHLength)      \
  F(uint32_t, mainBshLength)         \
  F(uint32_t, mainBsLength)          \
  F(uint32_t, mainBsLengthAlign)     \
  F(uint32_t, loopRound)             \
  F(uint32_t, inputTailPos)          \
  F(uint32_t, tailBshLength)         \
  F(uint32_t, tailBsLength)
#define WEFT_CANN_DEEP_NORM_TILING(F) \
  F(uint32_t, bLength)                \
  F(uint32_t, sLength)                \
  F(uint32_t, hLength)                \
  F(uint32_t, originalHLength)        \
  F(uint32_t, inputXSize)             \
  F(uint32_t, meanVarSize)            \
  F(uint32_t, numberOfTmpBuf)         \
  F(uint32_t, meanTmpTensorPos)       \
  F(uint32_t, meanTmpTensorSize)      \
  F(uint32_t, varianceTmpTensorPos)   \
  F(uint32_t, varianceTmpTensorSize)  \
  F(uint32_t, tmpBufSize)             \
  F(uint32_t, oneTmpSize)             \
  F(uint32_t, firstTmpStartPos)       \
  F(uint32_t, secondTmpStartPos)      \
  F(uint32_t, thirdTmpStartPos)       \
  F(uint32_t, loopRound)              \
  F(uint32_t, inputRoundSize)         \
  F(uint32_t, inputTailSize)          \
  F(uint32_t, inputTailPos)           \
  F(uint32_t, meanVarRoundSize)       \
  F(uint32_t, meanVarTailSize)        \
  F(uint32_t, meanVarTailPos)         \
  F(uint32_t, bshCurLength)           \
  F(uint32_t, bsCurLength)            \
  F(float, lastDimValueBack)
#define WEFT_CANN_GROUP_NORM_TILING(F) \
  F(uint32_t, n)                       \
  F(uint32_t, c)                       \
  F(uint32_t, hw)                      \
  F(uint32_t, g)                       \
  F(uint32_t, d)                       \
  F(uint32_t, hwAlignSize)             \
  F(uint32_t, dhwAlignSize)            \
  F(uint32_t, inputXSize)              \
  F(uint32_t, meanVarSize)             \
  F(uint32_t, numberOfTmpBuf)          \
  F(uint32_t, meanTmpTensorPos)        \
  F(uint32_t, meanTmpTensorSize)       \
  F(uint32_t, varianceTmpTensorPos)    \
  F(uint32_t, varianceTmpTensorSize)   \
  F(uint32_t, tmpBufSize)              \
  F(uint32_t, oneTmpSize)              \
  F(uint32_t, firstTmpStartPos)        \
  F(uint32_t, secondTmpStartPos)       \
  F(uint32_t, thirdTmpStartPos)        \
  F(uint32_t, loopRound)               \
  F(uint32_t, inputRoundSize)          \
  F(uint32_t, inputTailSize)           \
  F(uint32_t, inputTailPos)            \
  F(uint32_t, meanVarRoundSize)        \
  F(uint32_t, meanVarTailSize)         \
  F(uint32_t, meanVarTailPos)          \
  F(uint32_t, bshCurLength)            \
  F(uint32_t, bsCurLength)             \
  F(float, factor)                     \
  F(bool, smallShape)
#define WEFT_CANN_TOPK_TILING(F)        \
  F(int32_t, tmpLocalSize)              \
  F(int32_t, allDataSize)               \
  F(int32_t, innerDataSize)             \
  F(uint32_t, sortRepeat)               \
  F(int32_t, mrgSortRepeat)             \
  F(int32_t, kAlignFourBytes)           \
  F(int32_t, kAlignTwoBytes)            \
  F(int32_t, maskOffset)                \
  F(int32_t, maskVreducev2FourBytes)    \
  F(int32_t, maskVreducev2TwoBytes)     \
  F(int32_t, mrgSortSrc1offset)         \
  F(int32_t, mrgSortSrc2offset)         \
  F(int32_t, mrgSortSrc3offset)         \
  F(int32_t, mrgSortTwoQueueSrc1Offset) \
  F(int32_t, mrgFourQueueTailPara1)     \
  F(int32_t, mrgFourQueueTailPara2)     \
  F(int32_t, srcIndexOffset)            \
  F(uint32_t, copyUbToUbBlockCount)     \
  F(int32_t, topkMrgSrc1MaskSizeOffset) \
  F(int32_t, topkNSmallSrcIndexOffset)  \
  F(uint32_t, vreduceValMask0)          \
  F(uint32_t, vreduceValMask1)          \
  F(uint32_t, vreduceIdxMask0)          \
  F(uint32_t, vreduceIdxMask1)          \
  F(uint16_t, vreducehalfValMask0)      \
  F(uint16_t, vreducehalfValMask1)      \
  F(uint16_t, vreducehalfValMask2)      \
  F(uint16_t, vreducehalfValMask3)      \
  F(uint16_t, vreducehalfValMask4)      \
  F(uint16_t, vreducehalfValMask5)      \
  F(uint16_t, vreducehalfValMask6)      \
  F(uint16_t, vreducehalfValMask7)
#define WEFT_CANN_CONFUSION_TRANSPOSE_TILING(F) \
  F(uint32_t, param0)                           \
  F(uint32_t, param1)                           \
  F(uint32_t, param2)                           \
  F(uint32_t, param3)                           \
  F(uint32_t, param4)                           \
  F(uint32_t, param5)                           \
  F(uint32_t, param6)                           \
  F(uint32_t, param7)                           \
  F(uint32_t, param8)                           \
  F(uint32_t, param9)                           \
  F(uint32_t, param10)                          \
  F(uint32_t, param11)                          \
  F(uint32_t, param12)                          \
  F(uint32_t, param13)                          \
  F(uint32_t, param14)                          \
  F(uint32_t, param15)                          \
  F(uint32_t, param16)                          \
  F(uint32_t, param17)
#define WEFT_CANN_CONV3D_API_TILING(F) \
  F(uint64_t, orgDo)                   \
  F(uint32_t, orgCo)                   \
  F(uint64_t, orgHo)                   \
  F(uint64_t, orgWo)                   \
  F(uint64_t, orgDi)                   \
  F(uint32_t, orgCi)                   \
  F(uint64_t, orgHi)                   \
  F(uint64_t, orgWi)                   \
  F(uint32_t, kernelD)                 \
  F(uint32_t, kernelH)                 \
  F(uint32_t, kernelW)                 \
  F(uint64_t, singleCoreDo)            \
  F(uint32_t, singleCoreCo)            \
  F(uint64_t, singleCoreM)             \
  F(uint32_t, singleCoreGroupOpt)      \
  F(uint32_t, groups)                  \
  F(uint32_t, strideH)                 \
  F(uint32_t, strideW)                 \
  F(uint32_t, strideD)                 \
  F(uint32_t, dilationH)               \
  F(uint32_t, dilationW)               \
  F(uint32_t, dilationD)               \
  F(uint32_t, padHead)                 \
  F(uint32_t, padTail)                 \
  F(uint32_t, padUp)                   \
  F(uint32_t, padDown)                 \
  F(uint32_t, padLeft)                 \
  F(uint32_t, padRight)                \
  F(uint32_t, mL0)                     \
  F(uint32_t, kL0)                     \
  F(uint32_t, nL0)                     \
  F(uint32_t, kAL1)                    \
  F(uint32_t, kAL1Tail)                \
  F(uint32_t, kBL1)                    \
  F(uint32_t, kBL1Tail)                \
  F(uint32_t, nBL1)                    \
  F(uint32_t, mAL1)                    \
  F(uint32_t, kBL1DivK0)               \
  F(uint32_t, kBL1TailDivK0)           \
  F(uint32_t, nBL1DivnL0)              \
  F(uint32_t, mAL1DivmL0)              \
  F(uint32_t, cin1InAL1)               \
  F(uint32_t, cin1InAL1Tail)           \
  F(uint32_t, nL0xk0)                  \
  F(uint64_t, kL0xorgCoAlignN0)        \
  F(uint64_t, kernelHxkernelW)         \
  F(uint64_t, cin1xOriHixOriWixk0)     \
  F(uint64_t, oriHixOriWixk0)          \
  F(uint64_t, oriWixk0)                \
  F(uint64_t, orgHixWi)                \
  F(uint64_t, orgHoxWo)                \
  F(uint32_t, pBufferFlag)             \
  F(uint32_t, groupOpt)                \
  F(uint32_t, cinOpt)                  \
  F(uint32_t, coutOpt)                 \
  F(int8_t, offsetx)                   \
  F(uint8_t, bl1FullLoad)              \
  F(uint8_t, al1FullLoad)              \
  F(uint8_t, bl1BypassFlag)            \
  F(uint8_t, iterateMNOrder)           \
  F(uint8_t, biasFullLoadFlag)         \
  F(uint8_t, fixpParamsFullLoadFlag)   \
  F(uint8_t, hf32Enable)               \
  F(uint8_t, hf32TransMode)            \
  F(uint8_t, resvered1)                \
  F(uint16_t, resvered2)               \
  F(uint32_t, resvered3)
#define WEFT_CANN_CUBE_TILING(F) \
  F(int32_t, usedCoreNum)        \
  F(int32_t, M)                  \
  F(int32_t, N)                  \
  F(int32_t, Ka)                 \
  F(int32_t, Kb)                 \
  F(int32_t, singleCoreM)        \
  F(int32_t, singleCoreN)        \
  F(int32_t, singleCoreK)        \
  F(int32_t, baseM)              \
  F(int32_t, baseN)              \
  F(int32_t, baseK)              \
  F(int32_t, depthA1)            \
  F(int32_t, depthB1)            \
  F(int32_t, stepM)              \
  F(int32_t, stepN)              \
  F(int32_t, isBias)             \
  F(int32_t, transLength)        \
  F(int32_t, iterateOrder)       \
  F(int32_t, shareMode)          \
  F(int32_t, shareL1Size)        \
  F(int32_t, shareL0CSize)       \
  F(int32_t, shareUbSize)        \
  F(int32_t, batchM)             \
  F(int32_t, batchN)             \
  F(int32_t, singleBatchM)       \
  F(int32_t, singleBatchN)       \
  F(int32_t, stepKa)             \
  F(int32_t, stepKb)             \
  F(int32_t, depthAL1CacheUB)    \
  F(int32_t, depthBL1CacheUB)    \
  F(int32_t, dbL0A)              \
  F(int32_t, dbL0B)              \
  F(int32_t, dbL0C)              \
  F(int32_t, ALayoutInfoB)       \
  F(int32_t, ALayoutInfoS)       \
  F(int32_t, ALayoutInfoN)       \
  F(int32_t, ALayoutInfoG)       \
  F(int32_t, ALayoutInfoD)       \
  F(int32_t, BLayoutInfoB)       \
  F(int32_t, BLayoutInfoS)       \
  F(int32_t, BLayoutInfoN)       \
  F(int32_t, BLayoutInfoG)       \
  F(int32_t, BLayoutInfoD)       \
  F(int32_t, CLayoutInfoB)       \
  F(int32_t, CLayoutInfoS1)      \
  F(int32_t, CLayoutInfoN)       \
  F(int32_t, CLayoutInfoG)       \
  F(int32_t, CLayoutInfoS2)      \
  F(int32_t, BatchNum)           \
  F(int32_t, mxTypePara)

#define WEFT_CANN_RECORD_FIELD(type, name) TILING_DATA_FIELD_DEF(type, name);
#define WEFT_CANN_STRUCT_FIELD(type, name) type name = 0;
#ifdef WEFT_CANN_KERNEL_SIDE
#define WEFT_CANN_TILING_PAIR(name, fields) \
  namespace AscendC {                       \
  namespace tiling {                        \
  struct name {                             \
    fields(WEFT_CANN_STRUCT_FIELD)          \
  };                                        \
  }                                         \
  }                                         \
  namespace optiling {                      \
  using name = AscendC::tiling::name;       \
  }
#else
#define WEFT_CANN_TILING_PAIR(name, fields)           \
  namespace optiling {                                \
  BEGIN_TILING_DATA_DEF(name)                         \
  fields(WEFT_CANN_RECORD_FIELD) END_TILING_DATA_DEF; \
  }                                                   \
  namespace AscendC {                                 \
  namespace tiling {                                  \
  struct name {                                       \
    fields(WEFT_CANN_STRUCT_FIELD)                    \
  };                                                  \
  }                                                   \
  }
#endif
WEFT_CANN_TILING_PAIR(SoftMaxTiling, WEFT_CANN_SOFT_MAX_TILING)
WEFT_CANN_TILING_PAIR(LayerNormTiling, WEFT_CANN_LAYER_NORM_TILING)
WEFT_CANN_TILING_PAIR(LayerNormSeparateTiling, WEFT_CANN_LAYER_NORM_SEPARATE_TILING)
WEFT_CANN_TILING_PAIR(LayerNormGradTiling, WEFT_CANN_LAYER_NORM_GRAD_TILING)
WEFT_CANN_TILING_PAIR(RmsNormTiling, WEFT_CANN_RMS_NORM_TILING)
WEFT_CANN_TILING_PAIR(DeepNormTiling, WEFT_CANN_DEEP_NORM_TILING)
WEFT_CANN_TILING_PAIR(GroupNormTiling, WEFT_CANN_GROUP_NORM_TILING)
WEFT_CANN_TILING_PAIR(TopkTiling, WEFT_CANN_TOPK_TILING)
WEFT_CANN_TILING_PAIR(ConfusionTransposeTiling, WEFT_CANN_CONFUSION_TRANSPOSE_TILING)
WEFT_CANN_TILING_PAIR(TConv3DApiTiling, WEFT_CANN_CONV3D_API_TILING)
WEFT_CANN_TILING_PAIR(TCubeTiling, WEFT_CANN_CUBE_TILING)
#undef WEFT_CANN_TILING_PAIR
#undef WEFT_CANN_STRUCT_FIELD
// SPDX-License-Identifier: Apache-2.0
