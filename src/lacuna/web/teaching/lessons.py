"""Learning from reviewed documents and judging what came of it, as the teacher's process does.

Learning always starts from the model of ``project.toml``, never from a model that was taught: so
the same documents give the same model, whatever was taught before, and small errors do not add up.
A first model is judged after a few iterations, and may suggest at once; learning goes on, and the
model at its end is judged as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

import msgspec

from lacuna.deid.detection_options import DetectionOptions, with_policy
from lacuna.deid.detector import Detector
from lacuna.errors import ModelFileError
from lacuna.evaluation.scores import Scores, score
from lacuna.models.answers import save
from lacuna.models.base import Tagger
from lacuna.models.crf import Crf
from lacuna.models.file import file_digest
from lacuna.models.registry import load
from lacuna.pipeline.detection import open_recognizers
from lacuna.pipeline.training import begin, train
from lacuna.pipeline.training_records import Begun, Progress, TrainOptions
from lacuna.text.document import Document, Mention, Span
from lacuna.web.model_files import base_path
from lacuna.web.project import Project, open_project
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching.frames import Made, Teach, Told, Warm, Working
from lacuna.web.teaching.gate import Verdict, compare, is_better
from lacuna.web.teaching.learnable import Version, document_at
from lacuna.web.teaching.lesson_plan import Plan, plan_of

AHEAD = 4  #: iterations that are made before a lesson is asked for
PREPARING, LEARNING, POLISHING, JUDGING = "preparing", "learning", "polishing", "judging"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A lesson with these documents, and its first iterations."""

    documents: tuple[Version, ...]
    plan: Plan
    begun: Begun

    def is_for(self, documents: tuple[Version, ...], plan: Plan) -> bool:
        """Whether a lesson with these documents and this plan can go on from here."""
        is_same = documents == self.documents and plan.config == self.plan.config
        return is_same and plan.start is self.plan.start


@dataclass(slots=True)
class Classroom:
    """Everything that is kept between lessons, so that the next one begins sooner."""

    documents: dict[Version, Document] = field(default_factory=dict)
    models: dict[str, Tagger] = field(default_factory=dict)  # by SHA-256 of their files
    before: tuple[object, Scores] | None = None  # scores of the live model, and of what they are
    prepared: Prepared | None = None
    is_warm: bool = False  # all that a lesson needs is compiled

    def warm(self, asked: Warm) -> None:
        """Prepare a lesson with these documents, and make its first iterations."""
        with open_project(Path(asked.folder)) as project:
            base = self.model(base_path(project))
            documents = self.read(project, asked.documents)
            gate = self.read(project, asked.judged_on)
        self.scores(project, asked, gate)
        if base is None or not documents:
            return
        plan = plan_of(project, base, documents)
        if not self.is_warm:
            compile_training(plan)
            self.is_warm = True
        if self.prepared is None or not self.prepared.is_for(asked.documents, plan):
            self.prepared = None  # its memory first
            options = TrainOptions(start=plan.start)
            begun = begin(plan.documents, plan.config, options, iterations=AHEAD)
            self.prepared = Prepared(asked.documents, plan, begun)

    def begun(self, documents: tuple[Version, ...], plan: Plan) -> Begun | None:
        """Return what was prepared if it is for this lesson; it can be used once."""
        prepared, self.prepared = self.prepared, None
        is_right = prepared is not None and prepared.is_for(documents, plan)
        return prepared.begun if prepared is not None and is_right else None

    def teach(self, asked: Teach, tell: Callable[[Told], None], stop: Event) -> None:
        """Give a lesson; `tell` is called with each model that was made."""
        began = time.perf_counter()
        tell(Working(asked.job, PREPARING))
        with open_project(Path(asked.folder)) as project:
            path = base_path(project)
            base = self.model(path)
            documents = self.read(project, asked.documents)
            gate = self.read(project, asked.judged_on)
        before = self.scores(project, asked, gate)
        self.forget({*asked.documents, *asked.judged_on}, (path, asked.live))
        plan = plan_of(project, base, documents)
        if asked.iterations:
            config = replace(plan.config, iterations=asked.iterations)  # type: ignore[call-arg]
            plan = replace(plan, config=config)
        begun = self.begun(asked.documents, plan)
        lesson = Lesson(asked, project, plan, begun, gate, before, _with(plan.remark, tell), began)
        lesson.base_sha256 = None if plan.start is None or path is None else file_digest(path)
        lesson.run(stop)

    def read(self, project: Project, versions: Iterable[Version]) -> list[Document]:
        """Return documents as they were; those that are known are not read again."""
        with project.store.database.reading() as connection:
            for version in versions:
                if version not in self.documents:
                    self.documents[version] = document_at(connection, *version)
        return [self.documents[version] for version in versions]

    def scores(self, project: Project, asked: Warm | Teach, gate: Sequence[Document]) -> Scores:
        """Return the scores of the live model on the gate."""
        live = self.model(None if asked.live is None else Path(asked.live))
        wanted = live, asked.judged_on, project.settings
        if self.before is None or self.before[0] != wanted:
            suggester = None if live is None else reader(project, live)
            self.before = wanted, scores_of(suggester, gate)
        return self.before[1]

    def model(self, path: Path | None) -> Tagger | None:
        """Return the model of a file; ``None`` if there is none."""
        if path is None:
            return None
        try:
            digest = file_digest(path)
        except OSError:
            raise ModelFileError(path.name, "cannot be read; put it back") from None
        if digest not in self.models:
            self.models[digest] = load(path)
        return self.models[digest]

    def forget(self, versions: set[Version], paths: Iterable[Path | str | None]) -> None:
        """Keep only these documents and models."""
        kept = {file_digest(Path(path)) for path in paths if path is not None}
        self.models = {digest: one for digest, one in self.models.items() if digest in kept}
        self.documents = {key: one for key, one in self.documents.items() if key in versions}


