"""The page "After the decision" runs as it stands, and shows what it says."""

from labelwise.measures import count, f_measure, micro
from tests.test_quick_start import run_page


def test_the_page_shows_what_it_says(tmp_path):
    known = run_page("after_the_decision.md", tmp_path, {"__name__": "pages"})
    truth, decided = known["truth"], known["tuned"].decide(known["scores"])
    low, high = known["report"].intervals["micro-f"]
    assert low <= micro(f_measure, count(truth, decided)) <= high
    assert known["report"].verdicts == {"micro-f": "proven"}
    assert known["moved"].verdict == "broken"
    assert known["monitor"].alarm
    assert 38 <= int(known["monitor"].changed_at.split()[1]) <= 44
    low, high = known["expected"].intervals["micro-f"]
    decided = known["tuned"].decide(known["new_scores"])
    assert low <= micro(f_measure, count(known["new_truth"], decided)) <= high
