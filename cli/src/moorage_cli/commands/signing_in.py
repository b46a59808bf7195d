"""`moor login`, `moor logout`, `moor whoami`."""

import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import moorage
from moorage import AccessToken, Auth, Client, Model, Password, ServiceAccount
from moorage.models import GrantRead, MeRead
from moorage_cli import connection, durations, profiles, shown_once, terminal
from moorage_cli.connection import AGENT, Chosen, Session
from moorage_cli.durations import Duration
from moorage_cli.failures import NotSignedIn, Refused
from moorage_cli.output import Done, Record, Rows
from moorage_cli.profiles import Profile
from moorage_cli.shown_once import PasswordStdin
from moorage_cli.verbs import local, verb

login = typer.Typer(add_completion=False)
logout = typer.Typer(add_completion=False)
whoami = typer.Typer(add_completion=False)

Url = Annotated[
    str | None, typer.Argument(help="The platform's address. Left out: MOOR_URL, or as last time.")
]
TokenStdin = Annotated[
    bool, typer.Option("--token-stdin", help="Read an access token from standard input instead.")
]
Account = Annotated[
    str | None,
    typer.Option("--service-account", metavar="ID", help="Sign in as a service account instead."),
]
KeyId = Annotated[
    str | None, typer.Option("--key", metavar="ID", help="The service account's key.")
]
PrivateKeyFile = Annotated[
    Path | None, typer.Option("--private-key", metavar="FILE", help="The key's private half.")
]
WAIT = 30.0
"""Seconds for which one question waits for somebody's decision."""


class Whoami(Model):
    """The caller and where they are signed in."""

    url: str
    profile: str
    kind: str
    id: str
    name: str
    grants: list[GrantRead]


class Held(Model):
    """What the caller holds in one place."""

    org: str
    project: str | None
    permissions: int


@dataclass(frozen=True)
class _Platform:
    """Where to sign in."""

    url: str
    ca: str | None

    def client(self, auth: Auth) -> Client:
        return Client(self.url, auth=auth, ca=self.ca, agent=AGENT)


@local(login, "login")
async def sign_in(
    chosen: Chosen,
    url: Url = None,
    email: Annotated[
        str | None, typer.Option(help="Your account. Left out: you are asked.")
    ] = None,
    code: Annotated[
        bool, typer.Option("--code", help="Sign in by a code that you approve in the console.")
    ] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Sign in by e-mail and password instead.")
    ] = False,
    password_stdin: PasswordStdin = False,
    token_stdin: TokenStdin = False,
    service_account: Account = None,
    key: KeyId = None,
    private_key: PrivateKeyFile = None,
    ca: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The platform's own authority: its certificate, PEM."),
    ] = None,
    expires_in: Duration = durations.WORKING_DAY,
) -> Done:
    """Sign in to a platform and remember it.

    At a terminal this shows a code, which you approve in the console; with --email or --password it
    asks for a password, which is not kept. Either way it makes a personal access token that lives
    for --expires-in, and stores it in a file that only you can read.
    """
    platform = _platform(chosen, url, ca)
    if service_account or key or private_key:
        profile, me = await _as_account(platform, service_account, key, private_key)
    elif token_stdin:
        profile, me = await _by_token(platform)
    elif code or not (email or password or password_stdin or not sys.stdin.isatty()):
        profile, me = await _by_code(platform, durations.seconds(expires_in))
    else:
        secret = _Person(email, password_stdin, durations.seconds(expires_in))
        profile, me = await _by_password(platform, secret)
    _remember(chosen, profile)
    said = f"Signed in to {profile.url} as {me.name} ({me.id}), profile {chosen.profile}."
    return Done(said, {"url": profile.url, "profile": chosen.profile, "id": me.id})


@local(logout, "logout")
async def sign_out(
    chosen: Chosen,
    keep_token: Annotated[
        bool, typer.Option("--keep-token", help="Forget the platform without revoking the token.")
    ] = False,
) -> Done:
    """Revoke the token that `moor login` made, and forget the platform."""
    kept = profiles.load(chosen.environment.credentials)
    profile = kept.pop(chosen.profile, None)
    if profile is None:
        raise NotSignedIn(f"There is no profile {chosen.profile} to sign out of.")
    revoked = not keep_token and await _revoke(profile)
    profiles.save(chosen.environment.credentials, kept)
    end = "The token is revoked." if revoked else "No token was revoked."
    return Done(
        f"Signed out of {profile.url}. {end}", {"profile": chosen.profile, "revoked": revoked}
    )