def _with(remark: str, tell: Callable[[Told], None]) -> Callable[[Told], None]:
    """Add a sentence to what is told about each model that was made."""

    def told(message: Told) -> None:
        if isinstance(message, Made) and remark:
            why = f"{message.compared.why} {remark}"
            compared = msgspec.structs.replace(message.compared, why=why)
            message = msgspec.structs.replace(message, compared=compared)
        tell(message)

    return told


@dataclass(slots=True)
class Lesson:
    """One lesson: learning, and judging what was learnt twice."""

    asked: Teach
    project: Project
    plan: Plan
    begun: Begun | None
    gate: Sequence[Document]
    before: Scores  # of the live model on the gate
    tell: Callable[[Told], None]
    began: float
    base_sha256: str | None = None
    early: tuple[int, Scores, Verdict] | None = None  # iteration, scores and verdict

    def run(self, stop: Event) -> None:
        """Learn until the end, or until it is stopped."""
        plan = self.plan
        options = TrainOptions(
            start=plan.start, on_progress=self._progressed, stop=stop, begun=self.begun
        )
        trained = train(plan.documents, plan.config, options)
        if trained.interrupted and not trained.iterations:
            return  # stopped before anything was learnt
        if self.early is None or self.early[0] != trained.iterations:
            self._judge(trained.model, trained.iterations, is_last=True)

    def _progressed(self, progress: Progress) -> None:
        early = self.asked.early
        is_early = self.early is None and progress.iteration <= early
        whole = early if is_early else progress.iterations
        state = LEARNING if is_early else POLISHING
        self.tell(Working(self.asked.job, state, progress.iteration, whole))
        is_due = progress.iteration == early < progress.iterations
        if is_due and self.early is None and progress.model is not None:
            self._judge(progress.model(), progress.iteration, is_last=False)

    def _judge(self, model: Tagger, iterations: int, *, is_last: bool) -> None:
        job = self.asked.job
        self.tell(Working(job, JUDGING, iterations, iterations))
        now = scores_of(reader(self.project, model), self.gate)
        compared = compare(self.before, now, self.plan.examples)
        replaces = compared.verdict is not Verdict.WORSE
        if self.early is not None and self.early[2] is not Verdict.WORSE:
            replaces = replaces and is_better(self.early[1], now)
        if not is_last:
            self.early = iterations, now, compared.verdict
        file = Path(f"{self.asked.draft}-{2 if is_last else 1}")
        save(model, file)
        seconds = time.perf_counter() - self.began
        digest = file_digest(file)
        self.tell(
            Made(
                job,
                str(file),
                digest,
                self.base_sha256,
                iterations,
                seconds,
                compared,
                replaces,
                is_last,
            )
        )


def compile_training(plan: Plan) -> None:
    """Compile all that learning needs, or load it, by a short lesson."""
    config = replace(plan.config, iterations=1)  # type: ignore[call-arg]
    if isinstance(config, Crf):
        config = replace(config, adapting_replay=0)
    train(plan.documents[:2], config, TrainOptions(start=plan.start))


def reader(project: Project, tagger: Tagger) -> Suggester:
    """Return what suggests as the project would with this model."""
    settings = project.settings
    options = with_policy(DetectionOptions(), project.policy())
    detector = Detector(tagger, open_recognizers(options), settings.threshold)
    return Suggester.of(settings, detector, model=0, name="")


def scores_of(suggester: Suggester | None, documents: Sequence[Document]) -> Scores:
    """Return the scores of what is suggested in documents; without a model nothing is."""
    if suggester is None or not documents:
        return score((gold, replace(gold, mentions=())) for gold in documents)
    reads = suggester.read(documents)
    found = (
        tuple(
            Mention(one.label, tuple(Span(*span) for span in one.spans), one.probability)
            for one in read.suggestions
        )
        for read in reads
    )
    pairs = zip(documents, found, strict=True)
    return score((gold, replace(gold, mentions=mentions)) for gold, mentions in pairs)
