/* What the kernels ask of Numba's runtime: blocks of memory that count their references. */

#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

void *malloc(__SIZE_TYPE__);
void free(void *);
double nextafter(double, double);

struct block { /* as numba/core/runtime/nrtdynmod.py knows it */
    int64_t references;
    void *destructor, *of_destructor, *data;
    int64_t size;
};

HIDDEN struct block *NRT_MemInfo_alloc_aligned(int64_t size, int32_t align) {
    struct block *block = malloc(sizeof *block + size + align);
    if (block) {
        uintptr_t data = (uintptr_t)(block + 1) + align - 1;
        *block = (struct block){1, 0, 0, (void *)(data - data % align), size};
    }
    return block;
}
HIDDEN struct block *NRT_MemInfo_alloc(int64_t size) { return NRT_MemInfo_alloc_aligned(size, 16); }
HIDDEN void NRT_MemInfo_call_dtor(struct block *block) { free(block); }
HIDDEN void *NRT_Allocate(int64_t size) { return malloc(size); }
HIDDEN void NRT_Free(void *memory) { free(memory); }
HIDDEN double numba_nextafter(double from, double to) { return nextafter(from, to); }

void VERSION(void) {} /* says what the library was made of */
