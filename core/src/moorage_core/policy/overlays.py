"""What the layers that tenants and the platform write say to a request. Pure."""

from collections.abc import Iterator, Mapping

from moorage_core.authz.permissions import Permission
from moorage_core.catalog.models import Version
from moorage_core.policy import facts as given
from moorage_core.policy.facts import Facts
from moorage_core.policy.limits import FREE, Layer, words
from moorage_core.policy.models import OF_THE_PLATFORM, LayerName, Level, Verdict, Wanted

NO_OPERATION = frozenset({"allocate", "artifact.pull"})
LAYERS: Mapping[Level, LayerName] = {
    "global": "global",
    "tenant": "tenant",
    "org": "org",
    "project": "project",
    "entitlement": "entitlement_overlay",
}


def judge(facts: Facts, wanted: Wanted, version: Version | None) -> Iterator[Verdict]:
    open_channels = _channels(facts, wanted, version)
    for layer in facts.layers:
        name, who = LAYERS[layer.level], _owner(facts, layer.level)
        refusals = [
            Verdict.no(name, sentence, dimension, value, who)
            for dimension, value, sentence in _refusals(
                facts, layer, wanted, version, open_channels
            )
        ]
        yield from refusals or [Verdict.yes(name, _agreement(layer, wanted))]
        # A channel that one layer closes is closed for those below it.
        choice = layer.limits.choice("channels")
        left = {each for each in open_channels or () if choice.allows(each)}
        open_channels = left or open_channels
    if facts.entitlement is None:
        sentence = "There is no entitlement that could have a layer."
        yield Verdict.silent("entitlement_overlay", sentence)


def lets(facts: Facts, wanted: Wanted) -> bool:
    """Whether the kind and the amounts of a request pass, whatever its version."""
    said = (no for layer in facts.layers for no in _refusals(facts, layer, wanted, None, None))
    return not any(dimension == "operations" or "quotas." in dimension for dimension, *_ in said)


def _refusals(
    facts: Facts,
    layer: Layer,
    wanted: Wanted,
    version: Version | None,
    open_channels: set[str] | None,
) -> Iterator[tuple[str, str, str]]:
    limits, app = layer.limits, facts.slug
    sources = {each.source for each in given.relevant(facts, wanted, version)}
    asked = {
        "operations": [wanted.operation],
        "artifact_sources": sorted(sources.union(wanted.artifact_sources)),
        "regions": _named(wanted.region, wanted.regions),
        "skus": _named(wanted.sku, wanted.skus),
    }
    for dimension, values in asked.items():
        for value in values:
            if not limits.choice(dimension).allows(value):
                yield dimension, value, _refusal(layer, dimension, value)
    if app is not None and version is not None:
        if open_channels is not None and not _is_open(layer, open_channels):
            yield "channels", *_closed(layer, open_channels, version)
        for text in sorted(limits.versions.get(app, ())):
            if not given.fits(version.number, text):
                number = version.number
                sentence = f"{layer.name} allows versions {text} of {app}, not {number}."
                yield "versions", number, sentence
    yield from _quotas(facts, layer, wanted)


def _named(one: str | None, more: tuple[str, ...]) -> list[str]:
    return sorted({*more, *([one] if one is not None else [])})


def _quotas(facts: Facts, layer: Layer, wanted: Wanted) -> Iterator[tuple[str, str, str]]:
    used = facts.usage[layer.level]
    for name, amount in amounts(wanted).items():
        limit, have = layer.limits.quotas.get(name), getattr(used, name)
        have -= amount if wanted.counted else 0
        if limit is not None and amount and have + amount > limit:
            left = max(limit - have, 0)
            sentence = (
                f"{layer.name} allows {limit} {words(name)}: {have} in use, {left} left, "
                f"{amount} more asked for."
            )
            yield f"quotas.{name}", str(amount), sentence


def amounts(wanted: Wanted) -> dict[str, int]:
    """How much more of each quota a request would use."""
    deploys, adds = wanted.operation == "instance.deploy", wanted.operation == "member.add"
    allocates = wanted.operation == "allocate"
    return {
        "instances": int(deploys) if wanted.instances is None else wanted.instances,
        "members": int(adds) if wanted.members is None else wanted.members,
        "allocations": int(allocates) if wanted.allocations is None else wanted.allocations,
        "gpus": wanted.gpus or 0,
        "concurrent_operations": int(wanted.operation not in NO_OPERATION),
    }


def _channels(facts: Facts, wanted: Wanted, version: Version | None) -> set[str] | None:
    """The channels by which a version is reached; None where they do not matter."""
    if wanted.operation not in given.CHOOSES_A_VERSION or version is None:
        return None
    held = facts.entitlement.channel if facts.entitlement else None
    through = wanted.channel or held
    if through is not None:
        return {through}
    return {channel for channel, id in facts.channels.items() if id == version.id}


def _is_open(layer: Layer, channels: set[str]) -> bool:
    """A layer that limits channels lets nothing pass that is in none of them."""
    choice = layer.limits.choice("channels")
    return choice == FREE or any(choice.allows(channel) for channel in channels)


def _closed(layer: Layer, channels: set[str], version: Version) -> tuple[str, str]:
    """What is refused, and the sentence that says so."""
    value = ", ".join(sorted(channels))
    if value:
        return value, _refusal(layer, "channels", value)
    number = version.number
    return "none", f"{layer.name} limits channels, and version {number} is promoted to none."


def _refusal(layer: Layer, dimension: str, value: str) -> str:
    choice = layer.limits.choice(dimension)
    noun = dimension.replace("_", " ")
    if value in choice.deny or choice.allow is None:
        return f"{layer.name} denies {value} among its {noun}."
    allowed = ", ".join(sorted(choice.allow)) or "none"
    return f"{layer.name} does not allow {value} among its {noun}; allowed: {allowed}."


def _agreement(layer: Layer, wanted: Wanted) -> str:
    """Says, too, what the layer would judge if the request named it."""
    named = {
        "regions": _named(wanted.region, wanted.regions),
        "skus": _named(wanted.sku, wanted.skus),
    }
    silent = [n for n, values in named.items() if not values and n in layer.limits.choices]
    also = f" It limits {' and '.join(silent)}, which the request does not name." if silent else ""
    return f"{layer.name} allows this.{also}"


def _owner(facts: Facts, level: Level) -> str:
    if level in OF_THE_PLATFORM:
        return f"those who run the platform, with {Permission.POLICY_GLOBAL_UPDATE}"
    return given.admins(facts, Permission.POLICY_OVERLAY_UPDATE)
