"""What a manifest and a family can say: the source of the schema and of the reference page.

A model checks one value at a time. What one part says about another (a view's permission, a
component that is touched) is in `rules`; schemas inside a manifest are in `schemas`.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from moorage_manifest import canonical
from moorage_manifest.forms import (
    ArtifactName,
    ComponentKey,
    Contract,
    Digest,
    FieldName,
    Key,
    Line,
    MediaType,
    Prose,
    RelativePath,
    Seconds,
    Slug,
    Unit,
    UserName,
    VersionNumber,
    Word,
)
from moorage_manifest.vocabulary import (
    ColumnType,
    Effect,
    Lock,
    MemberVerb,
    ModeScope,
    OperationKind,
    Role,
    Scope,
    Secret,
    TaskKind,
)

Schema = dict[str, Any]
LARGEST = 2**53 - 1
"""The largest whole number that every reader of JSON keeps exact."""


class Part(BaseModel):
    """Closed, unchangeable, and nothing is converted on the way in."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )


class Mode(Part):
    """A way in which the app can run, and for whom."""

    operating_mode: Word = Field(description="How the app is run, in the app's own word.")
    scope: ModeScope = Field(
        description="Who shares one control plane: a project, a tenant or the platform. Only "
        "`project` can be deployed so far."
    )


class Component(Part):
    """A named part of the app, of which members are made."""

    min: int = Field(default=0, ge=0, le=100_000, description="Members that it needs at least.")
    max: int | None = Field(
        default=None, ge=1, le=100_000, description="Members that it can have; no limit if absent."
    )
    verbs: list[MemberVerb] = Field(
        default=[], description="What can be asked of one member after the deployment."
    )
    may_share_host_with: list[ComponentKey] = Field(
        default=[], description="Components whose members may stand on the same host."
    )
    waits_for_others: bool = Field(
        default=True,
        description="Whether its members join only after those of the components above it, when an "
        "instance is deployed. If not, they begin with the last of these, and see for themselves "
        "when what they need of it is there.",
    )
    description: Prose | None = Field(default=None, description="What it does.")


class Config(Part):
    """What the deployer can set."""

    json_schema: Schema = Field(
        alias="schema",
        description="JSON Schema 2020-12 with `type: object`. Hints for forms stand in `x-ui`.",
    )
    effects: dict[FieldName, Effect] = Field(
        default={},
        max_length=500,
        description="What changing a field does to a running instance. The field is named, or "
        "given as a JSON pointer. A field that is not listed restarts.",
    )


class Artifact(Part):
    """Bytes that the app needs on its members."""

    name: ArtifactName = Field(description="What the app calls it.")
    digest: Digest = Field(description="Which bytes.")
    size: int = Field(ge=0, le=LARGEST, description="How many bytes.")
    media_type: MediaType = Field(description="What kind of bytes.")
    file: RelativePath | None = Field(
        default=None, description="The file in this folder that is uploaded when you publish."
    )


class Permission(Part):
    """A permission key of the app's own."""

    key: Key = Field(description="The key in full; it begins with the app's namespace.")
    description: Line = Field(description="What its holder can do. Tenants read it before consent.")
    grants: list[Role] = Field(
        default=[], description="Project roles that hold it once a tenant consents."
    )


class Tasks(Part):
    """What the app runs on hosts."""

    kinds: list[TaskKind] = Field(default=[], description="Kinds of tasks.")
    run_as: list[UserName] = Field(default=[], description="Users that tasks run as.")


class Action(Part):
    """A verb of the app's own."""

    name: Key = Field(description="The name in full; it begins with the app's namespace.")
    title: Line = Field(description="What a button says.")
    description: Prose | None = Field(default=None, description="What it does.")
    input: Schema | None = Field(default=None, description="JSON Schema of what it takes.")
    output: Schema | None = Field(default=None, description="JSON Schema of what it answers.")
    permission: Key = Field(
        description="The key that its caller needs: the app's own or a family's."
    )
    lock: Lock = Field(default="none", description="What it keeps others from changing meanwhile.")
    component: ComponentKey | None = Field(
        default=None, description="The component of the member that it acts on."
    )


class Column(Part):
    """A column of a view."""

    name: Word = Field(description="The field of a row.")
    title: Line = Field(description="What stands above the column.")
    type: ColumnType = Field(default="text", description="How to show it.")


class View(Part):
    """A read model that the app publishes."""

    name: Key = Field(description="The name in full; it begins with the app's namespace.")
    title: Line = Field(description="What stands above the table.")
    columns: Annotated[list[Column], Field(min_length=1)] = Field(description="What a row has.")
    key: Word = Field(description="The column that tells rows apart.")
    permission: Key = Field(
        description="The key that its reader needs: the app's own or a family's."
    )


