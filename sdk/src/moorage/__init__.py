"""The Python client of a Moorage control plane."""

from moorage import errors, models, proofs, signatures
from moorage._calls import Pages, Redirect
from moorage._files import ContentWrong
from moorage._keys import KeyUnusable, PrivateKey
from moorage._model import Model, Page
from moorage._problem import (
    AddressRefused,
    ApiError,
    BadAnswer,
    BadRequest,
    Busy,
    CertificateRefused,
    Conflict,
    Fault,
    Forbidden,
    Gone,
    IfMatchRequired,
    MoorageError,
    NotFound,
    PlainHttpRefused,
    RangeNotSatisfiable,
    ServerFault,
    Stale,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unprocessable,
    Unreachable,
)
from moorage._version import __version__
from moorage.auth import AccessToken, Auth, Password, ServiceAccount
from moorage.client import Client

__all__ = [
    "AccessToken",
    "AddressRefused",
    "ApiError",
    "Auth",
    "BadAnswer",
    "BadRequest",
    "Busy",
    "CertificateRefused",
    "Client",
    "Conflict",
    "ContentWrong",
    "Fault",
    "Forbidden",
    "Gone",
    "IfMatchRequired",
    "KeyUnusable",
    "Model",
    "MoorageError",
    "NotFound",
    "Page",
    "Pages",
    "Password",
    "PlainHttpRefused",
    "PrivateKey",
    "RangeNotSatisfiable",
    "Redirect",
    "ServerFault",
    "ServiceAccount",
    "Stale",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
    "Unprocessable",
    "Unreachable",
    "__version__",
    "errors",
    "models",
    "proofs",
    "signatures",
]
