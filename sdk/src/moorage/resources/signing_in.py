"""What is asked before there are credentials. Most callers want `moorage.auth` instead."""

from collections.abc import Mapping

from moorage import _operations as operations
from moorage._calls import Group, Redirect, call, listing
from moorage._operation import Arguments
from moorage.models import (
    DeviceCodeCreate,
    DeviceCodeIssued,
    DeviceCodeRead,
    DeviceTokenRead,
    DeviceTokenRequest,
    Login,
    LoginRead,
    PasswordSet,
    SignInChoice,
    TokenRead,
    TokenRequest,
)


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

    @call(operations.CREATE_DEVICE_CODE, DeviceCodeIssued)
    def ask_for_code(self, *, client: str, token_expires_in: int) -> Arguments:
        """A code by which somebody can let this program sign in as them, in the console."""
        return Arguments(body=DeviceCodeCreate(client=client, token_expires_in=token_expires_in))

    @call(operations.REDEEM_DEVICE_CODE, DeviceTokenRead)
    def redeem_code(self, device_code: str, *, wait: float = 0) -> Arguments:
        """The token of whoever approved the code, once; waits for the decision."""
        body = DeviceTokenRequest(device_code=device_code, wait=wait)
        return Arguments(body=body, wait=wait)

    @call(operations.GET_DEVICE_CODE, DeviceCodeRead)
    def get_code(self, user_code: str) -> Arguments:
        """What asks to sign in as the caller."""
        return Arguments(path={"user_code": user_code})

    @call(operations.APPROVE_DEVICE_CODE, DeviceCodeRead)
    def approve_code(self, user_code: str) -> Arguments:
        """Let the program sign in as the caller, whose proof must be a session."""
        return Arguments(path={"user_code": user_code})

    @call(operations.DENY_DEVICE_CODE, DeviceCodeRead)
    def deny_code(self, user_code: str) -> Arguments:
        """Keep the program out. The caller's proof must be a session."""
        return Arguments(path={"user_code": user_code})

    @listing(operations.LIST_SIGN_IN_CHOICES, SignInChoice)
    def list_choices(self) -> Arguments:
        """The providers that people can sign in with."""
        return Arguments()

    @call(operations.START_SIGN_IN, Redirect)
    def start(self, provider: str, *, return_to: str = "/") -> Arguments:
        """Begin signing in at a provider: where a browser should go, with which cookie."""
        return Arguments(path={"provider": provider}, query={"return_to": return_to})

    @call(operations.FINISH_SIGN_IN, Redirect)
    def finish(
        self,
        provider: str,
        *,
        cookies: Mapping[str, str],
        code: str | None = None,
        state: str | None = None,
        error: str | None = None,
        iss: str | None = None,
    ) -> Arguments:
        """End signing in with what the provider answered; `cookies` are those of `start`."""
        sent = "; ".join(f"{name}={value}" for name, value in cookies.items())
        return Arguments(
            path={"provider": provider},
            query={"code": code, "state": state, "error": error, "iss": iss},
            headers={"Cookie": sent},
        )
