/* A stand-in for the driver's library: the same functions, with the sizes and types of the real one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { unsigned long long total, free, used; } memory_t;
static int opened = 0;

static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

int nvmlInit_v2(void) {
    if (number("FAKE_NVML_HANG", 0)) sleep(60);
    if (number("FAKE_NVML_INIT", 0)) return number("FAKE_NVML_INIT", 0);
    opened = 1;
    return 0;
}
int nvmlShutdown(void) { opened = 0; return 0; }
int fake_is_open(void) { return opened; }
int nvmlSystemGetDriverVersion(char *text, unsigned int length) {
    if (length < 80) return 7;
    strcpy(text, "570.86.15");
    return 0;
}
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = number("FAKE_NVML_COUNT", 2); return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **handle) {
    if ((int)index == number("FAKE_NVML_LOST", -1)) return 15;
    /* A pointer that needs all of its 64 bits. */
    *handle = (void *)(0x7f00000000000000ULL + index);
    return 0;
}
static unsigned int index_of(void *handle) {
    return (unsigned int)((unsigned long long)handle - 0x7f00000000000000ULL);
}
int nvmlDeviceGetName(void *handle, char *text, unsigned int length) {
    if (length < 64 || index_of(handle) > 7) return 2;
    strcpy(text, "NVIDIA H200");
    return 0;
}
int nvmlDeviceGetUUID(void *handle, char *text, unsigned int length) {
    if (length < 80) return 7;
    strcpy(text, index_of(handle) ? "GPU-1111" : "GPU-0000");
    return 0;
}
int nvmlDeviceGetMemoryInfo(void *handle, memory_t *memory) {
    if (index_of(handle) > 7) return 2;
    memory->total = 150754820096ULL;
    memory->free = 1;
    memory->used = 2;
    return 0;
}
