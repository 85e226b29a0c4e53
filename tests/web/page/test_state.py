"""A note in the browser and the same note on the server, with answers that get lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lacuna.web.edits import check_of
from tests.strategies import characters, spans_in
from tests.web.page.conftest import TEXT, OpenTabs, Serve

if TYPE_CHECKING:
    pass

QUIET = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
EDITS = ("add", "accept", "reject", "change", "border", "flag")
STEP = st.tuples(st.sampled_from(EDITS), st.integers(0, 30), st.integers(1, 9))
ANY_STEP = STEP | st.tuples(st.sampled_from(("undo", "redo", "wait")), st.just(0), st.just(0))
FAULTS = st.lists(st.sampled_from(("", "", "before", "after", "busy")), max_size=12)

#: Windows of one note, over a line that fails as told; steps are done by number of window.
RUN = """async ({ key, windows, steps, faults }) => {
  const { api, ApiError, Offline } = await import('/static/js/api.js');
  const { Notes } = await import('/static/js/state.js');
  const { accepting, adding, changing, rejecting } = await import('/static/js/decisions.js');
  const lost = [];
  const request = async (...ask) => {
    const fault = faults.shift();
    if (fault === 'before') throw new Offline();
    if (fault === 'busy') throw new ApiError(503, null);
    const answer = await api.request(...ask);
    if (fault === 'after') throw new Offline();
    return answer;
  };
  const line = { request, get: (path, headers) => request('GET', path, undefined, { headers }) };
  const open = async () => {
    const notes = new Notes(line, { wait: 1, onTold: (text) => lost.push(text) });
    for (;;) {
      try { return await notes.get(key); } catch { /* once more */ }
    }
  };
  const notes = [];
  for (let number = 0; number < windows; number++) notes.push(await open());
  const labels = ['PATIENT', 'DATE'];
  const act = (note, kind, at, size) => {
    const mention = note.shown[at % note.shown.length];
    const label = labels[size % 2];
    if (kind === 'undo' || kind === 'redo') return void note.ask(kind);
    if (kind === 'wait') return note.settled();
    if (kind === 'flag') return note.edit([{ op: 'state', flag: size % 2 === 1 }]);
    const parts = [[at, at + size], [at + 20, at + 21]];
    if (kind === 'add') return note.edit(adding(note, label, parts));
    if (!mention) return null;
    if (kind === 'accept') return note.edit(accepting(note, mention));
    if (kind === 'reject') return note.edit(rejecting(note, mention));
    if (kind === 'change') return note.edit(changing(note, mention, { label }));
    return note.edit(changing(note, mention, { spans: [[at, at + size]] }));
  };
  const seen = ({ mentions, state, flag }) => ({
    state, flag,
    mentions: Object.fromEntries([...mentions].map(([uid, { label, spans, status }]) =>
      [uid, [label, spans, status]])),
  });
  for (const [number, [kind, at, size]] of steps) {
    await act(notes[number % windows], kind, at, size);
  }
  const before = notes.map((note) => seen(note.view));
  await Promise.all(notes.map((note) => note.settled()));
  faults.length = 0;
  for (const note of notes) await note.refresh();
  return { before, after: notes.map((note) => seen(note.view)), lost,
           waiting: notes.map((note) => note.queue.length) };
}"""


@pytest.fixture(scope="module")
def quiet_page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    from lacuna.text.document import Document
    from tests.web.page.conftest import Words, running
    from tests.web.walks.quiet import quiet

    folder = tmp_path_factory.mktemp("state") / "project"
    notes = [Document(f"n{number}", TEXT) for number in range(400)]
    with running(folder, notes, Words()) as server, quiet(browser, server.origin) as tabs:
        tabs.allow("412")  # Chromium writes down every answer of this kind
        tabs.allow("409")
        tabs.allow("422")
        tab = tabs.page()
        tab.goto(server.link)
        tab.locator("#pane .m").first.wait_for()
        keys = iter(range(2, 400))
        yield tab, server, keys


def on_server(server: Any, key: int) -> dict[str, Any]:
    reviewed = server.store.document(key)
    review = reviewed.review
    return {
        "state": review.state.state,
        "flag": review.state.flag,
        "mentions": {
            uid: [entry.label, [list(span) for span in entry.spans], entry.status]
            for uid, entry in review.mentions.items()
        },
    }


@QUIET
@given(steps=st.lists(STEP, max_size=10), faults=FAULTS)
def test_what_is_seen_is_saved(quiet_page: Any, steps: list[Any], faults: list[str]) -> None:
    """One window: what a person saw before anything was answered is what the server has."""
    tab, server, keys = quiet_page
    key = next(keys)
    asked = {"key": key, "windows": 1, "steps": [[0, one] for one in steps], "faults": faults}
    found = tab.evaluate(RUN, asked)
    assert found["lost"] == []
    assert found["before"] == found["after"] == [on_server(server, key)]
    edits = server.store.history(key)
    assert len(edits) == server.store.row(key).version  # each edit once


@QUIET
@given(steps=st.lists(st.tuples(st.integers(0, 1), ANY_STEP), max_size=14), faults=FAULTS)
def test_two_windows_agree_in_the_end(quiet_page: Any, steps: list[Any], faults: list[str]) -> None:
    tab, server, keys = quiet_page
    key = next(keys)
    found = tab.evaluate(RUN, {"key": key, "windows": 2, "steps": steps, "faults": faults})
    assert found["waiting"] == [0, 0]
    assert found["after"] == [on_server(server, key)] * 2


@QUIET
@given(text=st.text(characters, min_size=1, max_size=40), data=st.data())
def test_check(quiet_page: Any, text: str, data: st.DataObject) -> None:
    found = data.draw(spans_in(len(text)))
    spans = tuple((span.start, span.end) for span in found)
    check = quiet_page[0].evaluate(
        """async ([text, spans]) => {
          const { checkOf } = await import('/static/js/edits.js');
          const { Offsets } = await import('/static/js/offsets.js');
          return checkOf(text, new Offsets(text).toUnits(spans));
        }""",
        [text, spans],
    )
    assert check == check_of(text, spans)


PLACE = st.tuples(st.integers(0, 8), st.integers(1, 3)).map(lambda one: [[one[0], sum(one)]])
ENTRY = st.fixed_dictionaries(
    {"uid": st.sampled_from("abcdef"), "label": st.sampled_from(("X", "Y")), "spans": PLACE}
)
STATUS = st.sampled_from(("given", "accepted", "added", "rejected"))


def unique(entries: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(entries, max_size=4, unique_by=lambda one: one["uid"])


@QUIET
@given(
    mentions=unique(st.builds(lambda one, status: one | {"status": status}, ENTRY, STATUS)),
    suggestions=unique(ENTRY),
    doubts=unique(ENTRY),
    overlapping=st.booleans(),
)
def test_what_is_hidden(
    quiet_page: Any,
    mentions: list[Any],
    suggestions: list[Any],
    doubts: list[Any],
    overlapping: bool,
) -> None:
    """By brute force: decided suggestions, and doubts in the place of something that is seen."""
    body = {
        **{"key": 1, "text": "x" * 12, "version": 1, "state": "new", "model": 1},
        **{"mentions": mentions, "suggestions": suggestions, "doubts": doubts},
        "overlapping": overlapping,
    }
    shown = quiet_page[0].evaluate(
        """async (body) => {
          const { Notes, Note } = await import('/static/js/state.js');
          const note = new Note(new Notes(null), body, null);
          return note.shown.map(({ uid, status }) => [uid, status]);
        }""",
        body,
    )

    def overlaps(one: Any, other: Any) -> bool:
        (start, end), (begin, finish) = one["spans"][0], other["spans"][0]
        return bool(start < finish and begin < end)

    uids = {one["uid"] for one in mentions}
    live = [one for one in mentions if one["status"] != "rejected"]
    told = [(one["label"], one["spans"]) for one in mentions]
    open_ = [
        one
        for one in suggestions
        if one["uid"] not in uids
        and (one["label"], one["spans"]) not in told
        and (overlapping or not any(overlaps(one, other) for other in live))
    ]
    unsure = [
        one
        for one in doubts
        if one["uid"] not in uids and not any(overlaps(one, other) for other in live + open_)
    ]
    wanted = [[one["uid"], one["status"]] for one in live]
    wanted += [[one["uid"], "suggested"] for one in open_]
    wanted += [[one["uid"], "doubt"] for one in unsure]
    assert sorted(shown) == sorted(wanted)


def test_a_change_in_another_window_is_seen(serve: Serve, tabs_of: OpenTabs) -> None:
    server = serve()
    tabs = tabs_of(server)
    one, other = tabs.page(), tabs.page()
    for tab in (one, other):
        tab.goto(server.link)
        tab.locator("#pane .m").first.wait_for()
    one.keyboard.press("j")
    one.keyboard.press("x")
    gone = other.locator("#mentions [aria-label^='DATE, 4/13/20']")
    gone.wait_for(state="detached")


def test_conflict_is_told(serve: Serve, tabs_of: OpenTabs) -> None:
    """The server's word stands; what did not collide is done."""
    server = serve()
    tabs = tabs_of(server)
    tabs.allow("412")
    tab = tabs.page()
    tab.goto(server.link)
    tab.locator("#pane .m").first.wait_for()
    told = tab.evaluate(
        """async () => {
          const { api } = await import('/static/js/api.js');
          const { Notes } = await import('/static/js/state.js');
          const { accepting, changing, rejecting } = await import('/static/js/decisions.js');
          const told = [];
          const open = () => new Notes(api, { wait: 1, onTold: (text) => told.push(text) }).get(2);
          const [mine, other] = [await open(), await open()];
          const [first, second] = mine.undecided;
          other.edit(rejecting(other, first));
          await other.settled();
          mine.edit([...changing(mine, first, { label: 'PATIENT' }), ...accepting(mine, second)]);
          await mine.settled();
          return [told, mine.view.mentions.get(first.uid).status,
                  mine.view.mentions.get(second.uid).status];
        }"""
    )
    assert told == [
        ["Changed in another window. Your change was not saved."],
        "rejected",
        "accepted",
    ]
