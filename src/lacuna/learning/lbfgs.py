"""Limited-memory BFGS on flat arrays, one step at a time; with L1 by orthant-wise steps.

The two-loop recursion (Nocedal 1980) needs only inner products between the last m steps s, the
changes of gradient y and the gradient g. We keep those products in a small table and compute the
direction as one linear combination (Chen et al. 2014), so that each iteration passes over the
history twice instead of 4m times: with millions of weights that dominates the cost.

With L1 the direction comes from the pseudo-gradient and steps stay in the orthant they start in
(Andrew and Gao 2007, "OWL-QN").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from lacuna.inference.batch import share_rows
from lacuna.kernels import kernel
from lacuna.types import FloatArray, IntArray, RealArray

Objective = Callable[[RealArray], tuple[float, RealArray]]
SUFFICIENT_DECREASE = 1e-4
SMALLEST_STEP = 1e-8
LARGEST_CHANGE = 4.0  #: of a single weight in a step: beyond it the quadratic model does not hold
FIRST_CHANGE = 1.0
BLOCK = 2048


class Iterate(NamedTuple):
    """A point the optimiser accepted; value includes the L1 penalty."""

    iteration: int
    point: RealArray
    value: float
    gradient_norm: float


def minimise(
    objective: Objective,
    start: RealArray,
    *,
    scale: RealArray | float = 1.0,
    l1: float = 0.0,
    memory: int = 5,
) -> Iterator[Iterate]:
    """Yield ever better points as long as they are asked for; ends when no step helps.

    Parameters
    ----------
    objective
        Returns value and gradient; the gradient must be a new array each time.
    start
        Where to begin; its precision is used throughout.
    scale
        How far each weight is expected to move: the search runs over z = point / scale. The more
        equal the curvature along all z, the fewer iterations are needed.
    l1
        Weight of the penalty Σ |x|, added here.
    memory
        Number of steps kept.
    """
    point = start.copy()
    value, gradient = objective(point)
    value += l1 * float(np.abs(point).sum())
    history, iteration = _History(memory, point), 0
    while True:
        slope = _pseudo_gradient(point, gradient, l1)
        norm = float(np.sqrt(np.dot(slope, slope)))
        yield Iterate(iteration, point, value, norm)
        if norm == 0.0:
            return
        direction = history.direction(scale * slope)
        direction *= scale
        if l1:
            direction[direction * slope > 0] = 0.0
        largest = LARGEST_CHANGE if history.size else FIRST_CHANGE
        direction *= min(1.0, largest / float(np.abs(direction).max()))
        found = _line_search(objective, point, value, slope, direction, l1)
        if found is None and history.size:
            history.forget()
            continue
        if found is None:
            return
        new_point, value, new_gradient = found
        history.add(point, gradient, new_point, new_gradient, scale)
        point, gradient = new_point, new_gradient
        iteration += 1


def _pseudo_gradient(point: RealArray, gradient: RealArray, l1: float) -> RealArray:
    """Return the slope of the penalised objective in its direction of descent."""
    if not l1:
        return gradient
    right, left = gradient + point.dtype.type(l1), gradient - point.dtype.type(l1)
    at_zero = np.where(right < 0, right, np.where(left > 0, left, 0))
    return np.where(point > 0, right, np.where(point < 0, left, at_zero))


def _line_search(
    objective: Objective,
    point: RealArray,
    value: float,
    slope: RealArray,
    direction: RealArray,
    l1: float,
) -> tuple[RealArray, float, RealArray] | None:
    """Shorten the step until the value decreases enough; None if it never does."""
    orthant = np.where(point != 0, np.sign(point), -np.sign(slope)) if l1 else None
    step = 1.0
    while step > SMALLEST_STEP:
        candidate = point + point.dtype.type(step) * direction
        if orthant is not None:
            candidate[candidate * orthant < 0] = 0.0
        decrease = float(np.dot(slope, candidate - point))
        new_value, gradient = objective(candidate)
        new_value += l1 * float(np.abs(candidate).sum()) if l1 else 0.0
        if new_value <= value + SUFFICIENT_DECREASE * decrease:
            return candidate, new_value, gradient
        # minimum of the parabola through both values and the slope at the start
        rise = new_value - value - decrease
        step *= min(0.5, max(0.1, -decrease / (2 * rise))) if np.isfinite(rise) else 0.1
    return None


class _History:
    """The last steps s and changes of gradient y, and all inner products between them.

    `rows` are s of slots 0..m-1, y of slots 0..m-1, and last the gradient, then the direction.
    """

    def __init__(self, memory: int, like: RealArray) -> None:
        self.memory = memory
        self.rows = np.zeros((2 * memory + 1, len(like)), like.dtype)
        self.products = np.zeros((2 * memory + 1, 2 * memory + 1))
        self.slots: list[int] = []  # oldest first
        self.fresh: list[int] = []  # rows whose products are not known yet

    @property
    def size(self) -> int:
        return len(self.slots)

    def forget(self) -> None:
        self.slots = []

    def add(
        self,
        point: RealArray,
        gradient: RealArray,
        new_point: RealArray,
        new_gradient: RealArray,
        scale: RealArray | float,
    ) -> None:
        """Remember s = (new point - point) / scale and y = (new gradient - gradient) · scale."""
        slot = self.slots.pop(0) if self.size == self.memory else _free(self.slots, self.memory)
        step, change = self.rows[slot], self.rows[self.memory + slot]
        np.subtract(new_point, point, out=step)
        np.subtract(new_gradient, gradient, out=change)
        step /= scale
        change *= scale
        if float(np.dot(step, change)) > 0.0:  # else there is no curvature along this step
            self.slots.append(slot)
            self.fresh = [slot, self.memory + slot]

    def direction(self, gradient: RealArray) -> RealArray:
        """Return -H · gradient, H the approximate inverse of the Hessian, in the last row."""
        self.rows[-1] = gradient
        self._multiply([*self.fresh, len(self.rows) - 1])
        self.fresh = []
        weights = self._two_loops()
        share_rows(len(gradient), lambda a, b: combine(self.rows, weights, a, b))
        direction: RealArray = self.rows[-1]
        return direction

    def _multiply(self, chosen: list[int]) -> None:
        rows = np.array(chosen, np.int32)
        parts = share_rows(self.rows.shape[1], lambda a, b: inner_products(self.rows, rows, a, b))
        products = np.sum(parts, axis=0)
        self.products[rows] = products
        self.products[:, rows] = np.transpose(products)

    def _two_loops(self) -> FloatArray:
        """Run the recursion on coefficients: the vector is Σ_i weights[i] · rows[i]."""
        m, dot = self.memory, self.products
        weights: FloatArray = np.zeros(2 * m + 1)
        weights[-1] = -1.0
        if not self.slots:
            return weights / float(np.sqrt(dot[-1, -1]))
        alpha: dict[int, float] = {}
        for slot in reversed(self.slots):
            alpha[slot] = float(weights @ dot[:, slot]) / dot[slot, m + slot]
            weights[m + slot] -= alpha[slot]
        newest = self.slots[-1]
        weights *= dot[newest, m + newest] / dot[m + newest, m + newest]
        for slot in self.slots:
            beta = float(weights @ dot[:, m + slot]) / dot[slot, m + slot]
            weights[slot] += alpha[slot] - beta
        return weights


def _free(taken: list[int], size: int) -> int:
    """Return the first slot that is not taken."""
    return next(slot for slot in range(size) if slot not in taken)


@kernel
def inner_products(rows: RealArray, chosen: IntArray, first: int, last: int) -> FloatArray:
    """Return products[c, i] = Σ_n rows[chosen[c], n] · rows[i, n] for n in [first, last)."""
    products = np.zeros((len(chosen), len(rows)))
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        for i in range(len(rows)):
            row = rows[i, begin:end]
            for c in range(len(chosen)):
                other = rows[chosen[c], begin:end]
                total = rows.dtype.type(0.0)
                for n in range(len(row)):
                    total += row[n] * other[n]
                products[c, i] += total
    return products


@kernel
def combine(rows: RealArray, coefficients: FloatArray, first: int, last: int) -> None:
    """rows[-1, n] ← Σ_i coefficients[i] · rows[i, n] for n in [first, last)."""
    for begin in range(first, last, BLOCK):
        end = min(begin + BLOCK, last)
        target = rows[-1, begin:end]
        weight = rows.dtype.type(coefficients[-1])
        for n in range(len(target)):
            target[n] *= weight
        for i in range(len(rows) - 1):
            row = rows[i, begin:end]
            weight = rows.dtype.type(coefficients[i])
            if weight != 0.0:
                for n in range(len(row)):
                    target[n] += weight * row[n]
