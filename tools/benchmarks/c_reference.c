/* The physical limit: the same work in C, for the benchmark `peers`.  No cleverness that the
   kernels lack, and none left out: bits of an int, a table of lines for tic-tac-toe. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

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

/* UCT: a simulation walks down by UCB1, adds the children of a leaf that it meets again, plays a
   random game, and adds half points on the way up.  A node counts for the player who moved to it.
   As in the kernels, selection reads only two floats of each child, which are neighbours. */

typedef struct {
    float mean, exploration; /* of a child without a visit: infinite, 0 */
} Term;

typedef struct {
    int64_t mine, taken; /* stones of the player to move, and of both */
    int32_t first, visits, halves;
    int8_t children, over; /* over: half points of the player who moved here, plus 1 */
} Node;

static Node *tree;
static Term *terms;
static int32_t used;
static int is_four;
static uint64_t drawn;

static uint64_t random_below(uint64_t limit) {
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (drawn >> 32) * limit >> 32;
}

static int wins(int64_t s) { return is_four ? four(s) : line3[s]; }

static int64_t legal(int64_t taken) {
    return is_four ? (taken + BOTTOM) & BOARD : 0x777 & ~taken;
}

static int random_game(int64_t mine, int64_t taken) {
    for (int mover = 0;; mover ^= 1) { /* half points of the player who moved before */
        int64_t move = 0;
        while (!move) {
            int i = random_below(is_four ? 7 : 9), cell = i / 3 * 4 + i % 3;
            move = is_four ? (taken + (1LL << 7 * i)) & 63LL << 7 * i : ~taken & 1LL << cell;
        }
        if (wins(mine | move)) return mover ? 2 : 0;
        mine ^= taken, taken |= move;
        if (taken == (is_four ? BOARD : 0x777)) return 1;
    }
}

static void add_children(Node *node) {
    node->first = used;
    for (int64_t todo = legal(node->taken); todo; todo &= todo - 1) {
        int64_t move = todo & -todo, taken = node->taken | move;
        int over = wins(node->mine | move) ? 3 : legal(taken) ? 0 : 2;
        terms[used] = (Term){INFINITY, 0};
        tree[used++] = (Node){.mine = node->mine ^ node->taken, .taken = taken, .over = over};
        node->children++;
    }
}

static int32_t best_child(Node *node) {
    float most = -1, spread = sqrtf(2 * logf(node->visits));
    int32_t best = 0;
    for (int32_t child = node->first; child < node->first + node->children; child++) {
        float score = terms[child].mean + spread * terms[child].exploration;
        if (score > most) most = score, best = child;
    }
    return best;
}

/* Return the visits of the most visited move from the empty board, or -1 without memory. */
long uct(int connect_four, long simulations, uint64_t seed) {
    int32_t path[43], most = 0;
    tree = malloc((9 * simulations + 10) * sizeof *tree);
    terms = malloc((9 * simulations + 10) * sizeof *terms);
    if (!tree || !terms) return -1;
    is_four = connect_four, drawn = seed, used = 1, tree[0] = (Node){0};
    for (long done = 0; done < simulations; done++) {
        int length = 1;
        Node *node = tree;
        path[0] = 0;
        while (!node->over && (node->children || node->visits)) {
            if (!node->children) add_children(node);
            node = &tree[path[length++] = best_child(node)];
        }
        int halves = node->over ? node->over - 1 : random_game(node->mine, node->taken);
        for (; length; halves = 2 - halves) {
            int32_t at = path[--length];
            float visits = ++tree[at].visits;
            tree[at].halves += halves;
            terms[at] = (Term){tree[at].halves / (2 * visits), 1 / sqrtf(visits)};
        }
    }
    for (int child = 1; child <= tree->children; child++)
        if (tree[child].visits > most) most = tree[child].visits;
    free(tree), free(terms);
    return most;
}
