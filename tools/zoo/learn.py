"""Models of scikit-learn and of boosted trees, by skl2onnx, onnxmltools and the libraries' own exporters."""
import os
import tempfile

import numpy as np


def iris():
    from sklearn.datasets import load_iris
    x, y = load_iris(return_X_y=True)
    return x.astype(np.float32), y


FEW = {"n_estimators": 5, "max_depth": 3}
# One name of sklearn a line: module, class, arguments, kind. c: classes, r: a number, m: several numbers,
# b: two classes, t: transforms, k: clusters, n: transforms, not negative.
ESTIMATORS = """
linear_model LogisticRegression c
linear_model LogisticRegressionCV c
linear_model RidgeClassifier c
linear_model RidgeClassifierCV c
linear_model SGDClassifier c
linear_model Perceptron c
linear_model PassiveAggressiveClassifier c
linear_model LinearRegression r
linear_model LinearRegression m
linear_model Ridge r
linear_model RidgeCV r
linear_model Lasso r
linear_model LassoLars r
linear_model LassoCV r
linear_model ElasticNet r
linear_model ElasticNetCV r
linear_model Lars r
linear_model BayesianRidge r
linear_model ARDRegression r
linear_model HuberRegressor r
linear_model TheilSenRegressor r
linear_model OrthogonalMatchingPursuit r
linear_model MultiTaskLasso m
linear_model MultiTaskElasticNet m
linear_model SGDRegressor r
linear_model PoissonRegressor r
linear_model GammaRegressor r
linear_model TweedieRegressor r
linear_model QuantileRegressor r
linear_model RANSACRegressor r
svm SVC c
svm SVC c kernel=linear
svm SVC c kernel=poly
svm SVC c kernel=sigmoid
svm SVC c probability=True
svm SVC b probability=True
svm NuSVC c
svm SVR r
svm SVR r kernel=poly degree=2
svm NuSVR r
svm LinearSVC c
svm LinearSVR r
svm OneClassSVM k
tree DecisionTreeClassifier c max_depth=3
tree DecisionTreeRegressor r max_depth=3
tree DecisionTreeRegressor m max_depth=3
tree ExtraTreeClassifier c max_depth=3
tree ExtraTreeRegressor r max_depth=3
ensemble RandomForestClassifier c n_estimators=5
ensemble RandomForestRegressor r n_estimators=5
ensemble ExtraTreesClassifier c n_estimators=5
ensemble ExtraTreesRegressor r n_estimators=5
ensemble GradientBoostingClassifier c n_estimators=5
ensemble GradientBoostingClassifier b n_estimators=5
ensemble GradientBoostingRegressor r n_estimators=5
ensemble HistGradientBoostingClassifier c max_iter=5
ensemble HistGradientBoostingRegressor r max_iter=5
ensemble AdaBoostClassifier c n_estimators=5
ensemble AdaBoostRegressor r n_estimators=5
ensemble BaggingClassifier c n_estimators=3
ensemble BaggingRegressor r n_estimators=3
ensemble IsolationForest k n_estimators=5
naive_bayes GaussianNB c
naive_bayes BernoulliNB c
naive_bayes MultinomialNB c
naive_bayes ComplementNB c
naive_bayes CategoricalNB i
neighbors KNeighborsClassifier c n_neighbors=3
neighbors KNeighborsRegressor r n_neighbors=3
neighbors KNeighborsTransformer t n_neighbors=3
neighbors RadiusNeighborsClassifier c radius=9.0
neighbors RadiusNeighborsRegressor r radius=9.0
neighbors NearestNeighbors t
neighbors LocalOutlierFactor k novelty=True
neighbors NeighborhoodComponentsAnalysis f n_components=2 max_iter=5
neural_network MLPClassifier c hidden_layer_sizes=8 max_iter=50
neural_network MLPRegressor r hidden_layer_sizes=8 max_iter=50
gaussian_process GaussianProcessRegressor r alpha=0.1
gaussian_process GaussianProcessClassifier b
discriminant_analysis LinearDiscriminantAnalysis c
discriminant_analysis QuadraticDiscriminantAnalysis c
cluster KMeans k n_clusters=3
cluster MiniBatchKMeans k n_clusters=3
mixture GaussianMixture k n_components=3
mixture BayesianGaussianMixture k n_components=3
decomposition PCA t n_components=2
decomposition IncrementalPCA t n_components=2
decomposition KernelPCA t n_components=2 kernel=rbf
decomposition TruncatedSVD t n_components=2
decomposition FastICA t n_components=2
cross_decomposition PLSRegression m n_components=2
preprocessing StandardScaler t
preprocessing MinMaxScaler t
preprocessing MaxAbsScaler t
preprocessing RobustScaler t
preprocessing Normalizer t
preprocessing Normalizer t norm=l1
preprocessing Binarizer t threshold=2.0
preprocessing KBinsDiscretizer t n_bins=3 encode=ordinal
preprocessing PolynomialFeatures t degree=2
preprocessing PowerTransformer t
preprocessing QuantileTransformer t n_quantiles=20
preprocessing SplineTransformer t
preprocessing KernelCenterer t
preprocessing OrdinalEncoder o
preprocessing OneHotEncoder o
preprocessing LabelBinarizer l
preprocessing LabelEncoder l
impute SimpleImputer t
impute KNNImputer t
feature_selection SelectKBest f k=2
feature_selection SelectPercentile f
feature_selection VarianceThreshold t
feature_selection SelectFromModel f estimator=tree
feature_selection RFE f estimator=tree
random_projection GaussianRandomProjection t n_components=2
kernel_approximation Nystroem t n_components=5
kernel_approximation RBFSampler t n_components=5
multiclass OneVsRestClassifier c estimator=logistic
multiclass OneVsOneClassifier c estimator=logistic
multiclass OutputCodeClassifier c estimator=logistic
multioutput MultiOutputRegressor m estimator=ridge
multioutput MultiOutputClassifier C estimator=logistic
multioutput RegressorChain m estimator=ridge
multioutput ClassifierChain C estimator=logistic
calibration CalibratedClassifierCV c
calibration CalibratedClassifierCV b method=isotonic
isotonic IsotonicRegression q
"""


