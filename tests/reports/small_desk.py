"""A small desk with everything: hostile names, ties, an empty label, slices and a rival."""

import numpy as np

HOSTILE = (
    "</script><script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "<!--<script>",
    "=1+1",
    "{{ 7 * 7 }}",
    "sea\u202eyks\x1b[2J",
    "\ud800 half",
    "' onclick=window.owned=1 x='",
    "l" * 300,
)
N_ROWS, N_LABELS = 240, 14
_random = np.random.default_rng(5)
_shares = np.linspace(0.02, 0.45, N_LABELS)
Y = (_random.random((N_ROWS, N_LABELS)) < _shares).astype(np.int8)
Y[:, 3] = 0
# Two digits give many ties.
SCORES = np.round(1 / (1 + np.exp(-(2.2 * Y - 1.6 + _random.normal(size=Y.shape)))), 2)
RIVAL = np.round(1 / (1 + np.exp(-(1.6 * Y - 1.4 + _random.normal(size=Y.shape)))), 2)
NAMES = (*HOSTILE, *(f"label {j}" for j in range(N_LABELS - len(HOSTILE))))
GROUPS = np.array(["north", "south", "<b>west</b>"])[_random.integers(0, 3, N_ROWS)]
IDS = [f"<i>row {i}</i>" for i in range(N_ROWS)]
TEXTS = [f"=text {i} </script><script>window.owned=1</script>" for i in range(N_ROWS)]
SMALL = {
    "scores": SCORES,
    "Y": Y,
    "label_names": NAMES,
    "ids": IDS,
    "texts": TEXTS,
    "slices": {"place": GROUPS},
    "versus": RIVAL,
    "title": "A desk <script>window.owned=1</script>",
    "random_state": 0,
}
