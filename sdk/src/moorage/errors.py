# Generated from contract/openapi.json by tools/gen_sdk.py; `make gen` writes it.
"""The platform's refusals by their `code`, each below the class of its status."""

from moorage._problem import (
    ApiError,
    BadRequest,
    Busy,
    Conflict,
    Forbidden,
    Gone,
    IfMatchRequired,
    NotFound,
    ServerFault,
    Stale,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unprocessable,
)


class AccountDisabled(Forbidden):
    """The account is disabled."""


class AlreadyIssued(Conflict):
    """The secret was shown once and is not kept."""


class AlreadyMember(Conflict):
    """This person already has a role here."""


class BeyondCeiling(Forbidden):
    """Nobody can grant what they do not hold."""


class BeyondOwnRights(Forbidden):
    """A token cannot hold what its owner lacks."""


class CodeNotValid(Unauthenticated):
    """The one-time code is used up, expired or wrong."""


class CursorExpired(Gone):
    """This cursor does not fit the events that are kept."""


class DeliveryPending(Conflict):
    """The delivery has not ended."""


class DomainNotAllowed(Forbidden):
    """The sign-in provider does not speak for addresses like yours."""


class EmailTaken(Conflict):
    """There is an account with this e-mail already."""


class EventExpired(Gone):
    """The event is older than the platform keeps events."""


class IdTokenRefused(Unauthenticated):
    """What the sign-in provider says about you does not prove who you are."""


class IdempotencyKeyRequired(BadRequest):
    """Every change needs an Idempotency-Key."""


class IdempotencyKeyReused(Unprocessable):
    """This idempotency key was used for another request."""


class InProgress(Conflict):
    """The same request is still being worked on."""


class IssuerNotAllowed(Unprocessable):
    """A sign-in provider cannot live there."""


class KeyNotUsable(Unprocessable):
    """This is not a usable Ed25519 public key."""


class LastAdmin(Conflict):
    """An org needs at least one admin whose account is enabled."""


class LinkNeedsAdmin(Conflict):
    """The account is somebody's already."""


class LinkedToAnother(Conflict):
    """The account belongs to another identity of this sign-in provider."""


class LoginNotPending(Unauthenticated):
    """This browser has no such sign-in under way."""


class Malformed(Unprocessable):
    """The request is not of the form this route takes."""


class NameTaken(Conflict):
    """The project has a service account of this name already."""


class NoVerifiedEmail(Forbidden):
    """The sign-in provider vouches for no e-mail address of yours."""


class NotEmpty(Conflict):
    """Something still lives inside."""


class NotProved(Unauthenticated):
    """The service account did not prove itself."""


class NotSealedYet(Conflict):
    """The entry is not sealed yet."""


class OwnAccount(Conflict):
    """You cannot do this to your own account."""


class PermissionUnknown(Unprocessable):
    """A service account cannot hold this permission."""


class ProviderMisconfigured(ServerFault):
    """The sign-in provider and this platform do not fit together."""


class ProviderRefused(Unauthenticated):
    """The sign-in provider let nobody in."""


class ProviderUnreachable(Busy):
    """The sign-in provider does not answer."""


class ReasonRequired(Unprocessable):
    """Opening somebody's account reaches into their orgs, and needs a reason."""


class RoleNotHere(Unprocessable):
    """This role cannot be given in this place."""


class SealBroken(Conflict):
    """The entry no longer fits its seal."""


class SlugTaken(Conflict):
    """Another one already has this slug."""


class TokenLifetime(Unprocessable):
    """The token would live longer than this platform allows."""


class TooManyKeys(Conflict):
    """The service account has as many live keys as it may."""


class TooManyProviders(Conflict):
    """The login page has no room for another provider."""


class TooManyWebhooks(Conflict):
    """The org has as many webhooks as it can have."""


class UnknownEventType(Unprocessable):
    """No event of the platform has such a type."""


class WebhookDisabled(Conflict):
    """The webhook is disabled."""


class WebhookUrlNotAllowed(Unprocessable):
    """A webhook cannot point there."""


