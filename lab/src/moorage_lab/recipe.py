"""What a lab's base image is made of. Pure.

The digest of the recipe is the image's name, so a changed recipe is a new image and an old one is
never mistaken for it. Where packages come from is the machine's business and no part of the recipe.
"""

import hashlib
import json
from dataclasses import asdict, dataclass

PACKAGES = (
    "ca-certificates",
    "curl",
    "dbus",
    "faketime",
    "iproute2",
    "iputils-ping",
    "libpam-systemd",
    "openssh-server",
    "openssl",
    "procps",
    "python3",
    "sudo",
    "systemd",
    "systemd-sysv",
)

# Keys and ids belong to one host, so an image has none. Hosts reach no archive, so they know none.
# Waiting for the network is part of the boot: a host that says it is ready has its address.
# Packages have systemd read its units anew dozens of times. Half of that goes into programs that
# look for mounts, consoles and disks, of which a host of the lab has none.
FINISH = """\
set -e
rm -f "$1"/etc/ssh/ssh_host_* "$1"/etc/apt/sources.list "$1"/etc/apt/apt.conf.d/99mmdebstrap
rm -rf "$1"/etc/apt/sources.list.d/* "$1"/etc/apt/auth.conf.d/*
rm -f "$1"/etc/resolv.conf "$1"/etc/hostname
: > "$1"/etc/resolv.conf
: > "$1"/etc/machine-id
chroot "$1" systemctl -q enable systemd-networkd.service
chroot "$1" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer fstrim.timer \\
    console-getty.service getty.target sshd-keygen.service
mkdir "$1"/etc/systemd/system-generators
for each in $(ls "$1"/usr/lib/systemd/system-generators | grep -v sysv); do
    ln -s /dev/null "$1"/etc/systemd/system-generators/"$each"
done
ln -sf /usr/lib/systemd/system/systemd-networkd-wait-online.service \\
    "$1"/etc/systemd/system/multi-user.target.wants/
"""


@dataclass(frozen=True)
class Recipe:
    """One base image."""

    suite: str = "trixie"
    packages: tuple[str, ...] = PACKAGES
    finish: str = FINISH

    @property
    def digest(self) -> str:
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def name(self) -> str:
        """The folder of the image in the cache."""
        return f"{self.suite}-{self.digest[:16]}"
