"""What the run without the native core leaves out, since the run with it has proved it, and why."""

CONTRACT = "parameters, shapes and errors of scikit-learn's contract: Python above all engines"
COMMANDS = "texts, files and exit codes around answers that the estimators give, which are tested without the core"
FILES = "files are read and written by Python; what the core does for the columns, tests/cases/test_distinct.py tests"
PARTS = "where parts are and how they are asked is Python; tests/parts/test_parts.py holds the answers without the core"
LAB = "processes, budgets and kept files around answers that the estimators give"
PAGE = "what a page does with answers, which are tested without the core"
SAME_WITHOUT_CORE = {
    "weighting/test_common.py::test_scikit_learns_checks_pass": CONTRACT,
    "estimators/test_sklearn_contract.py::test_scikit_learn_accepts_the_estimator": CONTRACT,
    "estimators/test_together_contract.py::test_scikit_learn_accepts_members_together": CONTRACT,
    "app/explorer/test_bad_requests.py": COMMANDS,
    "app/explorer/test_browser.py": PAGE,
    "app/explorer/test_cancel_button.py": PAGE,
    "app/explorer/test_cancelling.py": COMMANDS,
    "app/explorer/test_page_for_everybody.py": PAGE,
    "app/explorer/test_documented.py": COMMANDS,
    "app/explorer/test_downloads.py": COMMANDS,
    "app/explorer/test_many_at_once.py": COMMANDS,
    "app/explorer/test_running.py": COMMANDS,
    "app/explorer/test_security.py": COMMANDS,
    "app/test_broken_off.py": COMMANDS,
    "app/test_control_characters.py": COMMANDS,
    "app/test_datasets.py": COMMANDS,
    "app/test_demo.py": COMMANDS,
    "app/test_documentation.py": COMMANDS,
    "app/test_errors.py": COMMANDS,
    "app/test_everyday.py": FILES,
    "app/test_interrupted.py": COMMANDS,
    "app/test_learning.py": COMMANDS,
    "app/test_given_twice.py": COMMANDS,
    "app/test_permissions.py": COMMANDS,
    "app/test_pieces.py": COMMANDS,
    "app/test_program.py": COMMANDS,
    "app/test_projections.py": COMMANDS,
    "app/test_report_in_a_browser.py": "what a page does with figures, which are tested without the core",
    "app/test_report_in_time.py": COMMANDS,
    "app/test_report_page.py": "how a page shows figures, which tests/lab/test_figures.py tests without the core",
    "app/test_start.py": COMMANDS,
    "app/test_traintest.py": COMMANDS,
    "app/test_ways_out.py": COMMANDS,
    "cases/test_csv.py": FILES,
    "cases/test_fast_csv.py": FILES,
    "cases/test_limits.py": FILES,
    "cases/test_readers.py": FILES,
    "datasets/test_download.py": FILES,
    "datasets/test_load.py": FILES,
    "datasets/test_nettalk.py": FILES,
    "lab/test_kept.py": LAB,
    "lab/test_running.py": LAB,
    "lab/test_workers.py": LAB,
    "parts/test_dask.py": PARTS,
    "parts/test_dask_frames.py": PARTS,
    "parts/test_lost_workers.py": PARTS,
    "parts/test_parts_stay.py": PARTS,
    "parts/test_refused_files.py": PARTS,
    "parts/test_streamed.py": PARTS,
    "storage/test_attacks.py": FILES,
    "storage/test_container.py": FILES,
    "test_accuracy_study.py": "tables and pages of a study, which computes nothing here",
    "test_benchmarks.py": "the stopwatch around what is timed",
    "test_docs.py": "links, names and examples of pages; the docstrings' examples do run without the core",
    "test_fuzz.py": "the fuzzer finds faults that are planted in the core",
    "test_layers.py": "which file imports which",
    "test_timbl.py": "TiMBL's answers, of which the core has given all; every engine agrees with every other",
}
"""file or test, from the folder of the tests -> why it is the same without the core"""


def reason(nodeid: str) -> str | None:
    """Why a test need not be run again without the core; None where it must."""
    name = nodeid.removeprefix("tests/").partition("[")[0]
    return next((why for path, why in SAME_WITHOUT_CORE.items() if name == path or name.startswith(f"{path}::")), None)
