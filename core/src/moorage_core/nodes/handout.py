"""What a host is handed before it is anybody: the agent, the authority, and the pasted line.

The agent is found by its entry point and built once. The authority's file may change under a
running server, when the authority is being changed; it is small, and read again when it did.
"""

import functools
import hashlib
from collections.abc import Callable
from importlib import metadata

from moorage_core.embedded import authority, tls
from moorage_core.settings import Settings

GROUP = "moorage.agent"
SYSTEM_TRUST = "-"
"""In place of a digest: the host's own trust store knows our certificate's authority."""

LOADER = (
    "import sys;sys.excepthook=lambda t,v,b:print('The agent is not installed:',v,file=sys.stderr);"
    "import hashlib,json,os,shutil,ssl,subprocess,tempfile,urllib.request as u;"
    "e={k:v for k,v in os.environ.items() if k.startswith('MOORAGE_')};"
    "b=u.urlopen(e['MOORAGE_URL']+'/v1/agent/agent.pyz',timeout=60,"
    "context=ssl._create_unverified_context()).read(1<<24);"
    "hashlib.sha256(b).hexdigest()==e['MOORAGE_AGENT'] or "
    "sys.exit('agent.pyz is not the file that this line names: ask for a new line.');"
    "d=tempfile.mkdtemp();f=os.path.join(d,'agent.pyz');open(f,'wb').write(b);"
    "r=subprocess.run(['sudo']*(os.geteuid()>0)+[sys.executable,'-I',f,'install'],"
    "input=json.dumps(e).encode());"
    "shutil.rmtree(d,True);sys.exit(r.returncode)"
)
"""The same words as the agent's own, which the core does not import; a test holds them together."""


def line(url: str, agent_digest: str, ca_digest: str, token: str) -> str:
    """What an operator pastes on the host. No process list shows what is in the environment."""
    return (
        f"MOORAGE_URL='{url}' MOORAGE_AGENT={agent_digest} MOORAGE_CA={ca_digest} "
        f'MOORAGE_TOKEN={token} python3 -I -c "{LOADER}"'
    )


class Handout:
    def __init__(self, settings: Settings, *, build: Callable[[], bytes] | None) -> None:
        self._settings = settings
        self._build = build
        self._place = settings.data / "tls"
        self._known: tuple[authority.Mark, bytes, str] | None = None

    @functools.cached_property
    def agent(self) -> bytes | None:
        """agent.pyz; None where no agent is installed beside the platform."""
        return None if self._build is None else self._build()

    @functools.cached_property
    def agent_digest(self) -> str | None:
        return None if self.agent is None else hashlib.sha256(self.agent).hexdigest()

    @property
    def authorities(self) -> bytes | None:
        """ca.pem as agents should use it; None where they trust what their host trusts."""
        return self._bundle()[0] if self._is_ours else None

    @property
    def trust(self) -> str | None:
        """The SHA-256 of that file."""
        return self._bundle()[1] if self._is_ours else None

    def _bundle(self) -> tuple[bytes, str]:
        mark = authority.mark(self._place)
        if self._known is None or self._known[0] != mark:
            bundle = authority.bundle(self._place)
            self._known = (mark, bundle, hashlib.sha256(bundle).hexdigest())
        return self._known[1:]

    def line(self, token: str) -> str:
        """The line for a host with this enrolment token."""
        return line(self._settings.url, self.agent_digest or "", self._ca_digest, token)

    @property
    def _ca_digest(self) -> str:
        """Of the certificate that the server's own is signed by now."""
        if not self._is_ours:
            return SYSTEM_TRUST
        return tls.fingerprint(self._place / "ca.pem")

    @property
    def _is_ours(self) -> bool:
        return self._settings.serves_tls and self._settings.server.tls != "files"


def installed(settings: Settings) -> Handout:
    """With the agent that is installed beside the platform, if there is one."""
    found = metadata.entry_points(group=GROUP)
    return Handout(settings, build=next((entry.load() for entry in found), None))
