"""Teaching: a model of the project's own, from what people have reviewed, while they review.

What to read next:

* `learnable.py`: what is learnt from, and how it is found again later;
* `lesson_plan.py`: how it is learnt, and from which model learning starts;
* `gate.py`: whether a new model may replace the one that suggests;
* `lessons.py`: learning and judging; `teacher_process.py` does it in a process of its own,
  `teacher.py` is the server's side, `frames.py` what they say to each other;
* `models.py`: the models of a project, which of them suggests, and going back;
* `waiting.py`: what another model changes in the documents that wait.
"""
