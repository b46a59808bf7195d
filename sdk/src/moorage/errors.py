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
    RangeNotSatisfiable,
    ServerFault,
    Stale,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unprocessable,
)


class AccessEnded(Conflict):
    """The access grant has ended."""


class AccountDisabled(Forbidden):
    """The account is disabled."""


class ActionInputInvalid(Unprocessable):
    """The input is not what the action takes."""


class ActionNeedsMember(Unprocessable):
    """The action acts on a member of a component, or on none."""


class ActionUnknown(NotFound):
    """The instance's version declares no such action."""


class AddressMissing(Unprocessable):
    """A host without agent needs an address."""


class AgentMissing(Conflict):
    """This platform has no agent to hand out."""


class AllocationForeign(Conflict):
    """The machine is not one of the operation's."""


class AllocationInactive(Conflict):
    """The machine is not held any more, or not yet."""


class AllocationNotActive(Conflict):
    """The allocation is not active."""


class AllocationOccupied(Conflict):
    """Members of an instance stand on this machine."""


class AlreadyDecided(Conflict):
    """This code was approved or refused already."""


class AlreadyEntitled(Conflict):
    """The project is entitled to this app already."""


class AlreadyGranted(Conflict):
    """The person may enter this machine already."""


class AlreadyIssued(Conflict):
    """The secret was shown once and is not kept."""


class AlreadyRegistered(Conflict):
    """The service account is an operator of this app already."""


class AlreadySigned(Conflict):
    """The key has signed this artifact already."""


class AlreadyThere(Conflict):
    """The channel points to this version already."""


class AppMissing(Unprocessable):
    """This kind of operation is about an app."""


class AppNotOffered(Conflict):
    """The project does not see this app."""


class AppNotShared(Conflict):
    """The app's publisher does not show it to this project."""


class AppPublished(Conflict):
    """The app was published and stays."""


class ArtifactMissing(Conflict):
    """The project has no usable artifact of this digest."""


class ArtifactRevoked(Conflict):
    """The artifact was revoked."""


class ArtifactTooLarge(Unprocessable):
    """The artifact is larger than this platform takes."""


class ArtifactUsed(Conflict):
    """A published version is made of this artifact."""


class ArtifactsNotReady(Conflict):
    """The version's artifacts cannot be used as they are."""


class BeyondCeiling(Forbidden):
    """Nobody can grant what they do not hold."""


class BeyondOwnRights(Forbidden):
    """A token cannot hold what its owner lacks."""


class ChangePending(Conflict):
    """Another change of the instance is on its way."""


class CodeNotValid(Unauthenticated):
    """The one-time code is used up, expired or wrong."""


class ComponentNotTouched(Conflict):
    """The manifest does not let this kind of operation touch that component's members."""


class ConsentNeeded(Conflict):
    """A tenant admin has to accept what this version of the app asks for."""


class ConstraintInvalid(Unprocessable):
    """This is no constraint on version numbers."""


class ContentTaken(Conflict):
    """The project has an artifact with this content already."""


class ContentUnavailable(Busy):
    """The platform cannot deliver these bytes."""


class CredentialRevoked(Conflict):
    """The credential is revoked."""


class CursorExpired(Gone):
    """This cursor does not fit the events that are kept."""


class DeliveryPending(Conflict):
    """The delivery has not ended."""


class DeviceCodeNotValid(Unauthenticated):
    """The code is expired, used up or was never issued."""


class DigestMismatch(Unprocessable):
    """The bytes are not those that were announced."""


class DimensionNotEnforced(Unprocessable):
    """Nothing enforces this limit."""


class DomainNotAllowed(Forbidden):
    """The sign-in provider does not speak for addresses like yours."""


class DraftChanged(Conflict):
    """The draft is not the one that you want to publish."""


class DrainedByOthers(Conflict):
    """Another side drained the member, and only that side lets it work again."""


class EmailTaken(Conflict):
    """There is an account with this e-mail already."""


class EntitlementMissing(Forbidden):
    """The project may not use this app."""


class EventExpired(Gone):
    """The event is older than the platform keeps events."""


class FamilyKeyNotAllowed(Unprocessable):
    """A family cannot hold this key."""


