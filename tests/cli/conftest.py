"""Small files that several tests of the command line read."""

import pytest

TABLE = "text,x,sea,sky\n" + "".join(
    f"{('red wine', 'blue sky', 'old ship')[i % 3]} of port {i},{i},{i % 2},{i // 2 % 2}\n"
    for i in range(12)
)


@pytest.fixture
def small_folder(tmp_path):
    """A folder with a table, scores and labels."""
    (tmp_path / "data.csv").write_text(TABLE)
    rows = [(i, i % 2, i // 2 % 2) for i in range(12)]
    (tmp_path / "labels.csv").write_text(
        "id,sea,sky\n" + "".join(f"r{i},{sea},{sky}\n" for i, sea, sky in rows)
    )
    (tmp_path / "scores.csv").write_text(
        "id,sea,sky\n" + "".join(f"r{i},{sea - i / 40},{sky - i / 15}\n" for i, sea, sky in rows)
    )
    return tmp_path
