"""People: accounts, and what everybody holds for themselves."""

from collections.abc import Sequence

from moorage import _operations as operations
from moorage._calls import Group, call, listing
from moorage._model import id_of, version_of, words
from moorage._operation import Arguments
from moorage.models import (
    AccessTokenCreate,
    AccessTokenIssued,
    AccessTokenRead,
    MeRead,
    PasswordChange,
    PasswordCodeIssue,
    PasswordCodeRead,
    SessionRead,
    UserCreate,
    UserRead,
    UserUpdate,
)


class Me(Group):
    """The caller."""

    @call(operations.GET_ME, MeRead)
    def get(self) -> Arguments:
        """Who you are to this platform and what you hold where."""
        return Arguments()

    @call(operations.CHANGE_PASSWORD, None)
    def change_password(self, *, current: str, password: str) -> Arguments:
        """Change your password. Your other sessions and tokens end."""
        return Arguments(body=PasswordChange(current=current, password=password))


class Sessions(Group):
    """The caller's browser sessions."""

    @listing(operations.LIST_SESSIONS, SessionRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """Your open browser sessions."""
        return Arguments(query={"limit": page_size})

    @call(operations.END_SESSION, None)
    def end(self, session: SessionRead | str) -> Arguments:
        """End one of your sessions; your own is signing out."""
        return Arguments(path={"session": id_of(session)})


class AccessTokens(Group):
    """The caller's personal access tokens."""

    @listing(operations.LIST_ACCESS_TOKENS, AccessTokenRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """Your personal access tokens, without their secrets."""
        return Arguments(query={"limit": page_size})

    @call(operations.CREATE_ACCESS_TOKEN, AccessTokenIssued)
    def create(
        self,
        *,
        name: str,
        expires_in: int,
        permissions: Sequence[str] | None = None,
        org: str | None = None,
        project: str | None = None,
    ) -> Arguments:
        """Make a token for so many seconds. Its secret is in `token`, this once."""
        body = AccessTokenCreate(
            name=name,
            expires_in=expires_in,
            permissions=words(permissions),
            org=org,
            project=project,
        )
        return Arguments(body=body)

    @call(operations.REVOKE_ACCESS_TOKEN, None)
    def revoke(self, token: AccessTokenRead | AccessTokenIssued | str) -> Arguments:
        """Revoke one of your tokens, by its id, with all that were made with it. At once."""
        return Arguments(path={"token": id_of(token)})


class Users(Group):
    """Accounts of people. For platform admins."""

    @listing(operations.LIST_USERS, UserRead)
    def list(self, *, page_size: int | None = None) -> Arguments:
        """All accounts of people."""
        return Arguments(query={"limit": page_size})

    @call(operations.CREATE_USER, UserRead)
    def create(self, *, email: str, name: str) -> Arguments:
        """Make an account. The person sets a password with a code, or signs in by a provider."""
        return Arguments(body=UserCreate(email=email, name=name))

    @call(operations.GET_USER, UserRead)
    def get(self, user: UserRead | str) -> Arguments:
        """One account."""
        return Arguments(path={"user": id_of(user)})

    @call(operations.UPDATE_USER, UserRead)
    def update(
        self,
        user: UserRead | str,
        *,
        name: str | None = None,
        disabled: bool | None = None,
        version: int | None = None,
    ) -> Arguments:
        """Rename, disable or enable an account. What is left out stays as it is."""
        return Arguments(
            path={"user": id_of(user)},
            body=UserUpdate(name=name, disabled=disabled),
            version=version_of(user, version),
        )

    @call(operations.ISSUE_PASSWORD_CODE, PasswordCodeRead)
    def issue_password_code(self, user: UserRead | str, *, reason: str | None = None) -> Arguments:
        """Issue a one-time code with which the person sets a password.

        For an account in use give a reason: the person's orgs see it.
        """
        return Arguments(path={"user": id_of(user)}, body=PasswordCodeIssue(reason=reason))