def argument(text):
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.tree import DecisionTreeClassifier
    made = {"tree": DecisionTreeClassifier(max_depth=2), "logistic": LogisticRegression(), "ridge": Ridge()}
    key, value = text.split("=")
    if value in made:
        return key, made[value]
    try:
        value = int(value) if value.isdigit() else float(value)
    except ValueError:
        value = {"True": True}.get(value, value)
    return key, value


def estimator(module, name, kind, words):
    import importlib

    from skl2onnx import to_onnx
    made = getattr(importlib.import_module("sklearn." + module), name)(**dict(argument(w) for w in words))
    x, y = iris()
    if name in ("MultinomialNB", "ComplementNB", "CategoricalNB"):
        x = np.floor(x)
    if kind == "i" or kind == "o":
        x = np.floor(x).astype(np.int64)
    if kind == "l":
        x = y = y.astype(np.int64)[:, None] if name == "LabelBinarizer" else y.astype(np.int64)
        made.fit(y.ravel())
    elif kind == "q":
        x = x[:, :1].copy()
        made.fit(x, x[:, 0])
    elif kind in "tko":
        if name == "SimpleImputer" or name == "KNNImputer":
            x[::7, 1] = np.nan
        made.fit(x)
    else:
        goal = {"r": lambda: x[:, 3] + 0.1, "m": lambda: x[:, 2:], "b": lambda: y > 0,
                "C": lambda: np.stack([y > 0, y > 1], 1).astype(np.int64)}.get(kind, lambda: y)()
        made.fit(x, goal)
    options = {"zipmap": False} if kind in "cbiC" and name != "IsotonicRegression" else None
    try:
        model = to_onnx(made, x[:1], options={id(made): options} if options else None, target_opset=17)
    except NameError:  # the converter has no such option
        model = to_onnx(made, x[:1], target_opset=17)
    return model, {"X": x[:: 7]}


def sklearn_models():
    for line in ESTIMATORS.split("\n"):
        if line:
            module, name, kind, *words = line.split()
            label = "sklearn_" + "_".join([name, kind] + [w.split("=")[1].replace(".", "p") for w in words])
            yield label, lambda a=(module, name, kind, words): estimator(*a)
    yield "sklearn_zipmap", zipmap
    yield "sklearn_column_transformer", columns
    yield "sklearn_text", words_counted
    yield "sklearn_voting", lambda: combined("VotingClassifier")
    yield "sklearn_stacking", lambda: combined("StackingClassifier")
    yield "sklearn_pipeline", pipeline
    yield "sklearn_grid_search", grid_search


def zipmap():
    from skl2onnx import to_onnx
    from sklearn.linear_model import LogisticRegression
    x, y = iris()
    return to_onnx(LogisticRegression().fit(x, y), x[:1], target_opset=17), {"X": x[:: 7]}