@verb(whoami, "whoami")
async def show_me(at: Session) -> Record:
    """Who you are to the platform and what you hold where."""
    me = await at.client.me.get()
    shown = Whoami(
        url=at.client.url,
        profile=at.chosen.profile,
        kind=me.kind,
        id=me.id,
        name=me.name,
        grants=me.grants,
    )
    held = [
        Held(org=g.org_slug, project=g.project_slug, permissions=len(g.permissions))
        for g in me.grants
    ]
    return Record(shown, details=Rows(held, ("org", "project", "permissions")))


def _platform(chosen: Chosen, url: str | None, ca: Path | None) -> _Platform:
    kept = connection.find_profile(chosen)
    address = url or chosen.environment.url or (kept.url if kept else None)
    if address is None:
        raise Refused("Which platform? `moor login URL`.")
    file = ca or chosen.environment.ca
    if file is None:
        again = kept is not None and kept.url == address.rstrip("/")
        return _Platform(address, kept.ca if kept and again else None)
    try:
        return _Platform(address, file.read_text("utf-8"))
    except (OSError, UnicodeError) as err:
        raise Refused(f"{file} cannot be read as PEM: {err}.") from err


@dataclass(frozen=True)
class _Person:
    email: str | None
    from_stdin: bool
    lifetime: int


async def _by_password(platform: _Platform, who: _Person) -> tuple[Profile, MeRead]:
    """Exchange the password for a token; the session that it took is ended again."""
    email = who.email or shown_once.read_shown("E-mail", flag="--email")
    password = shown_once.read_line("Password", from_stdin=who.from_stdin, flag="--password-stdin")
    async with platform.client(Password(email, password)) as client:
        me = await client.me.get()
        issued = await client.access_tokens.create(name=_here(), expires_in=who.lifetime)
        profile = Profile(
            url=client.url,
            ca=platform.ca,
            token=issued.token,
            token_id=issued.id,
            expires_at=issued.expires_at.isoformat(),
        )
    return profile, me


async def _by_code(platform: _Platform, lifetime: int) -> tuple[Profile, MeRead]:
    """Show a code, and wait until somebody has decided about it in the console."""
    async with Client(platform.url, ca=platform.ca, agent=AGENT) as client:
        asked = await client.signing_in.ask_for_code(client=_here(), token_expires_in=lifetime)
        page, code = terminal.plain(asked.verification_uri), terminal.plain(asked.user_code)
        print(f"Open {page} and approve this code:  {code}", file=sys.stderr, flush=True)
        got = await client.signing_in.redeem_code(asked.device_code, wait=WAIT)
        while got.token is None:
            got = await client.signing_in.redeem_code(asked.device_code, wait=WAIT)
        profile = Profile(
            url=client.url,
            ca=platform.ca,
            token=got.token,
            token_id=got.token_id,
            expires_at=got.expires_at.isoformat() if got.expires_at else None,
        )
    async with platform.client(AccessToken(got.token)) as client:
        return profile, await client.me.get()


def _here() -> str:
    """What the token is called in the list of somebody's tokens."""
    return f"moor on {socket.gethostname()}"[:100]


async def _by_token(platform: _Platform) -> tuple[Profile, MeRead]:
    token = shown_once.read_line("Token", from_stdin=True, flag="--token-stdin").strip()
    async with platform.client(AccessToken(token)) as client:
        return Profile(url=client.url, ca=platform.ca, token=token), await client.me.get()


async def _as_account(
    platform: _Platform, account: str | None, key: str | None, file: Path | None
) -> tuple[Profile, MeRead]:
    if not (account and key and file):
        raise Refused("A service account needs --service-account, --key and --private-key.")
    try:
        auth = ServiceAccount(account, key=key, private_key=file)
    except OSError as err:
        raise Refused(f"{file} cannot be read: {err.strerror}.") from err
    async with platform.client(auth) as client:
        profile = Profile(
            url=client.url,
            ca=platform.ca,
            service_account=account,
            key=key,
            private_key_file=str(_absolute(file)),
        )
        return profile, await client.me.get()


def _absolute(file: Path) -> Path:
    return file.absolute()


def _remember(chosen: Chosen, profile: Profile) -> None:
    kept = profiles.load(chosen.environment.credentials)
    profiles.save(chosen.environment.credentials, {**kept, chosen.profile: profile})


async def _revoke(profile: Profile) -> bool:
    if profile.token is None or profile.token_id is None:
        return False
    auth = AccessToken(profile.token)
    async with Client(profile.url, auth=auth, ca=profile.ca, agent=AGENT) as client:
        try:
            await client.access_tokens.revoke(profile.token_id)
        except moorage.Unauthenticated:
            # It had expired or was revoked elsewhere: there is nothing left to revoke.
            return False
    return True
