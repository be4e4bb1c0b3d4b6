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
    from labelwise._curves._block_curves import (
        BlockCurves as BlockCurves,
        gaps_of as gaps_of,
        hits_of as hits_of,
    )
    from labelwise._curves._cuts import (
        ROUNDING as ROUNDING,
        Cuts as Cuts,
        FrontierSteps as FrontierSteps,
        every_cut as every_cut,
        frontier_steps as frontier_steps,
        halfway as halfway,
        hull_places as hull_places,
        hull_slack as hull_slack,
        hulls_of as hulls_of,
        joined as joined,
        n_cells as n_cells,
    )
    from labelwise._curves._cuts_kernels import (
        are_positive as are_positive,
    )
    from labelwise._curves._gaps import (
        Gaps as Gaps,
        HitView as HitView,
        SortedHits as SortedHits,
        cuts_of as cuts_of,
        cuts_of_columns as cuts_of_columns,
        pooled_view as pooled_view,
        ranks_of_hits as ranks_of_hits,
    )
    from labelwise._curves._rankings import (
        HitPositions as HitPositions,
        LabelRankings as LabelRankings,
        Totals as Totals,
        cuts_at_hits_under as cuts_at_hits_under,
        every_cut_under as every_cut_under,
        hit_positions as hit_positions,
        in_bytes as in_bytes,
    )
    from labelwise._curves._rankings_kernels import (
        count_at_common as count_at_common,
        weighted_tops as weighted_tops,
    )
    from labelwise._curves._row_curves import (
        Curves as Curves,
        RowCurves as RowCurves,
        SliceColumns as SliceColumns,
        exact_weights as exact_weights,
    )

publish(__name__)
