"""Where and why floating point (NumPy, PyTorch on CPU or GPU) departs from exact arithmetic: `ef.crosscheck`."""
