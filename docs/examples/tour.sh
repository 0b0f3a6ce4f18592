# The tour: what the host lacks, a kernel with a mistake, the kernel without it, and its report, in the current folder.
set -e
examples=$(dirname "$0")
mlusim doctor || true
! mlusim run "$examples/scale_broken.mlu" --kernel scale --dim 4 --arg zeros:float32:100000 ones:float32:100000 3 100000
mlusim run "$examples/scale.mlu" --kernel scale --dim 4 --arg zeros:float32:100000 ones:float32:100000 3 100000 --report scale.html
