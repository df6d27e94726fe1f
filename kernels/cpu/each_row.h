// each_row.h - X(1) ... X(ROWS): one function for each height of a tile, in sources that are compiled for
// each instruction set. The including file says ROWS.
#define UP_TO_4(X)  X(1) X(2) X(3) X(4)
#define UP_TO_6(X)  UP_TO_4(X) X(5) X(6)
#define UP_TO_10(X) UP_TO_6(X) X(7) X(8) X(9) X(10)
#define UP_TO_12(X) UP_TO_10(X) X(11) X(12)
#define UP_TO_14(X) UP_TO_12(X) X(13) X(14)
#if ROWS == 14
#define EACH_ROW UP_TO_14
#elif ROWS == 12
#define EACH_ROW UP_TO_12
#elif ROWS == 10
#define EACH_ROW UP_TO_10
#elif ROWS == 6
#define EACH_ROW UP_TO_6
#else
#define EACH_ROW UP_TO_4
#endif
