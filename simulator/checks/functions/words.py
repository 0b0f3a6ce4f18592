"""Which function the name of a kernel says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from .libraries import IN_FILE, OF_LIBRARIES, beside_file
from .problem import FUNCTIONS, SPELLINGS

#: Other spellings of functions, as the words of a name in lower case.
_SPELLINGS: Mapping[str, str] = {
    spelling.strip(): line.partition(":")[0].strip()
    for line in """
    add: bias add, complex array addition, add bcast, vadd, vecadd, addition, addc, add bias, residual,
        fused residual
    sub: complex array subtraction, subtract, subtraction, subc, csub
    mul: complex multiply, multiply, multiplication, mult, mulc
    div: divide, division, divc, cdiv
    neg: negate, negative
    max: max last, maximum, fmax, fmaxc, reduce max, maximumc, maxc
    min: minimum, fmin, fminc, reduce min, minimumc, minc
    pow: power xy, power, powc, cpow
    clamp: clip
    abs: complex array absolute, absolute, complex abs
    square: sqr
    reciprocal: recip, inverse
    relu: apply relu, re lu
    leaky relu: lrelu, leakyrelu, leaky re lu
    hardsigmoid: hard sigmoid, hsigmoid
    hardswish: hard swish, hswish
    hardtanh: hard tanh
    softplus: soft plus
    log sigmoid: logsigmoid
    equal: eq, equalc
    not equal: ne, neq, not equalc
    greater: gt, greaterc
    less: lt, lessc
    greater equal: ge, greater equalc
    less equal: le, less equalc
    squared difference: squared diff, square diff, square difference, diff square, diff squared
    logical not: not
    shift left: left shift, shl
    shift right: right shift, shr, shift right arithmetic
    axpy: saxpy, daxpy, haxpy
    scale: complex array scale, scal, sscal
    sum: sums, all reduce sum, sum all, reduce add sum, sum last, sum last dim, summation, reduce sum, sum reduction
    mean: means, average, reduce mean
    prod: product, reduce prod, product reduction
    argmax: argmax last, arg max
    argmin: arg min
    norm: l2 norm, norm2
    nrm2: snrm2
    asum: l1 norm
    variance: var
    std: stddev
    log sum exp: logsumexp
    reduce: reduction
    scan: prefix sum, prefixsum, inclusive scan, exclusive scan, inclusive, exclusive
    cumsum: cum sum, cumulative sum
    cumprod: cum prod, cumulative product
    log cumsum exp: logcumsumexp
    softmax: fused softmax, softmax fused, soft max
    log softmax: logsoftmax, log soft max
    layer norm: layer norm fused, layernorm fused, fused layernorm, fused layer norm, layernorm,
        layer normalization
    rms norm: rmsnorm, rms normalization
    add rms norm: fused add rms norm, add rmsnorm, fused add rmsnorm, add rms normalization
    add layer norm: fused add layer norm, add layernorm, residual layer norm, fused residual layernorm
    batch norm: batchnorm, batch normalize, batch normalization, bn
    group norm: groupnorm
    instance norm: instancenorm
    normalize: l2 normalize
    matmul: symmetric matmul, matmul nn, gemm nn, matmul a bt, matmul at b, gemm xor, gemm xor swizzle, gemm,
        sgemm, hgemm, dgemm, mm, bmm, mat mul, matmult, matrix mul, matrix multiply, matrix multiplication,
        multiply matrices, tensor matrix multiply, matmul bias, gemm bias, mysgemm
    gemv: sgemv, hgemv, mat vec, matvec, mat vec mul, matvecmul, matrix vector mul, matrix vec mul,
        matrix vector multiply, matrix vector multiplication, matrix vector product
    dot: dot product, sdot, scalar prod, scalar product, inner product
    conv: convolution, conv kern, conv bias, depthwise, depthwise conv, depthwiseconv, pointwise conv
    max pool: maxpool, maxpooling, max pooling
    min pool: minpool, minpooling, min pooling
    sum pool: sumpool, sumpooling, sum pooling
    avg pool: avgpool, avgpooling, avg pooling, average pool, average pooling
    attention: fused scaled dot product attention, scaled dot product attention fused, attention forward fused,
        flash attention, sdpa, sdqa, self attention, mha, multi head attention, scaled dot product attention,
        attention causal, flash attention causal, causal attention, causal self attention, sdqa attention, attn,
        flash attn
    paged attention: pagedattention, paged attention decode, paged attention prefill, paged attn
    spmv: spmv crs, spmv csr, csr spmv
    spmm: spmm csr
    sort: merge sort, radix sort, counting sort, quick sort
    bitonic sort: bitonic block sort
    transpose: transpose last, transpose diagonal, transpose xor, transpose xor swizzle, diagonal transpose, trans,
        mat transpose, mat trans, matrix transpose
    flip: flipud, fliplr, reverse
    embedding: embed, token embedding
    index select: indexselect, permute cols
    histogram: cal hist, letter histogram, histogram aggregation, hist, histo, histc
    interpolate nearest: nearest, upsample nearest
    interpolate linear: bilinear interpolation, trilinear interpolation, bilinear, trilinear, interpolate bilinear,
        interpolate trilinear, upsample bilinear
    linspace: lin space
    logspace: log space
    concat: cat
    broadcast: broadcast to
    rope: ro pe, rotary, rotary embedding
    sum of squares: square sum, squared sum, sum squares
    pixel shuffle: pixelshuffle
    mse: mse loss, mean squared error
    rmse: root mean squared error
    mae: l1 loss
    causal softmax: causalsoftmax, causal masked softmax, softmax causal
    silu and mul: silu mul, fused silu mul
    gelu and mul: gelu mul
    swiglu: swi glu
    geglu: ge glu
    power difference: powerdifference, pow diff
    increment: plus one, add one, inc
    rot: srot, drot
    rotm: srotm, drotm
    swap: sswap
    axpby: saxpby
    grayscale: color 2 gray, gray, grey, greyscale, rgb2gray, rgb gray, rgb to gray, rgb to grey, rgb to grayscale,
        rgb to greyscale, gray scale, color to gray, color to grayscale, color to greyscale,
        color to grayscale conversion, rgba to grey
    box filter: boxfilter
    mean filter: box blur, average filter, mean blur, blur, image blur, blur image, averaging filter
    gaussian filter: gaussian, gaussian blur, gaussblur, gauss, gaussianblur, filter, convolve
    erode: erosion, imerode, morph erode
    dilate: dilation, imdilate, morph dilate
    median filter: median blur, medianfilter
    sobel: sobel filter, sobel xy, sobel edge, edge detection
    harris: harris corner
    jacobi: jacobi step, jacobi iteration
    heat: heat equation, heat step, heat diffusion
    laplacian: laplacian filter
    nbody: n body
    momentum: sgd momentum
    adam: adam step, adam update
    adamw: apply adam w, adam w
    quantized matmul: quant matmul, int8 matmul
    quantize: quant, quantise
    dequantize: dequant, dequantise
    threshold: thresholding, thresh
    binarize: binarization
    huber: huber loss, smooth l1, smooth l1 loss
    kl div: kl div loss
    hinge: hinge loss
    binary cross entropy: bce
    cross entropy: crossentropy, cross entropy loss, ce loss, softmax ce,
        softmax cross entropy, softmax xent, xent
    distance: euclidean distance, l2 distance, pairwise distance, cdist, distance matrix, pairwise l2 distance
    merge: merge sorted, merge path
    top k: topk
    count equal: count 2d equal, count 3d equal, count array element
    subarray sum: sub array sum, range sum
    scatter: scatter rows, scatter elements
    index add: indexadd, scatter sum
    gather points: gatherpoints
    group points: grouppoints
    three interpolate: threeinterpolate
    tin shift: tin shift split sequence, tinshift
    black scholes: blackscholes, black scholes prices
    game of life: gameoflife, life, conway, conway game of life, life step, game of life step
    floyd warshall: floydwarshall, floyd, fw step
    assign clusters: kmeans assign, assign points, assign centroids, find nearest centroid, nearest centroid,
        nearest centroids
    polynomial: poly eval, polyval, evaluate polynomial, horner, polynomial eval
    blend: alpha blend, blending, mix
    bias backward: matmul backward bias, dense backward bias, bias grad, backward bias
    three nn: threenn, three nearest neighbors
    knn: k nearest neighbors
    ball query: ballquery, query ball, query ball point, ball point query
    box overlaps: bbox overlaps, box iou, bbox iou, iou
    polygon area: calc area, area
    moe dispatch backward: moe dispatch backward gate, moe dispatch backward data, dispatch backward
    triplet margin loss: triplet margin, triplet loss
    fill: fill host value, fill device value, fill value, set value, init value
    zeros: fill zeros, set zero, fill zero, write zero, memset zero, zero fill, set to zero
    ones: fill ones
    one hot: onehot
    im2col: im 2 col, unfold
    col2im: col 2 im, fold
    roi align: roialign, roi align avg, roi align max
    roi align backward: roi align backward avg
    deform roi pool: deformable roi pool, deform ro i pool
    roi pool: roipool, roi max pool
    ps roi pool: psroipool, psroi pool
    border align: borderalign
    points in boxes: points in boxes part, points in boxes all
    roiaware avg pool backward: roiaware avgpool backward
    roiaware max pool backward: roiaware maxpool backward
    conj: complex conjugate
    linear: linear projection
    sigmoid focal loss: focal loss sigmoid
    gelu: gelu tanh, gelu approx
    autoregressive softmax backward: softmax autoregressive backward
    conv backward: conv backward input, conv backward weight, conv backward weights, conv backward filter
    matmul backward: matmul backward a, matmul backward b, gemm backward a, gemm backward b, dense backward input,
        dense backward weights, matmul backward weight, linear backward weight
    new centroids: update centroids, compute centroids
    conv same: convolution same
    conv full: convolution full, real convolution
    conv valid: convolution valid
    correlation: cross correlation, autocorrelation
    reverse cumsum: cumsum reverse
    exclusive cumsum: cumsum exclusive
    spmv coo: coo spmv
    cast: convert, convert to, cast to, conversion, cast to t
    diag matmul: diag mul, diagonal matmul
    upper triangular matmul: triu matmul
    lower triangular matmul: tril matmul
    masked cumsum: cumsum masked
    cosine similarity: cosine similarity loss, cosine distance, cos sim
    """.replace(",\n        ", ", ").splitlines()
    for spelling in line.partition(":")[2].split(",")
    if line.strip()
}
#: Words that say how a kernel works, and not what it computes.
_HOW = (
    frozenset(
        word
        for line in """
    kernel kernels cuda gpu mlu bang tpu npu api op ops device host global launch run do compute calc impl test my
    const naive native base baseline basic simple fast opt optimized tuned tuning default template version ver new
    dynamic static forward fwd elementwise online safe cached cache greedy two one three four pass level sample
    data in out input output union block blocks core cores multi task tasks stage pipeline pipelined parallel
    serial sequential seq loop grid tile tiled tiling blocked blocktiling warptiling threadtiling thread threads
    warp warps lane lanes cooperative groups shared shm smem mem memory sram nram gdram register registers reg
    local bank conflict free extra resolve unroll unrolled vectorized vectorize vec vector vectors pack packed
    coalesced aligned contiguous bounds shfl shuffle sync atomic atomics no async ping pong
    pingpong double buffer cp wmma mma tc ptr float half bf bfloat fp int uint char long tensor tensors array
    arrays matrix mat element elements each ele row rows rowwise col column columns axis dim batch batched major
    large small size blocksize high accuracy acc bcast inplace place dev contest demo example lookup update
    cu cuh blas cublas cudnn cnnl based coarse coarsen coarsened coarsening strided swizzle swizzled swizzling gmem
    persistent unrolling packing tmem custom mine own user ref reference operator kernal flash welford kogge stone brent
    kung hillis steele blelloch sklansky hierarchical interleaved privatized aggregated cpu gold golden plain scalar
    on with by the over find direct store stored load loaded locally read write read only efficient standard general
    generic restrict pad padded padding padless private privat privatization constant cmem tree kern dyn tiles token
    per neighbored caching ilp diopi vect recursive hybrid ldg ptx nchw nhwc cute cub complete unfused folding cg sm
    algo twopass infini infinilm sq ldmatrix stride single thrust wrapper chunked stepwise continuous continue readonly
    internal optimal optimize sequential nosync launcher calculation calculate convergent covergent cascade pure simd
    gsl strides cols coalesce fallback body multicore managed streamed irregular tall skinny mapping noncoalesced
    modern nn bool indexing inline misaligned contig koggle shmem texture reuse intrinsic primitives stream nosm elwise
    faster fprop fw bsnh bnsh bshd bhsd sbhd bsh cunn
    """.splitlines()
        for word in line.split()
    )
    | OF_LIBRARIES
)
#: Functions whose names say how another one is computed.
_MANNERS = frozenset({"reduce", "copy", "tile", "repeat", "take", "pad"})
#: Functions that kernels compute in steps, and that they compute for each block alone if a word says so.
_SORTS = (["sort"], ["bitonic sort"], ["odd even sort"], ["bubble sort"])
_STEPS, _ALONG = (["scan"], ["reduce"], *_SORTS), (["cumsum"], ["cumprod"], ["cummax"], ["cummin"])
_BLOCKS = frozenset({"block", "blocks", "warp", "local", "partial"})
#: Endings of the same word.
_ENDING = re.compile(r"(?<=[a-z]{3})i[sz](?:e|ed|ing|ation)$")
#: What a joined word may begin with that is no function: subgrid.
_PREFIX, _SHORTEST = "sub", 3
#: Words for the way back of a gradient.
_BACKWARD, _BACK = (
    "backward",
    frozenset(
        {"grad", "grads", "gradient", "gradients", "bwd", "backprop", "bprop", "bw", "back", "derivative", "deriv"}
    ),
)
_TEMPLATE, _DIMENSION = re.compile(r"<.*", re.DOTALL), re.compile(r"([1-4])[dD](?![a-z])")
_VERSION = re.compile(r"(?<=[A-Z])v[0-9]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MOST_WORDS = 8


class Said(NamedTuple):
    """A function that a name says; ``alone``: all other words say how the kernel works; ``step``: it may be a step."""

    function: str
    alone: bool
    step: bool = False


@lru_cache(maxsize=256)
def functions_of(name: str) -> tuple[Said, ...]:
    """The functions that the name of a kernel says, without its namespaces and template arguments."""
    kernel, _, file = name.partition(IN_FILE)
    titles, unknown, words = _sorted(kernel)
    step = titles in _STEPS or (titles in _ALONG and not _BLOCKS.isdisjoint(words))
    if file and not titles:
        titles, others, _ = _sorted(file)
        unknown, step = beside_file([*unknown, *others], words)
    return tuple(Said(title, len(titles) == 1 and not unknown, step) for title in titles)


class Subject(NamedTuple):
    """What a name says besides how a kernel works."""

    functions: frozenset[str]
    unknown: frozenset[str]  # other words

    def is_that_of(self, other: Subject) -> bool:
        """Whether two names say the same: the same functions, or a common word if they say none."""
        if self.functions or other.functions:
            return self.functions == other.functions
        return not self.unknown.isdisjoint(other.unknown)


def subject_of(name: str) -> Subject:
    """What a name is about."""
    titles, unknown, _ = _sorted(name)
    return Subject(frozenset(titles), frozenset(unknown))


def _sorted(name: str) -> tuple[list[str], list[str], list[str]]:
    """The functions that a name says, the words that are neither of these nor say how a kernel works, and all words.

    The words of a function may be apart, with such words alone between them.
    """
    words = _words(name)
    titles, unknown = _found(words)
    if len(titles) != 1 or unknown:
        together = _found([word for word in words if not _says_how(word)])
        if len(together[0]) == 1 and not together[1]:
            titles, unknown = together
    return titles, unknown, words


def _found(words: list[str]) -> tuple[list[str], list[str]]:
    found: list[str] = []
    unknown: list[str] = []
    at = 0
    while at < len(words):
        end, title = next(_known_at(words, at), (at + 1, ""))
        if title:
            found.append(title)
        elif not _says_how(words[at]):
            unknown.append(words[at])
        at = end
    titles = [*dict.fromkeys(found)]
    if len(titles) > 1:  # "reduce max": the one that says more
        titles = [title for title in titles if title not in _MANNERS]
    return titles, unknown


def _says_how(word: str) -> bool:
    return word in _HOW or word.isdigit() or (len(word) == 1 and word != "d")


def _words(name: str) -> list[str]:
    """The words of a name, those that are joined each alone."""
    return [part for word in _spelled(name) for part in _parts(word)]


def _spelled(name: str) -> list[str]:
    last = _VERSION.sub("_", _TEMPLATE.sub("", name).rpartition("::")[2])
    return [_stem(word.lower()) for word in _WORD.findall(_DIMENSION.sub("_", last))]


def _stem(word: str) -> str:
    """A word in the form that stands for all of its forms."""
    if word in _HOW or word in FUNCTIONS:
        return word
    return _BACKWARD if word in _BACK else _ENDING.sub("ize", word)


def _parts(word: str) -> list[str]:
    """Two known words that are written as one, if they can only be these."""
    if word in _known() or word.startswith(_PREFIX):
        return [word]
    cuts = range(_SHORTEST, len(word) - _SHORTEST + 1)
    pairs = [[_stem(word[:at]), _stem(word[at:])] for at in cuts]
    found = [pair for pair in pairs if _known().issuperset(pair)]
    return found[0] if len(found) == 1 else [word]


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """All words of functions, and those that say how a kernel works."""
    return _HOW | {word for spelling in _titles() for word in spelling.split()}


def _known_at(words: list[str], at: int) -> Iterator[tuple[int, str]]:
    """The functions that begin at a word, each with the place behind its last word, the longest first."""
    for end in range(min(len(words), at + _MOST_WORDS), at, -1):
        text = " ".join(words[at:end])
        if title := _titles().get(text):
            yield end, title


@lru_cache(maxsize=1)
def _titles() -> Mapping[str, str]:
    """The functions by the words of all their spellings."""
    titles = {**_SPELLINGS, **SPELLINGS, **{title: title for title in FUNCTIONS}}
    back = {spelling: f"{title} {_BACKWARD}" for spelling, title in titles.items()}
    for spelling, title in back.items():
        if title in FUNCTIONS:
            titles |= dict.fromkeys((f"{spelling} {_BACKWARD}", f"{_BACKWARD} {spelling}", f"d {spelling}"), title)
    return {" ".join(_spelled(spelling)): title for spelling, title in titles.items()}