class FamilyKeyUnknown(Unprocessable):
    """The family has no such key."""


class FamilyKeysStay(Conflict):
    """A family's keys stay, and stay what they mean."""


class FamilyNameReserved(Unprocessable):
    """No family can be called so."""


class FamilyNameTaken(Conflict):
    """An app is called so."""


class GenerationPassed(Conflict):
    """A later generation of the view was published already."""


class GpusUnclear(Unprocessable):
    """A model and a number of GPUs belong together."""


class GrantEnded(Conflict):
    """The operation has ended, or another holder has taken it over."""


class GrantTooLong(Unprocessable):
    """An access grant cannot last that long."""


class HasLogin(Conflict):
    """The person has a login in this org already."""


class HostHasAgent(Conflict):
    """The machine has an agent."""


class IdTokenRefused(Unauthenticated):
    """What the sign-in provider says about you does not prove who you are."""


class IdempotencyKeyRequired(BadRequest):
    """Every change needs an Idempotency-Key."""


class IdempotencyKeyReused(Unprocessable):
    """This idempotency key was used for another request."""


class InProgress(Conflict):
    """The same request is still being worked on."""


class InstanceNotRunning(Conflict):
    """The instance is in no state in which an action could be done."""


class InvalidConfig(Unprocessable):
    """The configuration does not fit the app's schema."""


class InvalidPlacement(Unprocessable):
    """The components cannot be placed like this."""


class InvalidTransition(Conflict):
    """The state of the instance does not allow this."""


class IsAppOperator(Conflict):
    """The service account is an app's operator."""


class IssuerNotAllowed(Unprocessable):
    """A sign-in provider cannot live there."""


class KeyNotProved(Unprocessable):
    """Nothing shows that whoever registers the key has its private half."""


class KeyNotUsable(Unprocessable):
    """This is not a usable Ed25519 public key."""


class KeyRevoked(Conflict):
    """The publisher's key was revoked."""


class KeyTaken(Conflict):
    """The project has had this key already."""


class LastAdmin(Conflict):
    """An org needs at least one admin whose account is enabled."""


class LimitReached(Conflict):
    """There is no room for another one."""


class LinkNeedsAdmin(Conflict):
    """The account is somebody's already."""


class LinkedToAnother(Conflict):
    """The account belongs to another identity of this sign-in provider."""


class LocationUnusable(Unprocessable):
    """This is not a location inside a source."""


class LoginNotPending(Unauthenticated):
    """This browser has no such sign-in under way."""


class LoginReserved(Unprocessable):
    """Hosts use this name themselves."""


class LoginTaken(Conflict):
    """The login belongs, or belonged, to somebody else."""


class LossesNotAccepted(Conflict):
    """This loses something, which has to be accepted."""


class MachineUnfit(Conflict):
    """A member cannot stand on this machine."""


class Malformed(Unprocessable):
    """The request is not of the form this route takes."""


class ManifestInvalid(Unprocessable):
    """The manifest has faults."""


class ManifestMisfit(Unprocessable):
    """The manifest is that of another app or version."""


class MemberLeaving(Conflict):
    """The member is being taken away."""


class MembershipExists(Conflict):
    """This person already has a role here."""


class MeterUnknown(Unprocessable):
    """The app's version declares no such meter."""


class ModeNotSupported(Unprocessable):
    """The app does not run in this mode."""


class MoreThanAnnounced(Unprocessable):
    """The upload has more bytes than were announced."""


class NameTaken(Conflict):
    """Another node has this name already."""


class NeedsSession(Forbidden):
    """Only a person in the console can decide about a code."""


class NoCapacity(Conflict):
    """There are not enough free machines of this kind there."""


class NoVerifiedEmail(Forbidden):
    """The sign-in provider vouches for no e-mail address of yours."""


class NoVersion(Conflict):
    """The app has no version that this would come to."""


class NodeHeld(Conflict):
    """Somebody holds the node."""


class NodeNotFree(Conflict):
    """Nobody can get this node now."""


class NodeQuarantined(Conflict):
    """The node takes no work: something is wrong with it."""


class NodeStatus(Conflict):
    """The node's status does not allow this."""


class NodeTakenOut(Conflict):
    """The node was taken out, and nothing is done there."""


