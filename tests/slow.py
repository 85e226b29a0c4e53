"""Which tests are slow: beginnings of their ids, so that a parametrised test needs one line.

``pytest --durations=40`` shows which tests take longest.
"""

from __future__ import annotations

#: A second or two and more on a quiet core with compiled kernels; not in ``make quick``.
SLOW = (
    "tests/archive/test_faults.py::test_the_others_are_done_and_the_exit_code_says_so",
    "tests/archive/test_faults.py::test_where_no_more_can_be_written_the_run_stops",
    "tests/archive/test_files.py::test_a_large_note_and_a_long_line",
    "tests/archive/test_files.py::test_the_number_of_workers_changes_nothing",
    "tests/archive/test_pool.py::test_a_worker_that_dies_stops_the_run",
    "tests/archive/test_pool.py::test_all_workers_are_gone_afterwards",
    "tests/archive/test_pool.py::test_what_a_worker_cannot_load_is_an_error",
    "tests/archive/test_resume.py::test_interrupted_it_leaves_no_process_and_no_half_file",
    "tests/archive/test_resume.py::test_killed_five_times_it_gives_the_same_bytes",
    "tests/archive/test_silence.py",
    "tests/archive/test_tables.py::test_json_lines_stay_in_order",
    "tests/cli/test_align.py",
    "tests/cli/test_cluster.py::test_models_look_at_the_paths",
    "tests/cli/test_compare.py::test_compare_knows_every_model",
    "tests/cli/test_compare.py::test_every_chain_is_drawn",
    "tests/cli/test_cues.py",
    "tests/deid/patterns/test_linear.py",
    "tests/features/test_golden.py::test_hashes_are_the_same_in_every_process",
    "tests/io/test_round_trip.py::test_with_loss_allowed_the_rest_is_right_and_counted",
    "tests/models/class_hmm/test_class_hmm.py::test_probabilities_by_enumeration",
    "tests/models/dp_hmm/test_cues.py::test_planted_cues_are_found",
    "tests/models/dp_hmm/test_dp_hmm.py::test_every_decoder_finds_names",
    "tests/models/dp_hmm/test_dp_hmm.py::test_every_form_learns_names",
    "tests/models/dp_hmm/test_reranking.py",
    "tests/models/dp_hmm/test_variational.py::test_expected_counts_are_those_of_all_paths",
    "tests/models/dp_hmm/test_variational.py::test_the_bound_",
    "tests/models/dp_hmm/test_variational.py::test_the_data_say_how_many_subtags_there_are",
    "tests/models/hypergraph/test_hypergraph.py::test_learns_mentions_with_gaps_and_overlaps",
    "tests/models/hypergraph/test_hypergraph.py::test_probabilities_fit_together",
    "tests/models/test_conformance.py::test_leaves_its_input_alone",
    "tests/models/test_conformance.py::test_trains_on_any_document_or_says_why_not",
    "tests/pipeline/test_categories.py::test_a_tagger_of_categories_and_rules_for_labels",
    "tests/pipeline/test_categories.py::test_alignment_works_on_labels",
    "tests/pipeline/test_clusters.py::test_names_come_together",
    "tests/synthetic/test_english.py::test_every_rule_can_be_written",
    "tests/synthetic/test_generate.py::test_every_label_occurs",
    "tests/synthetic/test_generate.py::test_same_notes_in_every_process",
    "tests/test_kernels.py",
    "tests/test_readme.py::test_python_examples_run",
    "tests/test_readme.py::test_the_note_is_what_the_demo_prints",
    "tests/test_recipe.py",
    "tests/test_wheel.py",
)
#: Minutes without compilation; not run with ``NUMBA_DISABLE_JIT=1`` in ``make coverage``.
COMPILED_ONLY = (
    "tests/deid/patterns/test_linear.py",
    "tests/inference/test_chain.py::test_long_sequences_of_large_scores_stay_finite",
    "tests/inference/test_chain.py::test_results_do_not_depend_on_the_number_of_threads",
    "tests/inference/test_chain.py::test_samples_follow_the_distribution",
    "tests/inference/test_chain.py::test_sequences_side_by_side_are_as_alone",
    "tests/inference/test_subgraphs.py::test_takes_scores_of_any_size",
    "tests/inference/test_subgraphs.py::test_the_slope_of_log_z_is_the_marginal",
    "tests/models/dp_hmm/test_variational.py::test_the_bound_is_no_more_than_the_evidence",
    "tests/models/dp_hmm/test_variational.py::test_the_data_say_how_many_subtags_there_are",
    "tests/text/test_sentences.py::test_a_million_tokens_without_an_end",
    "tests/text/test_sentences.py::test_many_closing_brackets_take_linear_time",
    "tests/text/test_tokens.py::test_all_code_points_at_once",
    "tests/text/test_tokens.py::test_five_megabytes_in_one_line",
    "tests/text/test_word_types.py::test_no_two_of_a_million_words_collide",
)
