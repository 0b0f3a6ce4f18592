"""Samples in the bins of regions, each bin of channels of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .bins import own_bins
from .problem import Formula, Problem, function, of_all_results, spelled
from .roi import images_of, regions_of, results_of, samples_of


@function("ps roi align")
def _own(problem: Problem) -> Iterator[Formula]:
    """The mean of the samples of each bin; or which channel it is of."""
    for x, regions, rois in regions_of(problem, 5):
        for images in images_of(problem, x.values.shape, x.size):
            for bins, channels in own_bins(problem, problem.shape, problem.size, len(rois), images):
                numbers = np.broadcast_to(channels, (len(rois), *channels.shape))
                yield Formula(f"channels of the bins of {regions.name}", images.flat(numbers).astype(np.float64))
                for taps in samples_of(problem, rois, images, bins):
                    own = np.tile(channels, (len(rois), 1))[:, None]
                    samples = np.take_along_axis(taps.samples(images.rows(x.flat)), own, axis=2)
                    mean = (samples * taps.shares[..., None]).sum(axis=1)
                    values = images.flat(mean.reshape(len(rois), -1, channels.shape[1]))
                    yield Formula(f"mean of {x.name} in {regions.name}, channels of their own, {taps.text}", values)


@function("ps roi align backward")
def _own_back(problem: Problem) -> Iterator[Formula]:
    for coming, regions, rois in regions_of(problem, 5):
        for images in images_of(problem, problem.shape, problem.size):
            for bins, channels in own_bins(problem, coming.values.shape, coming.size, len(rois), images):
                back = results_of(coming, replace(images, channels=channels.shape[1]), len(rois))
                rows = np.zeros((len(rois), len(channels), images.channels))
                np.put_along_axis(rows, np.broadcast_to(channels, back.shape), back, axis=2)
                for taps in samples_of(problem, rois, images, bins):
                    made = taps.back(images, taps.shares, rows.reshape(-1, 1, images.channels))
                    yield Formula(f"{coming.name} back to {regions.name}, {taps.text}", images.flat(made))


of_all_results("ps roi align")
spelled("ps roi align", "psroi align, position sensitive roi align")
