"""Learning curves: one or several, each point where its share belongs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from lacuna.pictures import svg
from lacuna.pictures.learning_curve import Point, learning_curve, learning_curves

SOME = [Point(0, 0.4, 0.3, 0.5), Point(20, 0.2, 0.1, 0.3)]
OTHERS = [Point(0, 0.4, 0.4, 0.4), Point(20, 0.3, 0.2, 0.35)]
CIRCLE = re.compile(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="4" fill="(#\w+)"')


def test_one_curve_has_no_legend() -> None:
    picture = learning_curve(SOME)
    ElementTree.fromstring(picture)
    circles = CIRCLE.findall(picture)
    assert [colour for _, _, colour in circles] == [svg.COLOURS[0]] * 2
    assert [float(x) for x, _, _ in circles] == [64, 536]
    assert picture.count('class="point"') == 2
    assert "documents learnt from" in picture


def test_curves_have_colours_names_and_one_scale() -> None:
    picture = learning_curves({"by <need>": SOME, "random": OTHERS}, below="notes reviewed")
    ElementTree.fromstring(picture)
    circles = [(float(x), float(y), colour) for x, y, colour in CIRCLE.findall(picture)]
    points, legend = circles[:4], circles[4:]
    assert [colour for *_, colour in points] == [c for c in svg.COLOURS[:2] for _ in range(2)]
    assert [colour for *_, colour in legend] == [*svg.COLOURS[:2]]
    assert points[0][1] == points[2][1]  # equal shares, one beside the other
    assert points[2][0] - points[0][0] == pytest.approx(4)
    assert points[1][1] > points[3][1]  # missing less is lower
    assert "by &lt;need&gt;" in picture
    assert "notes reviewed" in picture


@pytest.mark.parametrize("series", [{}, {"a": []}])
def test_nothing_measured(series: dict[str, list[Point]]) -> None:
    assert "nothing was measured yet" in learning_curves(series)
    assert "nothing was measured yet" in learning_curve([])
