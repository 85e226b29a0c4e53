"""What is said while training: which training, which step, how long at most."""

from __future__ import annotations

from lacuna.cli.training import ProgressLine
from lacuna.pipeline.training_records import Progress


def test_one_training() -> None:
    line = ProgressLine(1)
    line.take(Progress(0, 10, 1234.56, None, 3.0, None))
    assert (line.what, line.left) == ("iteration 0 of up to 10, objective 1,234.6", "")
    line.take(Progress(4, 10, 99.0, 0.5, 7.0, 6.0))
    assert line.what == "iteration 4 of up to 10, objective 99.0, dev F1 0.5000"
    assert line.left == "up to 6 s left"
    line.take(Progress(5, 10, 98.0, None, 8.0, 5.0))
    assert line.what.endswith("objective 98.0, dev F1 0.5000")  # the last one measured


def test_several_trainings_take_as_long_as_the_present_one_each() -> None:
    line = ProgressLine(3)
    line.take(Progress(0, 10, 1.0, None, 0.0, None))
    line.take(Progress(4, 10, 1.0, 0.5, 4.0, 6.0))
    assert line.left == "up to 26 s left"  # 6 s, and twice 10 s
    line.take(Progress(10, 10, 1.0, 0.5, 10.0, 0.0))
    assert line.left == "up to 20 s left"
    line.take(Progress(0, 10, 1.0, None, 11.0, None))
    assert line.what == "training 2 of 3, iteration 0 of up to 10, objective 1.0"
    line.take(Progress(5, 10, 1.0, None, 21.0, 10.0))
    assert line.left == "up to 30 s left"
