// Memory that threads take from the heap of the device.
struct Node {
  int value;
  Node *next;
};

// Each thread builds a list of so many nodes, adds their values up, and gives them back.
__global__ void lists(int *sums, int nodes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node *first = nullptr;
  for (int n = 0; n < nodes; n++) first = new Node{i + n, first};
  while (first) {
    sums[i] += first->value;
    Node *next = first->next;
    delete first;
    first = next;
  }
}

// What one launch takes, and a later one reads and gives back.
__global__ void take(float **kept, int n) {
  kept[threadIdx.x] = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) kept[threadIdx.x][i] = threadIdx.x * 100 + i;
}
__global__ void give_back(float *sums, float **kept, int n) {
  float *mine = kept[threadIdx.x];
  for (int i = 0; i < n; i++) sums[threadIdx.x] += mine[i];
  free(mine);
}

__global__ void shared_by_a_block(int *out) {
  __shared__ size_t place;
  if (threadIdx.x == 0) place = (size_t) new int[blockDim.x];
  __syncthreads();
  int *block = (int *)place;
  block[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = block[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) delete[] block;
}

__global__ void grows(int *out, int n) {
  int *made = (int *)calloc(2, sizeof(int));
  out[0] = made[0] + made[1];
  for (int room = 2; room < n; room *= 2) made = (int *)realloc(made, 2 * room * sizeof(int));
  for (int i = 0; i < n; i++) made[i] = i;
  out[1] = made[n - 1];
  free(made);
}

__global__ void too_much(int *out) {
  out[0] = malloc((size_t)1 << 40) == nullptr;
  out[1] = calloc((size_t)1 << 62, sizeof(int)) == nullptr;  // 0 bytes, as far as 64 bits go
}
__global__ void by_the_runtime(int *out, int n) {
  __shared__ int *made, **pointers[1];
  if (threadIdx.x == 0) {
    pointers[0] = &made;
    out[blockDim.x] = cudaMalloc(&made, n * sizeof(int));
    out[blockDim.x + 1] = cudaMalloc(&made, (size_t)1 << 40) == cudaErrorMemoryAllocation && !made;
    cudaMalloc((void **)&made, n * sizeof(int));
  }
  __syncthreads();
  made[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = (*pointers[0])[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[blockDim.x + 2] = cudaFree(made);
}
__global__ void behind(int *out, int n) {
  volatile int *made = new int[n];
  out[0] = made[n];  // ^ behind
}
__global__ void given_back(int *out, int n) {
  volatile int *made = new int[n];
  made[0] = 1;
  delete[] made;
  out[0] = made[0];  // ^ given_back
}