class WrongPassword(Unauthenticated):
    """E-mail and password do not fit, or the account is locked."""


BY_CODE: dict[str, type[ApiError]] = {
    "account_disabled": AccountDisabled,
    "already_issued": AlreadyIssued,
    "already_member": AlreadyMember,
    "beyond_ceiling": BeyondCeiling,
    "beyond_own_rights": BeyondOwnRights,
    "busy": Busy,
    "code_not_valid": CodeNotValid,
    "cursor_expired": CursorExpired,
    "delivery_pending": DeliveryPending,
    "domain_not_allowed": DomainNotAllowed,
    "email_taken": EmailTaken,
    "event_expired": EventExpired,
    "forbidden": Forbidden,
    "id_token_refused": IdTokenRefused,
    "idempotency_key_required": IdempotencyKeyRequired,
    "idempotency_key_reused": IdempotencyKeyReused,
    "if_match_required": IfMatchRequired,
    "in_progress": InProgress,
    "issuer_not_allowed": IssuerNotAllowed,
    "key_not_usable": KeyNotUsable,
    "last_admin": LastAdmin,
    "link_needs_admin": LinkNeedsAdmin,
    "linked_to_another": LinkedToAnother,
    "login_not_pending": LoginNotPending,
    "malformed": Malformed,
    "name_taken": NameTaken,
    "no_verified_email": NoVerifiedEmail,
    "not_empty": NotEmpty,
    "not_found": NotFound,
    "not_proved": NotProved,
    "not_sealed_yet": NotSealedYet,
    "own_account": OwnAccount,
    "permission_unknown": PermissionUnknown,
    "provider_misconfigured": ProviderMisconfigured,
    "provider_refused": ProviderRefused,
    "provider_unreachable": ProviderUnreachable,
    "reason_required": ReasonRequired,
    "role_not_here": RoleNotHere,
    "seal_broken": SealBroken,
    "slug_taken": SlugTaken,
    "stale": Stale,
    "token_lifetime": TokenLifetime,
    "too_large": TooLarge,
    "too_many_keys": TooManyKeys,
    "too_many_providers": TooManyProviders,
    "too_many_requests": TooManyRequests,
    "too_many_webhooks": TooManyWebhooks,
    "unauthenticated": Unauthenticated,
    "unknown_event_type": UnknownEventType,
    "webhook_disabled": WebhookDisabled,
    "webhook_url_not_allowed": WebhookUrlNotAllowed,
    "wrong_password": WrongPassword,
}
"""The class of each code that the contract names."""

__all__ = [
    "AccountDisabled",
    "AlreadyIssued",
    "AlreadyMember",
    "BY_CODE",
    "BadRequest",
    "BeyondCeiling",
    "BeyondOwnRights",
    "Busy",
    "CodeNotValid",
    "Conflict",
    "CursorExpired",
    "DeliveryPending",
    "DomainNotAllowed",
    "EmailTaken",
    "EventExpired",
    "Forbidden",
    "Gone",
    "IdTokenRefused",
    "IdempotencyKeyRequired",
    "IdempotencyKeyReused",
    "IfMatchRequired",
    "InProgress",
    "IssuerNotAllowed",
    "KeyNotUsable",
    "LastAdmin",
    "LinkNeedsAdmin",
    "LinkedToAnother",
    "LoginNotPending",
    "Malformed",
    "NameTaken",
    "NoVerifiedEmail",
    "NotEmpty",
    "NotFound",
    "NotProved",
    "NotSealedYet",
    "OwnAccount",
    "PermissionUnknown",
    "ProviderMisconfigured",
    "ProviderRefused",
    "ProviderUnreachable",
    "ReasonRequired",
    "RoleNotHere",
    "SealBroken",
    "ServerFault",
    "SlugTaken",
    "Stale",
    "TokenLifetime",
    "TooLarge",
    "TooManyKeys",
    "TooManyProviders",
    "TooManyRequests",
    "TooManyWebhooks",
    "Unauthenticated",
    "UnknownEventType",
    "Unprocessable",
    "WebhookDisabled",
    "WebhookUrlNotAllowed",
    "WrongPassword",
]
