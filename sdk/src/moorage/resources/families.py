"""Families and the apps admitted to them."""

from collections.abc import Sequence

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of
from moorage._operation import Arguments
from moorage.models import (
    AdmissionRead,
    AdmissionWrite,
    AppRead,
    FamilyKeyWrite,
    FamilyRead,
    FamilyWrite,
)

Family = FamilyRead | str


class Families(Group):
    """Families: named sets of permission keys that several apps share."""

    @listing(operations.LIST_FAMILIES, FamilyRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """All families."""
        return Arguments(query={"limit": page_size})

    @call(operations.GET_FAMILY, FamilyRead)
    def get(self, family: Family) -> Arguments:
        """One family with its keys and what they mean."""
        return Arguments(path={"family": _name(family)})

    @call(operations.PUT_FAMILY, FamilyRead)
    def put(
        self,
        family: Family,
        *,
        description: str,
        keys: Sequence[FamilyKeyWrite],
        version: int | None = None,
    ) -> Arguments:
        """Add a family by its name, or extend the one that you read. For platform admins."""
        read = None if isinstance(family, str) else family.version
        return Arguments(
            path={"family": _name(family)},
            body=FamilyWrite(description=description, keys=[*keys]),
            version=read if version is None else version,
        )

    @listing(operations.LIST_ADMISSIONS, AdmissionRead)
    def list_admissions(self, family: Family, *, page_size: int | None = None) -> Arguments:
        """The apps admitted to a family, as far as you can see them."""
        return Arguments(path={"family": _name(family)}, query={"limit": page_size})

    @call(operations.GET_ADMISSION, AdmissionRead)
    def get_admission(self, family: Family, app: AppRead | str) -> Arguments:
        """An app's place in a family."""
        return Arguments(path={"family": _name(family), "app": id_of(app)})

    @call(operations.ADMIT_APP, AdmissionRead)
    def admit(
        self,
        family: Family,
        app: AppRead | str,
        *,
        keys: Sequence[str],
        version: int | None = None,
    ) -> Arguments:
        """Let versions of an app use these keys of a family, at most. Its publisher is told.

        To change an admission, give the version that you read.
        """
        return Arguments(
            path={"family": _name(family), "app": id_of(app)},
            body=AdmissionWrite(keys=[*keys]),
            version=version,
        )

    @call(operations.WITHDRAW_APP, None)
    def withdraw(
        self, family: Family, app: AppRead | str, *, version: int | None = None
    ) -> Arguments:
        """Take an app out of a family. Policy refuses its versions from then on."""
        return Arguments(path={"family": _name(family), "app": id_of(app)}, version=version)


def _name(family: Family) -> str:
    return family if isinstance(family, str) else family.name
