"""The scikit-learn contract, kept without importing scikit-learn until it asks for something."""
