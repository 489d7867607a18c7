/* The physical limit: the same work in C, for the benchmark `peers`.  No cleverness that the
   kernels lack, and none left out: bits of an int, a table of lines for tic-tac-toe. */

#include <stdint.h>

static uint8_t line3[4096]; /* of each set of stones on 3 rows of 4 bits */
static long nodes;

static int has_line(int64_t s, int stride, int k) {
    int steps[4] = {1, stride - 1, stride, stride + 1};
    for (int d = 0; d < 4; d++) {
        int64_t starts = s;
        for (int i = 1; i < k; i++) starts &= s >> i * steps[d];
        if (starts) return 1;
    }
    return 0;
}

void prepare(void) {
    for (int s = 0; s < 4096; s++) line3[s] = has_line(s, 4, 3);
}

static int minimax(int mine, int theirs, int free) {
    int best = -2;
    for (int todo = free; todo; todo &= todo - 1) {
        int move = todo & -todo, value;
        nodes++;
        if (line3[mine | move]) value = 1;
        else if (free == move) value = 0;
        else value = -minimax(theirs, mine | move, free ^ move);
        if (value > best) best = value;
    }
    return best;
}

long tictactoe_minimax(void) {
    nodes = 1;
    return minimax(0, 0, 0x777) == 0 ? nodes : -1;
}

static int alphabeta(int mine, int theirs, int free, int alpha, int beta) {
    int best = -2;
    for (int todo = free; todo; todo &= todo - 1) {
        int move = todo & -todo, value;
        nodes++;
        if (line3[mine | move]) value = 1;
        else if (free == move) value = 0;
        else value = -alphabeta(theirs, mine | move, free ^ move, -beta, -alpha);
        if (value > best) {
            best = value;
            if (best > alpha) alpha = best;
            if (alpha >= beta) break;
        }
    }
    return best;
}

long tictactoe_alphabeta(void) {
    nodes = 1;
    return alphabeta(0, 0, 0x777, -2, 2) == 0 ? nodes : -1;
}

static int four(int64_t s) {
    int64_t pairs = s & s >> 1, found = pairs & pairs >> 2;
    pairs = s & s >> 6, found |= pairs & pairs >> 12;
    pairs = s & s >> 7, found |= pairs & pairs >> 14;
    pairs = s & s >> 8, found |= pairs & pairs >> 16;
    return found != 0;
}

static const int64_t BOTTOM = 0x40810204081, BOARD = 0x40810204081 * 63;

static int four_alphabeta(int64_t mine, int64_t taken, int alpha, int beta, int depth) {
    int best = -2;
    for (int64_t todo = (taken + BOTTOM) & BOARD; todo; todo &= todo - 1) {
        int64_t move = todo & -todo;
        int value;
        nodes++;
        if (four(mine | move)) value = 1;
        else if ((taken | move) == BOARD || depth == 1) value = 0;
        else value = -four_alphabeta(mine ^ taken, taken | move, -beta, -alpha, depth - 1);
        if (value > best) {
            best = value;
            if (best > alpha) alpha = best;
            if (alpha >= beta) break;
        }
    }
    return best;
}

long connect_four_alphabeta(int depth) {
    nodes = 1;
    four_alphabeta(0, 0, -2, 2, depth);
    return nodes;
}