class NodeWithoutAgent(Conflict):
    """The node has no agent."""


class NotADraft(Conflict):
    """A version that was published does not change."""


class NotAPerson(Unprocessable):
    """Only people enter machines."""


class NotAnOperator(Forbidden):
    """The caller is no operator of this app, or can no longer act as one."""


class NotAnOperatorAccount(Unprocessable):
    """An app operator may claim operations and nothing else."""


class NotAnUpgrade(Conflict):
    """The instance cannot go to this version."""


class NotEmpty(Conflict):
    """Something still lives inside."""


class NotInOrg(Conflict):
    """The person has no role in the org."""


class NotInProject(Conflict):
    """The person has no role in the project that lets them enter machines."""


class NotProved(Unauthenticated):
    """The service account did not prove itself."""


class NotSealedYet(Conflict):
    """The entry is not sealed yet."""


class NotUploading(Conflict):
    """The artifact takes no bytes."""


class NotYourGrant(Forbidden):
    """Only the person of a grant gets certificates for it."""


class NothingChanges(Conflict):
    """The instance is like this already."""


class OnChannel(Conflict):
    """A channel points to the version."""


class OperationEnded(Conflict):
    """The operation has ended."""


class OperatorServesInstances(Conflict):
    """Instances are served by this operator."""


class OperatorUnfit(Unprocessable):
    """This app operator cannot serve the instance."""


class OverlayWidens(Unprocessable):
    """A layer only narrows what the layers above it leave."""


class OwnAccount(Conflict):
    """You cannot do this to your own account."""


class PermissionUnknown(Unprocessable):
    """A service account cannot hold this permission."""


class PersonDisabled(Conflict):
    """The person's account is disabled."""


class PlaceUnknown(Unprocessable):
    """There is no such region or SKU, or it takes nothing new."""


class PlanStale(Conflict):
    """What the plan was made from has changed."""


class PlatformsOwn(Conflict):
    """It is the platform's own work: nobody stops it or holds it open."""


class PolicyRefused(Forbidden):
    """Policy does not allow this."""


class ProbeMisplaced(Conflict):
    """The probe cannot run on this member."""


class ProbeUnknown(Unprocessable):
    """The app's version declares no such probe."""


class ProjectFull(Conflict):
    """The project may not keep so many bytes."""


class ProviderMisconfigured(ServerFault):
    """The sign-in provider and this platform do not fit together."""


class ProviderRefused(Unauthenticated):
    """The sign-in provider let nobody in."""


class ProviderUnreachable(Busy):
    """The sign-in provider does not answer."""


class PullExpired(Gone):
    """The credential has expired."""


class PullSecretWrong(Forbidden):
    """The secret is not that of this pull."""


class ReasonRequired(Unprocessable):
    """Opening somebody's account reaches into their orgs, and needs a reason."""


class ResultTooLarge(Conflict):
    """The results of the steps are larger than a journal holds."""


class RoleNotHere(Unprocessable):
    """This role cannot be given in this place."""


class RollbackUnsupported(Conflict):
    """There is no way back to this."""


class RollsForwardOnly(Conflict):
    """The operation is past the point from which it could be taken back."""


class RotationNotHere(Conflict):
    """Secrets are rotated by operations that are for that."""


class RowForeign(Unprocessable):
    """A row belongs to a project that has nothing to do with the instance."""


class RowInvalid(Unprocessable):
    """A row is not what the view's columns say."""


class RunbookMissing(Unprocessable):
    """The manifest names a runbook that was not sent."""


class ScopeNotAsked(Forbidden):
    """The app's version has not asked for this."""


class ScopeNotAvailable(Unprocessable):
    """Only instances of one project can be deployed so far."""


class SealBroken(Conflict):
    """The entry no longer fits its seal."""


class SecretNameTaken(Conflict):
    """The operation has a secret of this name already."""


class SecretValueInvalid(Unprocessable):
    """The value is not what it is said to be."""


class SequenceGap(Conflict):
    """A report is missing before this one."""


class SignInDenied(Forbidden):
    """Somebody refused this sign-in in the console."""


class SignatureInvalid(Unprocessable):
    """The signature is not one of this artifact by this key."""


class SlugReserved(Unprocessable):
    """No app may be called so."""