class Probe(Part):
    """A command that looks and changes nothing."""

    name: Key = Field(description="The name in full; it begins with the app's namespace.")
    component: ComponentKey = Field(description="Where it can run.")
    command: Annotated[list[Prose], Field(min_length=1, max_length=64)] = Field(
        description="The program and its arguments. No shell reads them."
    )
    timeout: Seconds = Field(default=30, description="How long it may take.")


class Meter(Part):
    """Something that the app counts."""

    name: Key = Field(description="The name in full; it begins with the app's namespace.")
    unit: Unit = Field(description="What is counted.")
    description: Line = Field(description="What it says.")


class Access(Part):
    """How people reach a running instance."""

    template: Prose = Field(
        description="Text with `{placeholders}` that are filled from the instance's endpoints. "
        "Two braces are one brace."
    )


class Rollback(Part):
    """What going back to the version before costs."""

    supported: bool = Field(description="Whether it is possible.")
    loses: list[Line] = Field(
        default=[], description="What is lost, a sentence each. Shown before consent."
    )


class Manifest(Part):
    """What one version of an app says about itself."""

    contract: Contract = Field(
        description="The contract's version that the manifest is written for."
    )
    slug: Slug = Field(description="The app's name in addresses; unique on the platform.")
    version: VersionNumber = Field(
        description="The number of this release, by Semantic Versioning 2.0."
    )
    name: Line = Field(description="The app's name for people.")
    summary: Line = Field(description="One sentence for the catalog.")
    families: list[Slug] = Field(default=[], description="Families whose keys the app uses.")
    runtime_backend: Slug = Field(
        default_factory=lambda fields: str(fields.get("slug", "")),
        description="What runs underneath, as one opaque word; the slug if absent.",
    )
    modes: Annotated[list[Mode], Field(min_length=1)] = Field(
        description="Supported pairs of operating mode and scope."
    )
    components: dict[ComponentKey, Component] = Field(
        default={}, max_length=64, description="The parts of the app, by key; at most 64."
    )
    touches: dict[OperationKind, list[ComponentKey]] = Field(
        default={},
        description="Whose members an operation may run tasks on, beyond its own target.",
    )
    config: Config | None = Field(default=None, description="What the deployer can set.")
    artifacts: list[Artifact] = Field(
        default=[], max_length=100, description="Bytes that the app needs; at most 100."
    )
    permissions: list[Permission] = Field(
        default=[], max_length=200, description="Keys of the app's own; at most 200."
    )
    family_grants: dict[Key, list[Role]] = Field(
        default={}, description="Keys of families, and the project roles that hold them by default."
    )
    scopes: list[Scope] = Field(
        default=[], description="What the app asks for beyond the operation that it works on."
    )
    tasks: Tasks = Field(default=Tasks(), description="What the app runs on hosts.")
    actions: list[Action] = Field(
        default=[], max_length=100, description="Verbs of the app's own; at most 100."
    )
    views: list[View] = Field(
        default=[], max_length=100, description="Read models that the app publishes; at most 100."
    )
    probes: list[Probe] = Field(
        default=[],
        max_length=100,
        description="Commands that look and change nothing; at most 100.",
    )
    meters: list[Meter] = Field(
        default=[], max_length=100, description="What the app counts; at most 100."
    )
    secrets: list[Secret] = Field(default=[], description="Secrets that the platform keeps for it.")
    access: Access | None = Field(default=None, description="How people reach an instance.")
    timeouts: dict[OperationKind, Seconds] = Field(
        default={}, description="How long an operation may take: seconds, or such as `30m`."
    )
    rollback: Rollback | None = Field(
        default=None, description="What going back costs; not supported if absent."
    )
    runbook: RelativePath | None = Field(
        default=None, description="The Markdown file for whoever operates the app."
    )

    @property
    def namespace(self) -> str:
        """What every name and key of the app begins with."""
        return namespace(self.slug)

    @property
    def digest(self) -> str:
        """`sha256:…` of what it says, however it was written."""
        return canonical.digest(self.model_dump(mode="json"))


class FamilyKey(Part):
    """A permission key that several apps share."""

    key: Key = Field(description="The key in full; it begins with the family's name.")
    description: Line = Field(description="What its holder can do.")
    means: Key | None = Field(
        default=None,
        description="The platform's key that it stands for, limited to apps of the family; without "
        "it, the key is checked by the actions and views that name it.",
    )


class Family(Part):
    """A named set of permission keys that several apps share."""

    name: Slug = Field(description="The family's name.")
    description: Prose = Field(description="What its apps have in common.")
    keys: Annotated[list[FamilyKey], Field(min_length=1, max_length=200)] = Field(
        description="Its keys."
    )

    @property
    def namespace(self) -> str:
        return namespace(self.name)


def namespace(slug: str) -> str:
    """What the keys of an app or a family begin with."""
    return slug.replace("-", "_")
