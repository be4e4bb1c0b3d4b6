"""Curves of labels: all possible cuts with their decisions and true positives, and their hulls.

`Curves` is what thresholds are chosen from: `RowCurves` are those of rows in memory, `BlockCurves`
those of blocks of rows. `Cuts` are the cuts of all labels, `hulls_of` keeps the vertices of their
concave hulls, and `frontier_steps` sorts the hull edges to the micro frontier. `SortedHits` and
`Gaps` count scores between positives block by block. Measures, decisions, learners and reports
import from here; this package imports `_blocks` and knows nothing about what is maximised.
"""

from typing import TYPE_CHECKING

from labelwise._publishing import publish

if TYPE_CHECKING:
    from labelwise._curves._block_curves import BlockCurves as BlockCurves
    from labelwise._curves._block_curves import gaps_of as gaps_of
    from labelwise._curves._block_curves import hits_of as hits_of
    from labelwise._curves._cuts import ROUNDING as ROUNDING
    from labelwise._curves._cuts import Cuts as Cuts
    from labelwise._curves._cuts import FrontierSteps as FrontierSteps
    from labelwise._curves._cuts import every_cut as every_cut
    from labelwise._curves._cuts import frontier_steps as frontier_steps
    from labelwise._curves._cuts import halfway as halfway
    from labelwise._curves._cuts import hull_places as hull_places
    from labelwise._curves._cuts import hull_slack as hull_slack
    from labelwise._curves._cuts import hulls_of as hulls_of
    from labelwise._curves._cuts import joined as joined
    from labelwise._curves._cuts import n_cells as n_cells
    from labelwise._curves._cuts_kernels import are_positive as are_positive
    from labelwise._curves._cuts_kernels import count_reaching as count_reaching
    from labelwise._curves._cuts_kernels import gather_reaching as gather_reaching
    from labelwise._curves._cuts_kernels import hit_scores as hit_scores
    from labelwise._curves._gaps import Gaps as Gaps
    from labelwise._curves._gaps import HitView as HitView
    from labelwise._curves._gaps import SortedHits as SortedHits
    from labelwise._curves._gaps import counts_at_cuts as counts_at_cuts
    from labelwise._curves._gaps import cuts_of as cuts_of
    from labelwise._curves._gaps import cuts_of_scores as cuts_of_scores
    from labelwise._curves._gaps import pooled as pooled
    from labelwise._curves._gaps import ranks_of_hits as ranks_of_hits
    from labelwise._curves._rankings import HitPositions as HitPositions
    from labelwise._curves._rankings import LabelRankings as LabelRankings
    from labelwise._curves._rankings import Totals as Totals
    from labelwise._curves._rankings import cuts_at_hits_under as cuts_at_hits_under
    from labelwise._curves._rankings import every_cut_under as every_cut_under
    from labelwise._curves._rankings import hit_positions as hit_positions
    from labelwise._curves._rankings import in_bytes as in_bytes
    from labelwise._curves._rankings_kernels import count_at_common as count_at_common
    from labelwise._curves._rankings_kernels import weighted_tops as weighted_tops
    from labelwise._curves._row_curves import Curves as Curves
    from labelwise._curves._row_curves import RowCurves as RowCurves
    from labelwise._curves._row_curves import SliceColumns as SliceColumns
    from labelwise._curves._row_curves import exact_weights as exact_weights

publish(__name__, [])