class SlugTaken(Conflict):
    """Another one has this slug already."""


class SourceCredentialNeeded(Conflict):
    """The source's credential must be given again."""


class SourceCredentialNotUsable(Unprocessable):
    """This is not a credential that can be sent to a source."""


class SourceInUse(Conflict):
    """Artifacts come from this source."""


class SourceMismatch(ServerFault):
    """What the source has is not the artifact."""


class SourceNotUsable(Conflict):
    """The artifact's source cannot be used now."""


class SourceRefused(ServerFault):
    """The artifact's source did not give it out."""


class SourceUnreachable(Busy):
    """The artifact's source cannot be reached."""


class SourceUnusable(Unprocessable):
    """The artifact cannot be registered at this source."""


class SourceUrlNotAllowed(Unprocessable):
    """A source cannot be there."""


class SshFingerprintDiffers(Conflict):
    """This is not the key that the host showed."""


class SshHostNotSet(Conflict):
    """Nobody has said with which credential the host is reached."""


class SshHostUnreachable(Conflict):
    """The host did not show its key."""


class SshKeyRefused(Unprocessable):
    """This is not an SSH public key that can be certified."""


class SshKeyUnusable(Unprocessable):
    """The private key cannot be used."""


class StepFinal(Conflict):
    """A step that has come to its end does not change any more."""


class StillEntitled(Conflict):
    """Projects that would no longer see the app are entitled to it."""


class StoreFull(Busy):
    """The platform has no room for more bytes."""


class TaskAttemptSkipped(Conflict):
    """Attempts are counted one by one."""


class TaskDiffers(Conflict):
    """The same key was used for another wish."""


class TaskEnded(Conflict):
    """The task has ended."""


class TaskInputInvalid(Unprocessable):
    """The input is not what the kind takes."""


class TaskKindNotAllowed(Unprocessable):
    """Tasks of this kind are the platform's own."""


class TaskNamedTwice(Unprocessable):
    """Two tasks of one call have the same key and machine."""


class TaskNotDeclared(Conflict):
    """The manifest declares no tasks of this kind, or none that run as this user."""


class TaskNotRepeatable(Conflict):
    """Nobody knows how the earlier attempt ended, and this task must not be done twice."""


class TaskStillRuns(Conflict):
    """An earlier attempt has not ended."""


class TokenLifetime(Unprocessable):
    """The token would live longer than this platform allows."""


class TooFewMembers(Conflict):
    """The component needs more members than would be left."""


class TooManyKeys(Conflict):
    """The service account has as many live keys as it may."""


class TooManyMembers(Conflict):
    """The component cannot have so many members."""


class TooManyProviders(Conflict):
    """The login page has no room for another provider."""


class TooManyRepairs(Conflict):
    """The instance was repaired too often within the hour."""


class TooManySecrets(Conflict):
    """The operation has as many secrets as it may have."""


class TooManyTasks(Conflict):
    """The machine has as many tasks that have not ended as it may have."""


class TooManyUploads(Conflict):
    """The project has as many uploads open as it may."""


class TooManyWebhooks(Conflict):
    """The org has as many webhooks as it can have."""


class UidsExhausted(Conflict):
    """The org has no uid left to give."""


class UnknownCode(NotFound):
    """There is no such code that waits for a decision."""


class UnknownComponent(Unprocessable):
    """The app has no such component."""


class UnknownEventType(Unprocessable):
    """No event of the platform has such a type."""


class UploadBusy(Conflict):
    """Another request is writing this upload."""


class UploadIncomplete(Conflict):
    """Not all bytes have arrived."""


class UploadOffset(Conflict):
    """The upload stands at another offset."""


class UploadStalled(Conflict):
    """The bytes stopped coming."""


class UsageInvalid(Unprocessable):
    """A record of usage cannot be."""


class VerbNotOffered(Conflict):
    """The app does not offer this for members of the component."""


class VersionExists(Conflict):
    """The app has a version of this number."""


class VersionTwice(Unprocessable):
    """Name a version or a channel, not both."""


class ViewUnknown(NotFound):
    """The instance's version declares no such view."""


class WatchChangesNothing(Forbidden):
    """A watch looks, and changes nothing on a machine."""


