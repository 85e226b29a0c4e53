"""Every route answers as the OpenAPI description says, whatever it is sent, and never with 5xx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from lacuna.web.server.app import create_app
from lacuna.web.server.project_routes import settings_etag
from lacuna.web.server.security import HEADERS, headers_of, loopback
from lacuna.web.server.served import Served
from lacuna.web.suggestions import Suggester
from tests.web.server.conftest import MARKER, Lines, project_of_notes

EXAMPLES = 12  #: of valid requests to each route, and of invalid ones
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
STREAM = "/api/events"  # it has no end


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("description")
    with project_of_notes(folder / "ward7", model="bundled") as project:
        address, lines = loopback(80), Lines()
        made = Served(project, person="ana", root=folder, address=address, log=lines.log)
        made.use(Suggester.open(project))
        yield made
        made.close()
        assert lines.errors == []


def marked(value: Any) -> Any:
    """Return JSON with the marker word in all its strings and names."""
    if isinstance(value, str):
        return value + MARKER
    if isinstance(value, list):
        return [marked(one) for one in value]
    if isinstance(value, dict):
        return {name: marked(one) for name, one in value.items()} | {MARKER: 1}
    return value


def headers_for(served: Served) -> dict[str, str]:
    return {
        "Host": "127.0.0.1:80",
        "Origin": "http://127.0.0.1:80",
        "Sec-Fetch-Site": "same-origin",
        "Authorization": f"Bearer {served.sessions.token}",
    }


def version(operation: Any, served: Served, key: int) -> object:
    """Return the version that a client has seen."""
    row = served.store.row(key)
    if operation.path == "/api/project":
        return settings_etag(served.project)
    return row.version if row else 0


def check(operation: Any, served: Served, mode: GenerationMode) -> Counter[int]:
    """Send requests to a route; return how often it gave which status."""
    seen: Counter[int] = Counter()
    headers = headers_for(served)

    @given(
        case=operation.as_strategy(generation_mode=mode),
        key=st.sampled_from([0, 1, 2, 3]),
        is_marked=st.booleans(),
    )
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def run(case: Any, key: int, is_marked: bool) -> None:
        if key and "key" in (case.path_parameters or {}):
            case.path_parameters["key"] = key  # one that there is
        is_json = isinstance(case.body, dict | list)
        if is_marked and is_json:
            case.body = marked(case.body)
        answer = case.call(headers=headers | {"If-Match": f'"{version(operation, served, key)}"'})
        seen[answer.status_code] += 1
        expected = headers_of(operation.path, answer.status_code)
        assert {name: answer.headers[name.lower()][0] for name in HEADERS} == expected
        if answer.status_code >= 400:
            assert MARKER.encode() not in answer.content
        case.validate_response(answer, checks=CHECKS)

    run()
    return seen


@pytest.mark.filterwarnings("ignore")  # of the client that schemathesis uses
@pytest.mark.parametrize("mode", list(GenerationMode), ids=str)
def test_every_route_is_as_described(served: Served, mode: GenerationMode) -> None:
    app = create_app(served)
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=headers_for(served))
    total, paths = Counter[int](), set[str]()
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]
        if operation.path == STREAM:
            continue
        try:
            total += check(operation, served, mode)
        except Unsatisfiable:  # nothing that could be wrong
            assert mode is GenerationMode.NEGATIVE
        except BaseException as error:
            error.add_note(f"{operation.method.upper()} {operation.path}")
            raise
        paths.add(operation.path)
    assert len(paths) >= 20
    assert total[200 if mode is GenerationMode.POSITIVE else 422] > 50
    assert not [status for status in total if status >= 500]


def test_operations_are_described_as_they_are_read(served: Served) -> None:
    description = create_app(served).openapi()
    items = description["components"]["schemas"]["Edit"]["properties"]["operations"]["items"]
    names = [one["properties"]["op"]["enum"][0] for one in items["anyOf"]]
    assert names == ["add", "change", "remove", "accept", "reject", "state"]
    assert "$ref" not in str(items)
