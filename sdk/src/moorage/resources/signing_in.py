"""What is asked before there are credentials. Most callers want `moorage.auth` instead."""

from moorage import _operations as operations
from moorage._calls import Group, call
from moorage._operation import Arguments
from moorage.models import Login, LoginRead, PasswordSet, TokenRead, TokenRequest


class SigningIn(Group):
    """Credentials in exchange for a proof."""

    @call(operations.LOGIN, LoginRead)
    def login(self, *, email: str, password: str) -> Arguments:
        """Open a session. Its cookie is not kept; `moorage.Password` is for that."""
        return Arguments(body=Login(email=email, password=password))

    @call(operations.SET_PASSWORD, None)
    def set_password(self, *, code: str, password: str) -> Arguments:
        """Set a password with a one-time code from a platform admin."""
        return Arguments(body=PasswordSet(code=code, password=password))

    @call(operations.MINT_TOKEN, TokenRead)
    def mint_token(
        self,
        *,
        service_account: str,
        key: str,
        client_assertion: str | None = None,
        client_secret: str | None = None,
    ) -> Arguments:
        """Exchange a service account's proof for a token of minutes."""
        body = TokenRequest(
            service_account=service_account,
            key=key,
            client_assertion=client_assertion,
            client_secret=client_secret,
        )
        return Arguments(body=body)