class WatchEnded(Conflict):
    """Another replica watches the instance, or nobody does any more."""


class WebhookDisabled(Conflict):
    """The webhook is disabled."""


class WebhookUrlNotAllowed(Unprocessable):
    """A webhook cannot point there."""


class WrongPassword(Unauthenticated):
    """E-mail and password do not fit, or the account is locked."""


BY_CODE: dict[str, type[ApiError]] = {
    "access_ended": AccessEnded,
    "account_disabled": AccountDisabled,
    "action_input_invalid": ActionInputInvalid,
    "action_needs_member": ActionNeedsMember,
    "action_unknown": ActionUnknown,
    "address_missing": AddressMissing,
    "agent_missing": AgentMissing,
    "allocation_foreign": AllocationForeign,
    "allocation_inactive": AllocationInactive,
    "allocation_not_active": AllocationNotActive,
    "allocation_occupied": AllocationOccupied,
    "already_decided": AlreadyDecided,
    "already_entitled": AlreadyEntitled,
    "already_granted": AlreadyGranted,
    "already_issued": AlreadyIssued,
    "already_registered": AlreadyRegistered,
    "already_signed": AlreadySigned,
    "already_there": AlreadyThere,
    "app_missing": AppMissing,
    "app_not_offered": AppNotOffered,
    "app_not_shared": AppNotShared,
    "app_published": AppPublished,
    "artifact_missing": ArtifactMissing,
    "artifact_revoked": ArtifactRevoked,
    "artifact_too_large": ArtifactTooLarge,
    "artifact_used": ArtifactUsed,
    "artifacts_not_ready": ArtifactsNotReady,
    "beyond_ceiling": BeyondCeiling,
    "beyond_own_rights": BeyondOwnRights,
    "busy": Busy,
    "change_pending": ChangePending,
    "code_not_valid": CodeNotValid,
    "component_not_touched": ComponentNotTouched,
    "consent_needed": ConsentNeeded,
    "constraint_invalid": ConstraintInvalid,
    "content_taken": ContentTaken,
    "content_unavailable": ContentUnavailable,
    "credential_revoked": CredentialRevoked,
    "cursor_expired": CursorExpired,
    "delivery_pending": DeliveryPending,
    "device_code_not_valid": DeviceCodeNotValid,
    "digest_mismatch": DigestMismatch,
    "dimension_not_enforced": DimensionNotEnforced,
    "domain_not_allowed": DomainNotAllowed,
    "draft_changed": DraftChanged,
    "drained_by_others": DrainedByOthers,
    "email_taken": EmailTaken,
    "entitlement_missing": EntitlementMissing,
    "event_expired": EventExpired,
    "family_key_not_allowed": FamilyKeyNotAllowed,
    "family_key_unknown": FamilyKeyUnknown,
    "family_keys_stay": FamilyKeysStay,
    "family_name_reserved": FamilyNameReserved,
    "family_name_taken": FamilyNameTaken,
    "forbidden": Forbidden,
    "generation_passed": GenerationPassed,
    "gpus_unclear": GpusUnclear,
    "grant_ended": GrantEnded,
    "grant_too_long": GrantTooLong,
    "has_login": HasLogin,
    "host_has_agent": HostHasAgent,
    "id_token_refused": IdTokenRefused,
    "idempotency_key_required": IdempotencyKeyRequired,
    "idempotency_key_reused": IdempotencyKeyReused,
    "if_match_required": IfMatchRequired,
    "in_progress": InProgress,
    "instance_not_running": InstanceNotRunning,
    "invalid_config": InvalidConfig,
    "invalid_placement": InvalidPlacement,
    "invalid_transition": InvalidTransition,
    "is_app_operator": IsAppOperator,
    "issuer_not_allowed": IssuerNotAllowed,
    "key_not_proved": KeyNotProved,
    "key_not_usable": KeyNotUsable,
    "key_revoked": KeyRevoked,
    "key_taken": KeyTaken,
    "last_admin": LastAdmin,
    "limit_reached": LimitReached,
    "link_needs_admin": LinkNeedsAdmin,
    "linked_to_another": LinkedToAnother,
    "location_unusable": LocationUnusable,
    "login_not_pending": LoginNotPending,
    "login_reserved": LoginReserved,
    "login_taken": LoginTaken,
    "losses_not_accepted": LossesNotAccepted,
    "machine_unfit": MachineUnfit,
    "malformed": Malformed,
    "manifest_invalid": ManifestInvalid,
    "manifest_misfit": ManifestMisfit,
    "member_leaving": MemberLeaving,
    "membership_exists": MembershipExists,
    "meter_unknown": MeterUnknown,
    "mode_not_supported": ModeNotSupported,
    "more_than_announced": MoreThanAnnounced,
    "name_taken": NameTaken,
    "needs_session": NeedsSession,
    "no_capacity": NoCapacity,
    "no_verified_email": NoVerifiedEmail,
    "no_version": NoVersion,
    "node_held": NodeHeld,
    "node_not_free": NodeNotFree,
    "node_quarantined": NodeQuarantined,
    "node_status": NodeStatus,
    "node_taken_out": NodeTakenOut,
    "node_without_agent": NodeWithoutAgent,
    "not_a_draft": NotADraft,
    "not_a_person": NotAPerson,
    "not_an_operator": NotAnOperator,
    "not_an_operator_account": NotAnOperatorAccount,
    "not_an_upgrade": NotAnUpgrade,
    "not_empty": NotEmpty,
    "not_found": NotFound,
    "not_in_org": NotInOrg,
    "not_in_project": NotInProject,
    "not_proved": NotProved,
    "not_sealed_yet": NotSealedYet,
    "not_uploading": NotUploading,
    "not_your_grant": NotYourGrant,
    "nothing_changes": NothingChanges,
    "on_channel": OnChannel,
    "operation_ended": OperationEnded,
    "operator_serves_instances": OperatorServesInstances,
    "operator_unfit": OperatorUnfit,
    "overlay_widens": OverlayWidens,
    "own_account": OwnAccount,
    "permission_unknown": PermissionUnknown,
    "person_disabled": PersonDisabled,
    "place_unknown": PlaceUnknown,
    "plan_stale": PlanStale,
    "platforms_own": PlatformsOwn,
    "policy_refused": PolicyRefused,
    "probe_misplaced": ProbeMisplaced,
    "probe_unknown": ProbeUnknown,
    "project_full": ProjectFull,
    "provider_misconfigured": ProviderMisconfigured,
    "provider_refused": ProviderRefused,
    "provider_unreachable": ProviderUnreachable,
    "pull_expired": PullExpired,
    "pull_secret_wrong": PullSecretWrong,
    "range_not_satisfiable": RangeNotSatisfiable,
    "reason_required": ReasonRequired,
    "result_too_large": ResultTooLarge,
    "role_not_here": RoleNotHere,
    "rollback_unsupported": RollbackUnsupported,
    "rolls_forward_only": RollsForwardOnly,
    "rotation_not_here": RotationNotHere,
    "row_foreign": RowForeign,
    "row_invalid": RowInvalid,
    "runbook_missing": RunbookMissing,
    "scope_not_asked": ScopeNotAsked,
    "scope_not_available": ScopeNotAvailable,
    "seal_broken": SealBroken,
    "secret_name_taken": SecretNameTaken,
    "secret_value_invalid": SecretValueInvalid,
    "sequence_gap": SequenceGap,
    "sign_in_denied": SignInDenied,
    "signature_invalid": SignatureInvalid,
    "slug_reserved": SlugReserved,
    "slug_taken": SlugTaken,
    "source_credential_needed": SourceCredentialNeeded,
    "source_credential_not_usable": SourceCredentialNotUsable,
    "source_in_use": SourceInUse,
    "source_mismatch": SourceMismatch,
    "source_not_usable": SourceNotUsable,
    "source_refused": SourceRefused,
    "source_unreachable": SourceUnreachable,
    "source_unusable": SourceUnusable,
    "source_url_not_allowed": SourceUrlNotAllowed,
    "ssh_fingerprint_differs": SshFingerprintDiffers,
    "ssh_host_not_set": SshHostNotSet,
    "ssh_host_unreachable": SshHostUnreachable,
    "ssh_key_refused": SshKeyRefused,
    "ssh_key_unusable": SshKeyUnusable,
    "stale": Stale,
    "step_final": StepFinal,
    "still_entitled": StillEntitled,
    "store_full": StoreFull,
    "task_attempt_skipped": TaskAttemptSkipped,
    "task_differs": TaskDiffers,
    "task_ended": TaskEnded,
    "task_input_invalid": TaskInputInvalid,
    "task_kind_not_allowed": TaskKindNotAllowed,
    "task_named_twice": TaskNamedTwice,
    "task_not_declared": TaskNotDeclared,
    "task_not_repeatable": TaskNotRepeatable,
    "task_still_runs": TaskStillRuns,
    "token_lifetime": TokenLifetime,
    "too_few_members": TooFewMembers,
    "too_large": TooLarge,
    "too_many_keys": TooManyKeys,
    "too_many_members": TooManyMembers,
    "too_many_providers": TooManyProviders,
    "too_many_repairs": TooManyRepairs,
    "too_many_requests": TooManyRequests,
    "too_many_secrets": TooManySecrets,
    "too_many_tasks": TooManyTasks,
    "too_many_uploads": TooManyUploads,
    "too_many_webhooks": TooManyWebhooks,
    "uids_exhausted": UidsExhausted,
    "unauthenticated": Unauthenticated,
    "unknown_code": UnknownCode,
    "unknown_component": UnknownComponent,
    "unknown_event_type": UnknownEventType,
    "upload_busy": UploadBusy,
    "upload_incomplete": UploadIncomplete,
    "upload_offset": UploadOffset,
    "upload_stalled": UploadStalled,
    "usage_invalid": UsageInvalid,
    "verb_not_offered": VerbNotOffered,
    "version_exists": VersionExists,
    "version_twice": VersionTwice,
    "view_unknown": ViewUnknown,
    "watch_changes_nothing": WatchChangesNothing,
    "watch_ended": WatchEnded,
    "webhook_disabled": WebhookDisabled,
    "webhook_url_not_allowed": WebhookUrlNotAllowed,
    "wrong_password": WrongPassword,
}
"""The class of each code that the contract names."""

