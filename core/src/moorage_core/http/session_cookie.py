"""The cookie of a browser session, the same whichever way somebody signed in."""

from starlette.responses import Response

from moorage_core.http.authentication import SESSION_COOKIE
from moorage_core.settings import Settings


def put(response: Response, token: str, settings: Settings) -> None:
    """The session lives in a cookie that scripts cannot read."""
    response.set_cookie(
        SESSION_COOKIE,
        token,
        httponly=True,
        samesite="lax",
        secure=settings.url.startswith("https:"),
        path="/",
        max_age=int(settings.identity.session_lifetime.total_seconds()),
    )
