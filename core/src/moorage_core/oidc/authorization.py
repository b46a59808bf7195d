"""The question that a browser carries to a provider. Pure; apart because Authlib is untyped."""
# Authlib carries no type annotations.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from moorage_core.oidc.pending import PendingLogin

SCOPE = "openid email profile"


def url(endpoint: str, *, client_id: str, callback: str, login: PendingLogin) -> str:
    """Where the browser goes: authorization code flow with PKCE, bound to the pending login."""
    address = prepare_grant_uri(
        endpoint,
        client_id=client_id,
        response_type="code",
        redirect_uri=callback,
        scope=SCOPE,
        state=login.state,
        nonce=login.nonce,
        code_challenge=create_s256_code_challenge(login.verifier),
        code_challenge_method="S256",
    )
    return str(address)