__all__ = [
    "AccessEnded",
    "AccountDisabled",
    "ActionInputInvalid",
    "ActionNeedsMember",
    "ActionUnknown",
    "AddressMissing",
    "AgentMissing",
    "AllocationForeign",
    "AllocationInactive",
    "AllocationNotActive",
    "AllocationOccupied",
    "AlreadyDecided",
    "AlreadyEntitled",
    "AlreadyGranted",
    "AlreadyIssued",
    "AlreadyRegistered",
    "AlreadySigned",
    "AlreadyThere",
    "AppMissing",
    "AppNotOffered",
    "AppNotShared",
    "AppPublished",
    "ArtifactMissing",
    "ArtifactRevoked",
    "ArtifactTooLarge",
    "ArtifactUsed",
    "ArtifactsNotReady",
    "BY_CODE",
    "BadRequest",
    "BeyondCeiling",
    "BeyondOwnRights",
    "Busy",
    "ChangePending",
    "CodeNotValid",
    "ComponentNotTouched",
    "Conflict",
    "ConsentNeeded",
    "ConstraintInvalid",
    "ContentTaken",
    "ContentUnavailable",
    "CredentialRevoked",
    "CursorExpired",
    "DeliveryPending",
    "DeviceCodeNotValid",
    "DigestMismatch",
    "DimensionNotEnforced",
    "DomainNotAllowed",
    "DraftChanged",
    "DrainedByOthers",
    "EmailTaken",
    "EntitlementMissing",
    "EventExpired",
    "FamilyKeyNotAllowed",
    "FamilyKeyUnknown",
    "FamilyKeysStay",
    "FamilyNameReserved",
    "FamilyNameTaken",
    "Forbidden",
    "GenerationPassed",
    "Gone",
    "GpusUnclear",
    "GrantEnded",
    "GrantTooLong",
    "HasLogin",
    "HostHasAgent",
    "IdTokenRefused",
    "IdempotencyKeyRequired",
    "IdempotencyKeyReused",
    "IfMatchRequired",
    "InProgress",
    "InstanceNotRunning",
    "InvalidConfig",
    "InvalidPlacement",
    "InvalidTransition",
    "IsAppOperator",
    "IssuerNotAllowed",
    "KeyNotProved",
    "KeyNotUsable",
    "KeyRevoked",
    "KeyTaken",
    "LastAdmin",
    "LimitReached",
    "LinkNeedsAdmin",
    "LinkedToAnother",
    "LocationUnusable",
    "LoginNotPending",
    "LoginReserved",
    "LoginTaken",
    "LossesNotAccepted",
    "MachineUnfit",
    "Malformed",
    "ManifestInvalid",
    "ManifestMisfit",
    "MemberLeaving",
    "MembershipExists",
    "MeterUnknown",
    "ModeNotSupported",
    "MoreThanAnnounced",
    "NameTaken",
    "NeedsSession",
    "NoCapacity",
    "NoVerifiedEmail",
    "NoVersion",
    "NodeHeld",
    "NodeNotFree",
    "NodeQuarantined",
    "NodeStatus",
    "NodeTakenOut",
    "NodeWithoutAgent",
    "NotADraft",
    "NotAPerson",
    "NotAnOperator",
    "NotAnOperatorAccount",
    "NotAnUpgrade",
    "NotEmpty",
    "NotFound",
    "NotInOrg",
    "NotInProject",
    "NotProved",
    "NotSealedYet",
    "NotUploading",
    "NotYourGrant",
    "NothingChanges",
    "OnChannel",
    "OperationEnded",
    "OperatorServesInstances",
    "OperatorUnfit",
    "OverlayWidens",
    "OwnAccount",
    "PermissionUnknown",
    "PersonDisabled",
    "PlaceUnknown",
    "PlanStale",
    "PlatformsOwn",
    "PolicyRefused",
    "ProbeMisplaced",
    "ProbeUnknown",
    "ProjectFull",
    "ProviderMisconfigured",
    "ProviderRefused",
    "ProviderUnreachable",
    "PullExpired",
    "PullSecretWrong",
    "RangeNotSatisfiable",
    "ReasonRequired",
    "ResultTooLarge",
    "RoleNotHere",
    "RollbackUnsupported",
    "RollsForwardOnly",
    "RotationNotHere",
    "RowForeign",
    "RowInvalid",
    "RunbookMissing",
    "ScopeNotAsked",
    "ScopeNotAvailable",
    "SealBroken",
    "SecretNameTaken",
    "SecretValueInvalid",
    "SequenceGap",
    "ServerFault",
    "SignInDenied",
    "SignatureInvalid",
    "SlugReserved",
    "SlugTaken",
    "SourceCredentialNeeded",
    "SourceCredentialNotUsable",
    "SourceInUse",
    "SourceMismatch",
    "SourceNotUsable",
    "SourceRefused",
    "SourceUnreachable",
    "SourceUnusable",
    "SourceUrlNotAllowed",
    "SshFingerprintDiffers",
    "SshHostNotSet",
    "SshHostUnreachable",
    "SshKeyRefused",
    "SshKeyUnusable",
    "Stale",
    "StepFinal",
    "StillEntitled",
    "StoreFull",
    "TaskAttemptSkipped",
    "TaskDiffers",
    "TaskEnded",
    "TaskInputInvalid",
    "TaskKindNotAllowed",
    "TaskNamedTwice",
    "TaskNotDeclared",
    "TaskNotRepeatable",
    "TaskStillRuns",
    "TokenLifetime",
    "TooFewMembers",
    "TooLarge",
    "TooManyKeys",
    "TooManyMembers",
    "TooManyProviders",
    "TooManyRepairs",
    "TooManyRequests",
    "TooManySecrets",
    "TooManyTasks",
    "TooManyUploads",
    "TooManyWebhooks",
    "UidsExhausted",
    "Unauthenticated",
    "UnknownCode",
    "UnknownComponent",
    "UnknownEventType",
    "Unprocessable",
    "UploadBusy",
    "UploadIncomplete",
    "UploadOffset",
    "UploadStalled",
    "UsageInvalid",
    "VerbNotOffered",
    "VersionExists",
    "VersionTwice",
    "ViewUnknown",
    "WatchChangesNothing",
    "WatchEnded",
    "WebhookDisabled",
    "WebhookUrlNotAllowed",
    "WrongPassword",
]
