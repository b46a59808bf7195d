"""Typed ids: a prefix that says what it names, and a UUIDv7 that sorts by time of birth.

`org_01jg3vx6t0e8s9m2k4q7w5y1zr` is the prefix, an underscore, and 128 bits in Crockford's base 32.
The first 48 bits are milliseconds, and one process counts up within a millisecond, so ids of one
kind sort by creation and keyset pages can use them alone. A type per noun keeps a project's id
from being passed where an org's is meant.
"""

import secrets
import threading
import time
from typing import Any, ClassVar, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
BODY = "[0-7][0-9a-hjkmnp-tv-z]{25}"
_CHANCE, _STEP = 74, 48


class _Births:
    """Where ids come from: milliseconds and chance, and within one millisecond ever higher."""

    def __init__(self) -> None:
        self._last = 0
        self._turn = threading.Lock()

    def next(self) -> int:
        """48 bits of milliseconds and 74 of chance, more than the last of this process."""
        now = time.time_ns() // 1_000_000 & (1 << 48) - 1
        with self._turn:
            if now > self._last >> _CHANCE:
                self._last = now << _CHANCE | secrets.randbits(_CHANCE)
            else:  # the same millisecond, or a clock that was set back
                self._last += 1 + secrets.randbits(_STEP)
            return self._last


_births = _Births()


def uuid7() -> int:
    """A version 7 UUID as an integer; what one process makes sorts in the order it was made."""
    born = _births.next()
    high, low = born >> 62, born & (1 << 62) - 1
    return (high >> 12) << 80 | 7 << 76 | (high & 0xFFF) << 64 | 2 << 62 | low


def encode(value: int) -> str:
    """128 bits as 26 letters of Crockford's base 32, lower case."""
    return "".join(ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))


class Id(str):
    """A string that is known to name one kind of thing."""

    __slots__ = ()
    prefix: ClassVar[str] = ""

    @classmethod
    def new(cls) -> Self:
        return cls(f"{cls.prefix}_{encode(uuid7())}")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        text = core_schema.str_schema(pattern=f"^{cls.prefix}_{BODY}$")
        return core_schema.no_info_after_validator_function(
            cls, text, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )


class OrgId(Id):
    prefix = "org"


class ProjectId(Id):
    prefix = "prj"


class UserId(Id):
    prefix = "usr"


class MembershipId(Id):
    prefix = "mbr"


class ServiceAccountId(Id):
    prefix = "sac"


class ServiceAccountKeyId(Id):
    prefix = "key"


class AccessTokenId(Id):
    prefix = "pat"


class SessionId(Id):
    prefix = "ses"


class OidcProviderId(Id):
    prefix = "idp"


class SecretId(Id):
    prefix = "sec"


class SigningKeyId(Id):
    prefix = "sgk"


class AuditEntryId(Id):
    prefix = "aud"


class RefusalId(Id):
    prefix = "rfs"


class EventId(Id):
    prefix = "evt"


class WebhookId(Id):
    prefix = "whk"


class DeliveryId(Id):
    prefix = "dlv"


class SourceId(Id):
    prefix = "src"


class PublisherKeyId(Id):
    prefix = "pky"


class ArtifactId(Id):
    prefix = "art"


class AppId(Id):
    prefix = "app"


class AppVersionId(Id):
    prefix = "ver"


class PromotionId(Id):
    prefix = "prm"


class AppOperatorId(Id):
    prefix = "opr"


class EntitlementId(Id):
    prefix = "ent"


class OverlayId(Id):
    prefix = "ovl"


class PullId(Id):
    prefix = "pul"


class RegionId(Id):
    prefix = "rgn"


class SkuId(Id):
    prefix = "sku"


class NodeId(Id):
    prefix = "nod"


class EnrolmentId(Id):
    prefix = "enr"


class AllocationId(Id):
    prefix = "alc"


class OperationId(Id):
    prefix = "opn"


class OperationGrantId(Id):
    prefix = "ogr"


class TaskId(Id):
    prefix = "tsk"


class EvidenceId(Id):
    prefix = "evd"


class RuntimeSecretId(Id):
    prefix = "rts"


class LoginId(Id):
    prefix = "lgn"


class AccessGrantId(Id):
    prefix = "acg"


class SshAuthorityId(Id):
    prefix = "sau"


class AccessCredentialId(Id):
    prefix = "acc"


class InstanceId(Id):
    prefix = "ins"


class MemberId(Id):
    prefix = "mem"


class PlanId(Id):
    prefix = "pln"


class ReplicaId(Id):
    prefix = "rep"


class UsageRecordId(Id):
    prefix = "usg"


PLATFORM_ORG = OrgId("org_" + "0" * 26)
"""The org of those who own the machines. What belongs to no tenant belongs to it."""


class DeviceCodeId(Id):
    prefix = "dvc"
