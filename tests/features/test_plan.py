"""Templates sorted into those of word types and those of tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import ConfigError
from lacuna.features.lexicon import read_word_list
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import Template, Term, parse_templates

terms = st.builds(
    Term, st.sampled_from(["lower", "kind", "prefix2", "row", "column.pos"]), st.integers(-2, 2)
)
templates = st.lists(
    st.builds(Template, st.lists(terms, min_size=1, max_size=3).map(tuple)), unique=True
)


@given(templates)
def test_a_plan_says_what_its_templates_say(given_templates: list[Template]) -> None:
    plan = make_plan(given_templates)
    names = plan.word_attributes + plan.token_attributes
    found = {}
    for group in plan.by_word:
        for j, number in enumerate(group.template.tolist()):
            attributes = group.attribute[group.first_term[j] : group.first_term[j + 1]]
            assert (attributes < len(plan.word_attributes)).all()
            found[number] = Template(tuple(Term(names[a], group.offset) for a in attributes))
    several = plan.by_token
    own_names = [plan.word_attributes[a] for a in several.words] + list(plan.token_attributes)
    for j, number in enumerate(several.template.tolist()):
        own = slice(several.first_term[j], several.first_term[j + 1])
        pairs = zip(several.attribute[own], several.offset[own].tolist(), strict=True)
        found[number] = Template(tuple(Term(own_names[a], offset) for a, offset in pairs))
    assert found == dict(enumerate(given_templates))
    assert plan.offsets.tolist() == sorted(
        {t.terms[0].offset for t in given_templates if t.of_word}
    )


@pytest.mark.parametrize("line", ["list.last[0]", "cluster.brown.4[0]", "lower[0] list.last[1]"])
def test_word_lists_must_be_given(tmp_path: Path, line: str) -> None:
    path = tmp_path / "first.txt"
    path.write_text("Ann\t3\n")
    resources = Resources({"first": read_word_list(path)})
    plan = make_plan(parse_templates(["list.first[0]"]), resources=resources)
    assert plan.resources is resources
    with pytest.raises(ConfigError, match=r"there is no such (list|cluster); known: (first|none)$"):
        make_plan(parse_templates([line]), resources=resources)
