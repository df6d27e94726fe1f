// each_row.h - X(1) ... X(ROWS): one function for each height of a tile, in sources that are compiled for
// each instruction set; HALF_ROWS(X) goes to half of that. The including file says ROWS.
#define UP_TO_2(X)  X(1) X(2)
#define UP_TO_3(X)  UP_TO_2(X) X(3)
#define UP_TO_4(X)  UP_TO_3(X) X(4)
#define UP_TO_5(X)  UP_TO_4(X) X(5)
#define UP_TO_6(X)  UP_TO_5(X) X(6)
#define UP_TO_7(X)  UP_TO_6(X) X(7)
#define UP_TO_10(X) UP_TO_7(X) X(8) X(9) X(10)
#define UP_TO_12(X) UP_TO_10(X) X(11) X(12)
#define UP_TO_14(X) UP_TO_12(X) X(13) X(14)
#if ROWS == 14
#define EACH_ROW  UP_TO_14
#define HALF_ROWS UP_TO_7
#elif ROWS == 12
#define EACH_ROW  UP_TO_12
#define HALF_ROWS UP_TO_6
#elif ROWS == 10
#define EACH_ROW  UP_TO_10
#define HALF_ROWS UP_TO_5
#elif ROWS == 6
#define EACH_ROW  UP_TO_6
#define HALF_ROWS UP_TO_3
#else
#define EACH_ROW  UP_TO_4
#define HALF_ROWS UP_TO_2
#endif
// SPDX-License-Identifier: Apache-2.0
