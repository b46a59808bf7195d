"""The Python client of a Moorage control plane, and the framework for apps' controllers.

The framework is loaded when it is first asked for: most programs are clients alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from moorage.controller.public import (
        ActionOperation,
        App,
        BatchOperation,
        Component,
        ComponentSeen,
        Condition,
        Done,
        Fail,
        Installed,
        Instance,
        InstanceOperation,
        Lost,
        Machine,
        ManifestUnusable,
        Member,
        MemberOperation,
        MemberSeen,
        Observed,
        Operation,
        Previous,
        Requester,
        Residue,
        Retry,
        Secret,
        ServiceState,
        Usage,
        Wait,
        WatchedInstance,
    )


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("moorage.controller.public"), name)
    raise AttributeError(f"module 'moorage' has no attribute {name!r}")


__all__ = [
    "AccessToken",
    "ActionOperation",
    "AddressRefused",
    "ApiError",
    "App",
    "Auth",
    "BadAnswer",
    "BadRequest",
    "BatchOperation",
    "Busy",
    "CertificateRefused",
    "Client",
    "Component",
    "ComponentSeen",
    "Condition",
    "Conflict",
    "ContentWrong",
    "Done",
    "Fail",
    "Fault",
    "Forbidden",
    "Gone",
    "IfMatchRequired",
    "Installed",
    "Instance",
    "InstanceOperation",
    "KeyUnusable",
    "Lost",
    "Machine",
    "ManifestUnusable",
    "Member",
    "MemberOperation",
    "MemberSeen",
    "Model",
    "MoorageError",
    "NotFound",
    "Observed",
    "Operation",
    "Page",
    "Pages",
    "Password",
    "PlainHttpRefused",
    "Previous",
    "PrivateKey",
    "RangeNotSatisfiable",
    "Redirect",
    "Requester",
    "Residue",
    "Retry",
    "Secret",
    "ServerFault",
    "ServiceAccount",
    "ServiceState",
    "Stale",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
    "Unprocessable",
    "Unreachable",
    "Usage",
    "Wait",
    "WatchedInstance",
    "__version__",
    "errors",
    "models",
    "proofs",
    "signatures",
]
