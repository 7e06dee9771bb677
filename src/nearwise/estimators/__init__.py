"""The scikit-learn face: classifier, regressor and retrieval."""

from nearwise.estimators.classifier import KNNClassifier
from nearwise.estimators.regressor import KNNRegressor
from nearwise.estimators.retrieval import NearestCases

__all__ = ["KNNClassifier", "KNNRegressor", "NearestCases"]
