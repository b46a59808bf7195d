#!/usr/bin/env bash
# Makes requirements/*.lock anew: pinned, hashed, for every platform, naming no host.
#
# The date below holds the answer still: the same input gives the same lock on any day. Move it to
# take newer releases. It stands here and not in pyproject.toml because uv would apply it to
# installing as well, and an index that keeps no upload dates would then have no packages at all.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

newest=2026-11-15T00:00:00Z
uv=.venv/bin/uv

compile() {  # compile LOCK SOURCE...
    local lock=$1
    shift
    UV_CUSTOM_COMPILE_COMMAND="make lock" "$uv" pip compile "$@" \
        --quiet --universal --generate-hashes --python-version 3.11 \
        --exclude-newer "$newest" --no-emit-package moorage --no-emit-package moorage-manifest --output-file "$lock"
    echo "$lock: $(grep -c '==' "$lock") packages"
}

compile requirements/dev.lock pyproject.toml
compile requirements/runtime.lock core/pyproject.toml sdk/pyproject.toml cli/pyproject.toml \
    manifest/pyproject.toml --extra pg
