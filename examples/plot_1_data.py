"""
1. Data: pictures of digits
===========================

Each picture shows up to five handwritten digits side by side; its labels are the digits present.
"""

import matplotlib.pyplot as plt

from labelwise.data import load

digits = load("digits")
digits.describe()

# %%
# The pictures are plain rows of pixels. The training and the test pictures are made of different
# images of digits.

figure, axes = plt.subplots(4, 2, figsize=(7, 4), layout="constrained")
for axis, sample in zip(axes.flat, range(8), strict=True):
    axis.imshow(digits.X[sample].reshape(8, -1), cmap="Greys")
    present = digits.Y[[sample]].tocsr().indices
    axis.set_title("labels " + ", ".join(digits.label_names[j] for j in sorted(present)), size=9)
    axis.set_axis_off()
