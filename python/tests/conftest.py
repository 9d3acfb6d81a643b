# SPDX-License-Identifier: MIT
"""What all tests have in common."""

import os

# scikit-learn checks estimators with arrays of the array API standard only where scipy was loaded with this.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
