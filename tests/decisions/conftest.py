"""Cross-validation splits: searches are cut short here, too, where kernels run as plain Python."""

