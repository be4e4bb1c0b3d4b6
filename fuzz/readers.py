"""Feed hostile bytes to all readers: nothing but DataError may come out.

Run by ``make fuzz`` with NUMBA_DISABLE_JIT=1, so that the fuzzer sees the branches of the kernels.
The arguments are libFuzzer's.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["labelwise"]):
    from labelwise.data.arff import _kernels as _arff_kernels  # noqa: F401  (loaded here to be instrumented)
    from tests.readers import file_name, refusals

from tests.writers.seeds import SEEDS

ENDINGS = list(SEEDS)
ENTITIES = b'<!DOCTYPE l [<!ENTITY a "b">]><labels><label name="&a;"/></labels>'
WORDS = ["@attribute ", " {0,1}", " numeric", " string", " relational", "@end", "@data", "%"]


def main() -> None:
    """Fuzz from the seeds until libFuzzer's arguments say stop."""
    with tempfile.TemporaryDirectory() as room:
        corpus, hostile = Path(room) / "corpus", Path(room) / "hostile"
        corpus.mkdir()
        hostile.mkdir()
        seeds = {**SEEDS, ".xml": [*SEEDS[".xml"], ENTITIES]}
        for number, (ending, contents) in enumerate(seeds.items()):
            for place, content in enumerate(contents):
                # The first byte selects the format.
                (corpus / f"seed{place}{ending}").write_bytes(bytes([number]) + content)
        words = Path(room) / "words"
        words.write_text("".join(f'"{word}"\n' for word in WORDS))

        def read(content: bytes) -> None:
            path = hostile / file_name(ENDINGS[content[0] % len(ENDINGS)] if content else ".arff")
            path.write_bytes(content[1:])
            if any("\n" in refusal for refusal in refusals(path)):
                raise RuntimeError("A refusal must be one line.")

        own = [f"-artifact_prefix={room}/", f"-dict={words}", "-len_control=0", str(corpus)]
        atheris.Setup([*sys.argv, *own], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
