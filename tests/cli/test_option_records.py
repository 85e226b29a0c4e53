"""Records of options become flat options of a command."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner, Result

from lacuna.cli.option_records import flat, only


@dataclass(frozen=True, slots=True)
class Fruit:
    name: Annotated[str, typer.Option("--name", metavar="NAME")] = "apple"
    count: Annotated[int, typer.Option(min=1)] = 2
    ripe: Annotated[bool, typer.Option("--ripe")] = False


@dataclass(frozen=True, slots=True)
class Address:
    street: Annotated[str, typer.Option()]


SEEN: list[object] = []


def buy(
    shop: Annotated[str, typer.Argument()],
    *,
    address: Address,
    fruit: Fruit,
    fast: Annotated[bool, typer.Option("--fast")] = False,
) -> None:
    """Buy fruit."""
    SEEN.append((shop, address, fruit, fast))


def taste(
    *,
    fruit: Annotated[Fruit, only("ripe", "name")],
    bites: Annotated[int, typer.Option()] = 1,
) -> None:
    """Taste fruit."""
    SEEN.append((fruit, bites))


def invoke(*arguments: str) -> Result:
    app = typer.Typer(rich_markup_mode=None)
    app.command("buy")(flat(buy))
    app.command("taste")(flat(taste))
    SEEN.clear()
    return CliRunner().invoke(app, arguments)


def called(*arguments: str) -> object:
    assert invoke(*arguments).exit_code == 0
    return SEEN[0]


def test_fields_take_the_place_of_their_record() -> None:
    names = ["shop", "street", "name", "count", "ripe", "fast"]
    assert list(signature(flat(buy)).parameters) == names


def test_records_are_built_from_what_was_given() -> None:
    found = called("buy", "corner", "--count", "3", "--street", "Main", "--fast")
    assert found == ("corner", Address("Main"), Fruit(count=3), True)


def test_only_chooses_fields_and_their_order() -> None:
    assert list(signature(flat(taste)).parameters) == ["ripe", "name", "bites"]
    assert called("taste", "--ripe") == (Fruit(ripe=True), 1)


@pytest.mark.parametrize(
    ("given", "option"), [(("--street", "Main", "--count", "0"), "--count"), ((), "--street")]
)
def test_limits_and_required_fields_are_kept(given: tuple[str, ...], option: str) -> None:
    result = invoke("buy", "corner", *given)
    assert result.exit_code == 2
    assert option in result.output


def test_names_that_clash_are_refused() -> None:
    def command(*, name: str, fruit: Fruit) -> None: ...

    with pytest.raises(ValueError, match="duplicate parameter name"):
        flat(command)
