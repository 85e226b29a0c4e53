"""Signs inside mentions, learnt from annotated documents."""

from __future__ import annotations

from lacuna import Document, Mention
from lacuna.models.aligned.mentions import NewLabel, learn_joins, relabelled
from lacuna.models.aligned.repeated_words import labelled_document

NAME = Mention.of("PER", (5, 13))  # "Lee, Ann"


def named(number: int, *mentions: Mention, group: str | None = None) -> Document:
    return Document(f"d{number}", "Seen Lee, Ann in Rome; Ulm.", mentions, group)


def test_signs_inside_more_often_than_between() -> None:
    inside = [named(i, NAME) for i in range(4)]
    apart = [named(i, Mention.of("PER", (5, 8)), Mention.of("PER", (10, 13))) for i in range(4, 8)]
    assert learn_joins(inside) == learn_joins(inside + apart[:3]) == {("PER", ", ")}
    assert learn_joins(inside + apart) == learn_joins(apart) == frozenset()
    towns = [named(i, Mention.of("LOC", (17, 26))) for i in range(3)]
    assert learn_joins(inside + towns) == {("PER", ", "), ("LOC", "; ")}


def test_signs_of_few_groups_are_not_learnt() -> None:
    assert learn_joins(named(i, NAME) for i in range(2)) == frozenset()
    assert learn_joins(named(i, NAME, group="one") for i in range(9)) == frozenset()


def test_words_join_over_a_known_sign() -> None:
    tagged = labelled_document(named(1))
    new = {t: NewLabel("PER", {"PER": 1.0}) for t in (1, 3)}

    def found(joins: frozenset[tuple[str, str]]) -> list[str]:
        return [m.surface(tagged.document.text) for m in relabelled(tagged, new, joins=joins)]

    assert found(frozenset({("PER", ", ")})) == ["Lee, Ann"]
    assert found(frozenset({("LOC", ", "), ("PER", ",")})) == ["Lee", "Ann"]