def columns():
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    import pandas as pd
    x, y = iris()
    word = np.array(["red", "green", "blue"])[np.arange(len(x)) % 3]
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": word})
    parts = ColumnTransformer([("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
                               ("words", OneHotEncoder(handle_unknown="ignore"), ["c"])])
    made = make_pipeline(parts, LogisticRegression()).fit(frame, y)
    kinds = [("a", FloatTensorType([None, 1])), ("b", FloatTensorType([None, 1])),
             ("c", StringTensorType([None, 1]))]
    model = convert_sklearn(made, "columns", kinds, target_opset=17, options={id(made): {"zipmap": False}})
    return model, {"a": x[::7, :1], "b": x[::7, 1:2], "c": word[::7, None].astype(object)}


def words_counted():
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import StringTensorType
    from sklearn.feature_extraction.text import TfidfVectorizer
    text = np.array(["the cat sat", "a dog ran far", "the dog sat down", "cats and dogs"])
    made = TfidfVectorizer(token_pattern="[a-z]+").fit(text)
    model = convert_sklearn(made, "text", [("X", StringTensorType([None, 1]))], target_opset=17)
    return model, {"X": text[:, None].astype(object)}


def combined(name):
    from skl2onnx import to_onnx
    from sklearn import ensemble
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier
    x, y = iris()
    made = getattr(ensemble, name)([("a", LogisticRegression()), ("b", DecisionTreeClassifier(max_depth=3))])
    made.fit(x, y)
    return to_onnx(made, x[:1], options={id(made): {"zipmap": False}}, target_opset=17), {"X": x[:: 7]}


def pipeline():
    from skl2onnx import to_onnx
    from sklearn.decomposition import PCA
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler
    from sklearn.svm import SVR
    x, _ = iris()
    made = make_pipeline(StandardScaler(), PolynomialFeatures(), PCA(4), SVR()).fit(x, x[:, 3])
    return to_onnx(made, x[:1], target_opset=17), {"X": x[:: 7]}


def grid_search():
    from skl2onnx import to_onnx
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    x, y = iris()
    made = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}).fit(x, y)
    return to_onnx(made, x[:1], options={id(made): {"zipmap": False}}, target_opset=17), {"X": x[:: 7]}


# ---- boosted trees ----
def boosted(library, kind):
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType
    x, y = iris()
    goal = x[:, 3] if kind == "regressor" else y > 0 if kind == "binary" else y
    if kind == "ranker":
        goal = y
    given = [("X", FloatTensorType([None, 4]))]
    if library == "lightgbm":
        import lightgbm as lib
        made = {"regressor": lib.LGBMRegressor, "ranker": lib.LGBMRanker}.get(kind, lib.LGBMClassifier)
        made = made(n_estimators=5, num_leaves=7, verbose=-1)
        made.fit(x, goal, **({"group": [50, 50, 50]} if kind == "ranker" else {}))
        options = {} if kind in ("regressor", "ranker") else {"zipmap": False}
        model = onnxmltools.convert_lightgbm(made, initial_types=given, target_opset=15, **options)
    else:
        import xgboost as lib
        made = {"regressor": lib.XGBRegressor, "ranker": lib.XGBRanker, "forest": lib.XGBRFRegressor}
        made = made.get(kind, lib.XGBClassifier)(n_estimators=5, max_depth=3)
        made.fit(x, goal, **({"group": [50, 50, 50]} if kind == "ranker" else {}))
        model = onnxmltools.convert_xgboost(made, initial_types=given, target_opset=15)
    return model, {"X": x[:: 7]}


def catboost(kind):
    import catboost as lib
    import onnx
    x, y = iris()
    if kind == "regressor":
        made = lib.CatBoostRegressor(iterations=5, depth=3, verbose=False, allow_writing_files=False)
        made.fit(x, x[:, 3])
    else:
        made = lib.CatBoostClassifier(iterations=5, depth=3, verbose=False, allow_writing_files=False)
        made.fit(x, y > 0 if kind == "binary" else y)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "m.onnx")
        made.save_model(path, format="onnx")
        return onnx.load(path), {"features": x[:: 7]}


def boosted_models():
    for kind in ("regressor", "classifier", "binary", "ranker"):
        yield "lightgbm_" + kind, lambda k=kind: boosted("lightgbm", k)
        yield "xgboost_" + kind, lambda k=kind: boosted("xgboost", k)
    yield "xgboost_forest", lambda: boosted("xgboost", "forest")
    for kind in ("regressor", "classifier", "binary"):
        yield "catboost_" + kind, lambda k=kind: catboost(k)


FAMILIES = {"sklearn": sklearn_models, "boosted": boosted_models}
# SPDX-License-Identifier: Apache-2.0
