-- Apps that run: instances, members, their operations with steps, controllers, views and plans.

-- Instances --------------------------------------------------------------------------------------

CREATE TABLE instances (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    app_id text NOT NULL REFERENCES apps,
    app_slug text NOT NULL,
    name text NOT NULL,
    status text NOT NULL CHECK (status IN ('requested', 'deploying', 'running', 'stopping', 'stopped', 'starting',
        'restarting', 'configuring', 'upgrading', 'rolling_back', 'rotating', 'failed', 'deleting', 'delete_failed',
        'deleted')),
    -- What it is when no operation is at it: what one that was cancelled leaves.
    settled text NOT NULL,
    status_reason text,
    -- Who acts for it: an app operator of the publisher, or of the project itself.
    operator_id text NOT NULL REFERENCES app_operators,
    operating_mode text NOT NULL,
    control_plane_scope text NOT NULL CHECK (control_plane_scope IN ('project')),
    runtime_backend text NOT NULL,
    -- A label that the controller reports. Nothing here reads it.
    topology_mode text,
    -- What it is to be: the newest revision that was applied.
    version_id text NOT NULL REFERENCES app_versions,
    app_version text NOT NULL,
    config jsonb NOT NULL,
    revision integer NOT NULL DEFAULT 1,
    runtime_version text,
    endpoints jsonb NOT NULL DEFAULT '{}',
    -- What the controller last saw. It sets no state.
    health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('healthy', 'degraded', 'unhealthy', 'progressing', 'unknown')),
    health_reasons jsonb NOT NULL DEFAULT '[]',
    conditions jsonb NOT NULL DEFAULT '[]',
    observed_at timestamptz,
    -- When what was observed counts as stale.
    observed_until timestamptz,
    -- Claims are fair between instances: each operation of one that becomes ready takes a later turn.
    turn_at timestamptz NOT NULL,
    -- Operations come in order, also those asked for in one moment.
    next_place bigint NOT NULL DEFAULT 1,
    last_operation_id text,
    requested_by text NOT NULL,
    correlation_id text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    CHECK ((deleted_at IS NULL) = (status <> 'deleted'))
);
CREATE UNIQUE INDEX instances_name ON instances (project_id, name) WHERE deleted_at IS NULL;
CREATE INDEX instances_page ON instances (project_id, id);
CREATE INDEX instances_org ON instances (org_id, id);
CREATE INDEX instances_operator ON instances (operator_id, id) WHERE deleted_at IS NULL;
CREATE INDEX instances_version ON instances (version_id) WHERE deleted_at IS NULL;
CREATE INDEX instances_stale ON instances (observed_until) WHERE deleted_at IS NULL AND observed_until IS NOT NULL;
CREATE INDEX instances_usage ON instances (org_id, project_id) WHERE deleted_at IS NULL;

-- What the instance was to be, each time that changed.
CREATE TABLE instance_revisions (
    instance_id text NOT NULL,
    number integer NOT NULL CHECK (number > 0),
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    version_id text NOT NULL REFERENCES app_versions,
    app_version text NOT NULL,
    config jsonb NOT NULL,
    -- Which change made it, and whether it came to be what runs.
    kind text NOT NULL,
    operation_id text NOT NULL,
    outcome text NOT NULL DEFAULT 'pending' CHECK (outcome IN ('pending', 'applied', 'discarded')),
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (instance_id, number),
    FOREIGN KEY (org_id, project_id, instance_id) REFERENCES instances (org_id, project_id, id)
);

-- How many members are wanted of each component. How many there are is counted.
CREATE TABLE instance_components (
    instance_id text NOT NULL,
    key text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    -- In the order of the manifest.
    place integer NOT NULL,
    desired integer NOT NULL DEFAULT 0 CHECK (desired >= 0),
    health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('healthy', 'degraded', 'unhealthy', 'progressing', 'unknown')),
    summary text,
    -- Members are numbered; a number is not given twice.
    next_number integer NOT NULL DEFAULT 1,
    PRIMARY KEY (instance_id, key),
    FOREIGN KEY (org_id, project_id, instance_id) REFERENCES instances (org_id, project_id, id)
);

-- A plan: what a change would do, and what it was read from.
CREATE TABLE plans (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    -- Null for a deployment.
    instance_id text,
    kind text NOT NULL,
    input jsonb NOT NULL,
    content jsonb NOT NULL,
    -- The revisions of everything that was read: apply is refused where one has moved.
    read jsonb NOT NULL,
    created_by text NOT NULL,
    expires_at timestamptz NOT NULL,
    applied_operation_id text,
    correlation_id text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE INDEX plans_expiry ON plans (expires_at);

-- Members ----------------------------------------------------------------------------------------

-- An allocation carries members of one instance only.
ALTER TABLE allocations ADD COLUMN instance_id text;
ALTER TABLE allocations ADD CONSTRAINT allocations_instance UNIQUE (id, instance_id);

CREATE TABLE members (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    instance_id text NOT NULL,
    component text NOT NULL,
    name text NOT NULL,
    status text NOT NULL CHECK (status IN ('requested', 'joining', 'ready', 'draining', 'drained', 'removing',
        'replacing', 'failed', 'removed')),
    -- The state in which its last operation found it: what is left when that is cancelled.
    settled text NOT NULL DEFAULT 'requested' CHECK (settled IN ('requested', 'ready', 'drained', 'failed', 'removed')),
    status_reason text,
    health text NOT NULL DEFAULT 'unknown' CHECK (health IN ('healthy', 'degraded', 'unhealthy', 'unknown')),
    health_reasons jsonb NOT NULL DEFAULT '[]',
    allocation_id text,
    node_name text,
    host_address text,
    -- The project whose machine it stands on.
    source_project_id text NOT NULL,
    -- The platform allocated the machine for it, and gives it back with it.
    managed boolean NOT NULL DEFAULT false,
    -- Somebody asked to keep that machine all the same.
    keep_allocation boolean NOT NULL DEFAULT false,
    version_id text NOT NULL REFERENCES app_versions,
    app_version text NOT NULL,
    runtime_version text,
    config_hash text,
    -- Stored and shown, never read.
    adapter_detail jsonb NOT NULL DEFAULT '{}',
    drain_owner text CHECK (drain_owner IN ('user', 'platform', 'app')),
    drain_reason text,
    replaces_id text,
    last_operation_id text,
    correlation_id text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    held_allocation_id text GENERATED ALWAYS AS (CASE WHEN removed_at IS NULL THEN allocation_id END) STORED,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, instance_id) REFERENCES instances (org_id, project_id, id),
    FOREIGN KEY (held_allocation_id, instance_id) REFERENCES allocations (id, instance_id),
    CHECK ((removed_at IS NULL) = (status <> 'removed'))
);
CREATE UNIQUE INDEX members_name ON members (instance_id, name);
CREATE INDEX members_page ON members (instance_id, id);
CREATE INDEX members_live ON members (instance_id, component, status) WHERE removed_at IS NULL;
CREATE INDEX members_allocation ON members (held_allocation_id) WHERE held_allocation_id IS NOT NULL;
CREATE INDEX members_usage ON members (org_id, project_id) WHERE removed_at IS NULL;

-- Operations -------------------------------------------------------------------------------------

-- Which move of an operation is legal. The code's own table says the same; a test compares them.
CREATE TABLE operation_moves (
    before text NOT NULL,
    after text NOT NULL,
    PRIMARY KEY (before, after)
);
INSERT INTO operation_moves (before, after) VALUES
    ('pending', 'ready'), ('pending', 'cancelled'), ('pending', 'failed'), ('pending', 'abandoned'),
    ('ready', 'running'), ('ready', 'undoing'), ('ready', 'pending'), ('ready', 'cancelled'), ('ready', 'failed'),
    ('ready', 'blocked'), ('ready', 'abandoned'),
    ('running', 'ready'), ('running', 'waiting'), ('running', 'blocked'), ('running', 'succeeded'),
    ('running', 'failed'), ('running', 'cancelled'), ('running', 'undoing'), ('running', 'abandoned'),
    ('waiting', 'pending'), ('waiting', 'succeeded'), ('waiting', 'failed'), ('waiting', 'blocked'),
    ('waiting', 'cancelled'), ('waiting', 'abandoned'),
    ('blocked', 'pending'), ('blocked', 'cancelled'), ('blocked', 'failed'), ('blocked', 'abandoned'),
    ('undoing', 'ready'), ('undoing', 'waiting'), ('undoing', 'blocked'), ('undoing', 'cancelled'),
    ('undoing', 'failed'), ('undoing', 'abandoned'),
    ('failed', 'pending'), ('failed', 'abandoned');

ALTER TABLE operations DROP CONSTRAINT operations_kind_check;
ALTER TABLE operations ADD CONSTRAINT operations_kind_check CHECK (kind IN ('node.session', 'instance.deploy',
    'instance.configure', 'instance.upgrade', 'instance.rollback', 'instance.stop', 'instance.start',
    'instance.restart', 'instance.repair', 'instance.decommission', 'member.add', 'member.drain', 'member.resume',
    'member.remove', 'member.replace', 'action', 'credential.rotate')) NOT VALID;
ALTER TABLE operations VALIDATE CONSTRAINT operations_kind_check;
ALTER TABLE operations DROP CONSTRAINT operations_status_check;
ALTER TABLE operations ADD CONSTRAINT operations_status_check CHECK (status IN ('pending', 'ready', 'running',
    'waiting', 'blocked', 'undoing', 'succeeded', 'failed', 'cancelled', 'abandoned')) NOT VALID;
ALTER TABLE operations VALIDATE CONSTRAINT operations_status_check;
ALTER TABLE operations
    ALTER COLUMN lease_expires_at DROP NOT NULL,
    ALTER COLUMN deadline DROP NOT NULL,
    ALTER COLUMN fence SET DEFAULT 1,
    -- The first operation of a bulk, a deployment, a replacement or a decommission; children run under its lock.
    ADD COLUMN parent_id text,
    ADD COLUMN member_id text,
    -- Members that it keeps to itself beside its own: a repair's.
    ADD COLUMN member_ids text[] NOT NULL DEFAULT '{}',
    ADD COLUMN app_id text,
    -- Who may claim it.
    ADD COLUMN operator_id text,
    -- The version whose controller does it: the one that the instance is to have.
    ADD COLUMN version_id text,
    ADD COLUMN action text,
    ADD COLUMN input jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN instance_lock text NOT NULL DEFAULT 'none' CHECK (instance_lock IN ('none', 'shared', 'exclusive')),
    -- First in, first out: its place among those of the instance; a child has its parent's.
    ADD COLUMN place bigint NOT NULL DEFAULT 0,
    -- Children start wave by wave.
    ADD COLUMN wave integer NOT NULL DEFAULT 0,
    -- Of a parent: what it is at.
    ADD COLUMN phase text CHECK (phase IN ('prepare', 'children', 'finish')),
    ADD COLUMN max_parallel integer,
    ADD COLUMN failure_budget integer,
    ADD COLUMN children_total integer NOT NULL DEFAULT 0,
    ADD COLUMN children_ended integer NOT NULL DEFAULT 0,
    ADD COLUMN children_succeeded integer NOT NULL DEFAULT 0,
    ADD COLUMN children_failed integer NOT NULL DEFAULT 0,
    ADD COLUMN direction text NOT NULL DEFAULT 'forward' CHECK (direction IN ('forward', 'undo')),
    ADD COLUMN progress_done integer,
    ADD COLUMN progress_total integer,
    ADD COLUMN error jsonb,
    ADD COLUMN result jsonb,
    ADD COLUMN residue jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN recovery text CHECK (recovery IN ('retryable', 'reconcilable', 'repairable', 'operator', 'terminal')),
    ADD COLUMN attempt integer NOT NULL DEFAULT 1,
    ADD COLUMN no_return boolean NOT NULL DEFAULT false,
    ADD COLUMN cancel_requested_at timestamptz,
    ADD COLUMN cancel_reason text,
    ADD COLUMN preempts boolean NOT NULL DEFAULT false,
    -- The drain's word for whoever waits: time does not count against one that waits by its own policy.
    ADD COLUMN patient boolean NOT NULL DEFAULT false,
    ADD COLUMN timeout_seconds integer,
    ADD COLUMN first_claimed_at timestamptz,
    -- When something is to happen by itself: a look again, a retry.
    ADD COLUMN due_at timestamptz,
    -- What wakes one that waits, besides the time.
    ADD COLUMN wakes_on text[] NOT NULL DEFAULT '{}',
    ADD COLUMN holder text,
    ADD COLUMN handout bigint NOT NULL DEFAULT 0,
    ADD COLUMN sequence integer NOT NULL DEFAULT 0,
    ADD COLUMN turn_at timestamptz,
    ADD CONSTRAINT operations_parent FOREIGN KEY (org_id, project_id, parent_id)
        REFERENCES operations (org_id, project_id, id),
    ADD CONSTRAINT operations_instance FOREIGN KEY (org_id, project_id, app_instance_id)
        REFERENCES instances (org_id, project_id, id),
    ADD CONSTRAINT operations_member FOREIGN KEY (org_id, project_id, member_id)
        REFERENCES members (org_id, project_id, id),
    ADD CONSTRAINT operations_session CHECK (
        (kind = 'node.session') = (app_instance_id IS NULL)
        AND (kind <> 'node.session' OR (lease_expires_at IS NOT NULL AND deadline IS NOT NULL))),
    ADD CONSTRAINT operations_ended_check CHECK (
        (ended_at IS NOT NULL) = (status IN ('succeeded', 'failed', 'cancelled', 'abandoned'))),
    ADD CONSTRAINT operations_held_check CHECK (
        kind = 'node.session' OR status NOT IN ('running', 'undoing')
        OR (holder IS NOT NULL AND lease_expires_at IS NOT NULL));
-- A claim is this and nothing else.
CREATE INDEX operations_ready ON operations (operator_id, turn_at) WHERE status = 'ready';
CREATE INDEX operations_instance ON operations (app_instance_id, id);
CREATE INDEX operations_open ON operations (app_instance_id)
    WHERE app_instance_id IS NOT NULL AND status NOT IN ('succeeded', 'failed', 'cancelled', 'abandoned');
CREATE INDEX operations_children ON operations (parent_id, wave, id) WHERE parent_id IS NOT NULL;
CREATE INDEX operations_residue ON operations (parent_id, id) WHERE parent_id IS NOT NULL AND residue <> '[]';
CREATE INDEX operations_unstarted ON operations (parent_id, wave, id) WHERE parent_id IS NOT NULL AND status = 'pending';
CREATE INDEX operations_of_member ON operations (member_id)
    WHERE member_id IS NOT NULL AND status NOT IN ('succeeded', 'failed', 'cancelled', 'abandoned');
CREATE INDEX operations_failed ON operations (member_id) WHERE member_id IS NOT NULL AND status = 'failed';
-- What did not end well is looked for among all that did.
CREATE INDEX operations_unwell ON operations (app_instance_id, status, id)
    WHERE status IN ('failed', 'cancelled', 'abandoned');
CREATE INDEX operations_held ON operations (holder, handout) WHERE status IN ('running', 'undoing') AND holder IS NOT NULL;
CREATE INDEX operations_due ON operations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX operations_deadline ON operations (deadline)
    WHERE kind <> 'node.session' AND status NOT IN ('succeeded', 'failed', 'cancelled', 'abandoned');
CREATE INDEX operations_correlation ON operations (correlation_id);
DROP INDEX operations_lease;
CREATE INDEX operations_lease ON operations (lease_expires_at) WHERE status IN ('running', 'undoing');
-- One operation at a time keeps a member, however it waits.
CREATE UNIQUE INDEX operations_member_kept ON operations (member_id)
    WHERE member_id IS NOT NULL AND instance_lock <> 'none'
        AND status IN ('ready', 'running', 'undoing', 'waiting', 'blocked');
-- One exclusive operation at a time keeps an instance.
CREATE UNIQUE INDEX operations_instance_kept ON operations (app_instance_id)
    WHERE instance_lock = 'exclusive' AND parent_id IS NULL AND status IN ('ready', 'running', 'undoing');

CREATE FUNCTION check_operation_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM operation_moves WHERE before = OLD.status AND after = NEW.status) THEN
        RAISE EXCEPTION 'operation % cannot go from % to %', NEW.id, OLD.status, NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'operation_moves';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER operation_move BEFORE UPDATE OF status ON operations FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION check_operation_move();

-- Locks a second time: whoever becomes ready conflicts with nobody who holds. The instance's row is locked
-- by then, so that two cannot pass each other.
CREATE FUNCTION check_operation_locks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM operations o
        WHERE o.app_instance_id = NEW.app_instance_id AND o.id <> NEW.id
            AND coalesce(o.parent_id, o.id) <> coalesce(NEW.parent_id, NEW.id)
            AND o.status IN ('ready', 'running', 'undoing')
            AND o.instance_lock <> 'none' AND NEW.instance_lock <> 'none'
            AND 'exclusive' IN (o.instance_lock, NEW.instance_lock)) THEN
        RAISE EXCEPTION 'operation % conflicts with one that holds instance %', NEW.id, NEW.app_instance_id
            USING ERRCODE = 'exclusion_violation', CONSTRAINT = 'operation_locks';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER operation_locks BEFORE INSERT OR UPDATE OF status ON operations FOR EACH ROW
    WHEN (NEW.status = 'ready' AND NEW.app_instance_id IS NOT NULL) EXECUTE FUNCTION check_operation_locks();

REVOKE EXECUTE ON FUNCTION check_operation_move, check_operation_locks FROM PUBLIC;

-- The journal: what was done, step by step. A finished one is never done again.
CREATE TABLE operation_steps (
    operation_id text NOT NULL,
    -- Where it stands among the steps of its phase.
    phase text NOT NULL DEFAULT 'run' CHECK (phase IN ('run', 'prepare', 'finish')),
    number integer NOT NULL CHECK (number > 0),
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    name text NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'undoing', 'undone', 'undo_failed')),
    attempt integer NOT NULL DEFAULT 1,
    -- The registered function that takes it back, with its arguments.
    undo jsonb,
    no_return boolean NOT NULL DEFAULT false,
    message text,
    result jsonb,
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (operation_id, phase, number),
    FOREIGN KEY (org_id, project_id, operation_id) REFERENCES operations (org_id, project_id, id)
);

-- Controllers ------------------------------------------------------------------------------------

-- A process of a controller that listens. Watches live as long as its lease.
CREATE TABLE controller_replicas (
    id text PRIMARY KEY,
    operator_id text NOT NULL REFERENCES app_operators,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    name text NOT NULL,
    release text,
    -- Everything that is handed to it gets the next number: an answer that was lost is told again.
    handed bigint NOT NULL DEFAULT 0,
    lease_expires_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (operator_id, name)
);
CREATE INDEX controller_replicas_lease ON controller_replicas (lease_expires_at);
CREATE INDEX controller_replicas_operator ON controller_replicas (operator_id, lease_expires_at);

-- The right of one replica to observe one instance. One row an instance, made with it.
CREATE TABLE watches (
    instance_id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    operator_id text NOT NULL REFERENCES app_operators,
    holder text,
    fence integer NOT NULL DEFAULT 1,
    handout bigint NOT NULL DEFAULT 0,
    token_hash bytea UNIQUE,
    -- What moved since the holder was told: principals, config, members.
    hints text[] NOT NULL DEFAULT '{}',
    -- Of the instance that is gone nobody is told.
    ended_at timestamptz,
    FOREIGN KEY (org_id, project_id, instance_id) REFERENCES instances (org_id, project_id, id)
);
CREATE INDEX watches_free ON watches (operator_id, instance_id) WHERE holder IS NULL AND ended_at IS NULL;
CREATE INDEX watches_holder ON watches (holder, handout) WHERE holder IS NOT NULL;
CREATE INDEX watches_hinted ON watches (holder) WHERE hints <> '{}' AND ended_at IS NULL;

-- Probes under a watch are tasks of an operation of the platform's own.
ALTER TABLE instances ADD COLUMN probe_operation_id text;

-- Views ------------------------------------------------------------------------------------------

CREATE TABLE views (
    instance_id text NOT NULL,
    name text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    generation bigint NOT NULL DEFAULT 0,
    row_count integer NOT NULL DEFAULT 0,
    total bigint NOT NULL DEFAULT 0,
    truncated boolean NOT NULL DEFAULT false,
    observed_at timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    PRIMARY KEY (instance_id, name),
    FOREIGN KEY (org_id, project_id, instance_id) REFERENCES instances (org_id, project_id, id)
);
CREATE TABLE view_rows (
    instance_id text NOT NULL,
    name text NOT NULL,
    key text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    -- Whose row it is; without one it is for the owner's admins.
    row_project_id text,
    data jsonb NOT NULL,
    generation bigint NOT NULL,
    PRIMARY KEY (instance_id, name, key),
    FOREIGN KEY (instance_id, name) REFERENCES views (instance_id, name)
);

-- What came of one request. The sequencer fills it, as it does the audit log's.
CREATE INDEX events_correlation ON events (correlation_id, seq) WHERE seq IS NOT NULL;

-- Usage ------------------------------------------------------------------------------------------

CREATE TABLE usage_records (
    id text PRIMARY KEY,
    instance_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    meter text NOT NULL,
    -- The app's own name of the record: said twice, it counts once.
    key text NOT NULL,
    quantity numeric NOT NULL CHECK (quantity >= 0),
    used_project_id text,
    from_at timestamptz NOT NULL,
    until_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (instance_id, meter, key),
    FOREIGN KEY (org_id, project_id, instance_id) REFERENCES instances (org_id, project_id, id),
    CHECK (from_at <= until_at)
);
CREATE INDEX usage_records_page ON usage_records (instance_id, id);

-- Secrets of an instance outlive the operation that put them there.
ALTER TABLE runtime_secrets
    -- Null: as long as its instance.
    ALTER COLUMN expires_at DROP NOT NULL,
    ADD COLUMN instance_id text,
    ADD COLUMN generation integer NOT NULL DEFAULT 1,
    -- Of a rotation that has not succeeded: for its own tasks alone, while it goes forward.
    ADD COLUMN pending boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT runtime_secrets_instance FOREIGN KEY (org_id, project_id, instance_id)
        REFERENCES instances (org_id, project_id, id);
-- A session has one of each name; a rotation that others overtook puts one more there.
ALTER TABLE runtime_secrets DROP CONSTRAINT runtime_secrets_operation_id_name_key;
CREATE UNIQUE INDEX runtime_secrets_operation ON runtime_secrets (operation_id, name, generation);
CREATE UNIQUE INDEX runtime_secrets_instance_name ON runtime_secrets (instance_id, name, generation)
    WHERE instance_id IS NOT NULL;

-- When the control plane was last at work: after an outage every live lease gets a full term.
CREATE TABLE pulse (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    at timestamptz NOT NULL
);

-- Who sees what ----------------------------------------------------------------------------------

DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['instances', 'instance_revisions', 'instance_components', 'plans', 'members',
        'operation_moves', 'operation_steps', 'controller_replicas', 'watches', 'views', 'view_rows',
        'usage_records', 'pulse']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY owner ON %I TO moorage_owner USING (true) WITH CHECK (true)', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['instances', 'instance_revisions', 'instance_components', 'plans', 'members',
        'operation_steps', 'controller_replicas', 'watches', 'views', 'view_rows', 'usage_records']
    LOOP
        EXECUTE format('CREATE POLICY tenant ON %I TO moorage_app USING (
            org_id = ANY ((SELECT scope_orgs())::text[]) AND (
                org_id = ANY ((SELECT scope_whole_orgs())::text[])
                OR project_id = ANY ((SELECT scope_projects())::text[])))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['instances', 'members', 'watches', 'controller_replicas', 'plans', 'operation_steps',
        'instance_components', 'view_rows']
    LOOP
        EXECUTE format('CREATE POLICY system ON %I TO moorage_system USING (true) WITH CHECK (true)', t);
    END LOOP;
END $$;
CREATE POLICY system ON pulse TO moorage_system USING (true) WITH CHECK (true);
CREATE POLICY everybody ON operation_moves FOR SELECT TO moorage_app, moorage_system USING (true);

GRANT SELECT, INSERT, UPDATE ON instances, instance_revisions, instance_components, plans, members, operation_steps,
    watches, views, controller_replicas TO moorage_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON view_rows TO moorage_app;
GRANT SELECT, INSERT ON usage_records TO moorage_app;
GRANT SELECT ON operation_moves TO moorage_app, moorage_system;

GRANT SELECT (id, org_id, project_id, operator_id, status, observed_until, deleted_at) ON instances TO moorage_system;
GRANT SELECT (id, org_id, project_id, instance_id, status, allocation_id, removed_at, managed) ON members TO moorage_system;
GRANT SELECT (instance_id, org_id, project_id, operator_id, holder, fence, handout, hints, ended_at),
    UPDATE (holder, fence, handout, token_hash, hints) ON watches TO moorage_system;
GRANT SELECT (token_hash) ON watches TO moorage_system;
GRANT SELECT, INSERT, UPDATE, DELETE ON controller_replicas TO moorage_system;
GRANT SELECT (id, org_id, expires_at), DELETE ON plans TO moorage_system;
GRANT SELECT (operation_id), DELETE ON operation_steps TO moorage_system;
GRANT SELECT (instance_id, name, key), DELETE ON view_rows TO moorage_system;
GRANT SELECT, INSERT, UPDATE ON pulse TO moorage_system;
-- Claims are made across orgs: the columns of scheduling, and no other.
GRANT SELECT (app_instance_id, parent_id, member_id, operator_id, direction, due_at, wakes_on, holder,
    handout, turn_at, fence, instance_lock, cancel_requested_at, no_return, patient, first_claimed_at, phase, version, updated_at,
    timeout_seconds),
    UPDATE (status, holder, handout, fence, sequence, lease_expires_at, first_claimed_at, deadline, version, updated_at)
    ON operations TO moorage_system;

-- Before authentication ----------------------------------------------------------------------------

-- Those that claims and reports ask are in PL/pgSQL, which keeps its plans: a function in SQL that looks with its
-- owner's eyes is planned at every call, and that is most of what it takes.

-- Whether an app operator can still act: it was not taken away, and its account works.
CREATE FUNCTION operator_acts(operator text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
        RETURN EXISTS (SELECT FROM app_operators p JOIN service_accounts a ON a.id = p.service_account_id
            WHERE p.id = operator AND p.removed_at IS NULL AND a.disabled_at IS NULL AND a.deleted_at IS NULL
                AND 'apps.operation.claim' = ANY (a.permissions));
    END $$;

-- As before for sessions; an app's operation is open to whoever claimed it, for as long as its operator can act.
DROP FUNCTION grant_principal;
CREATE FUNCTION grant_principal(hash bytea, moment timestamptz, roles text[], key text)
    RETURNS TABLE (id text, operation_id text, org_id text, project_id text, fence integer, instance_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    #variable_conflict use_column
    BEGIN
        RETURN QUERY
        SELECT g.id, g.operation_id, g.org_id, g.project_id, g.fence, o.app_instance_id
        FROM operation_grants g JOIN operations o ON o.id = g.operation_id AND o.fence = g.fence
        WHERE g.token_hash = hash
            AND CASE WHEN o.kind <> 'node.session' THEN
                    -- The same holder may renew a lease that ran out, while nobody has taken it.
                    o.status IN ('running', 'undoing', 'ready') AND o.holder IS NOT NULL
                    AND operator_acts(o.operator_id)
                ELSE o.status = 'running' AND o.lease_expires_at > moment
                    AND CASE o.requested_by_kind
                        WHEN 'user' THEN EXISTS (SELECT FROM users u JOIN memberships m ON m.user_id = u.id
                            WHERE u.id = o.requested_by AND u.disabled_at IS NULL AND m.org_id = o.org_id
                                AND (m.project_id IS NULL OR m.project_id = o.project_id) AND m.role = ANY (roles))
                        WHEN 'service_account' THEN EXISTS (SELECT FROM service_accounts a
                            WHERE a.id = o.requested_by AND a.org_id = o.org_id AND a.project_id = o.project_id
                                AND a.disabled_at IS NULL AND a.deleted_at IS NULL AND key = ANY (a.permissions))
                        ELSE true END
                END;
    END $$;

CREATE FUNCTION watch_principal(hash bytea, moment timestamptz)
    RETURNS TABLE (instance_id text, org_id text, project_id text, fence integer, replica_id text, operation_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    #variable_conflict use_column
    BEGIN
        RETURN QUERY
        SELECT w.instance_id, w.org_id, w.project_id, w.fence, r.id, i.probe_operation_id
        FROM watches w JOIN controller_replicas r ON r.id = w.holder JOIN instances i ON i.id = w.instance_id
        WHERE w.token_hash = hash AND w.ended_at IS NULL AND r.lease_expires_at > moment
            AND operator_acts(w.operator_id);
    END $$;

-- Which operator a service account is, for an app: the account lives in the operator's own project.
CREATE FUNCTION claiming_operator(account text, app text)
    RETURNS TABLE (id text, app_id text, app_slug text, org_id text, project_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    #variable_conflict use_column
    BEGIN
        RETURN QUERY
        SELECT p.id, p.app_id, p.app_slug, p.org_id, p.project_id FROM app_operators p
        WHERE p.service_account_id = account AND (p.app_slug = app OR p.app_id = app) AND operator_acts(p.id);
    END $$;

-- As before; asked of the members of whatever is claimed.
CREATE OR REPLACE FUNCTION held_nodes(wanted text[])
    RETURNS TABLE (allocation_id text, reach text, status text, status_reason text, address text, ssh_port integer,
        inventory jsonb, last_seen_at timestamptz, unreachable_since timestamptz)
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    #variable_conflict use_column
    BEGIN
        RETURN QUERY
        SELECT a.id, n.reach, n.status, n.status_reason, n.address, n.ssh_port, n.inventory, n.last_seen_at,
            n.unreachable_since
        FROM allocations a JOIN nodes n ON n.id = a.node_id
        WHERE a.id = ANY (wanted) AND a.status IN ('provisioning', 'active', 'releasing', 'release_failed')
            AND a.org_id = ANY (scope_orgs())
            AND (a.org_id = ANY (scope_whole_orgs()) OR a.project_id = ANY (scope_projects()));
    END $$;

-- When an instance's operator was last heard of, for whoever sees the instance.
CREATE FUNCTION operator_seen(operators text[])
    RETURNS TABLE (operator_id text, name text, serves text, listening boolean, last_seen_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT p.id, p.name, p.serves, operator_acts(p.id) AND coalesce(bool_or(r.lease_expires_at > clock_timestamp()), false),
        max(r.last_seen_at)
    FROM app_operators p LEFT JOIN controller_replicas r ON r.operator_id = p.id
    WHERE p.id = ANY (operators) GROUP BY p.id $$;

REVOKE EXECUTE ON FUNCTION operator_acts, grant_principal, watch_principal, claiming_operator, operator_seen FROM PUBLIC;
GRANT EXECUTE ON FUNCTION watch_principal, claiming_operator, operator_seen TO moorage_app;
-- A claim is one transaction of the system's.
GRANT EXECUTE ON FUNCTION claiming_operator TO moorage_system;
GRANT EXECUTE ON FUNCTION grant_principal TO moorage_app;

-- What quotas are held against, now that there is something.
DROP FUNCTION usage_at;
CREATE FUNCTION usage_at(org text, project text, levels text[])
    RETURNS TABLE (level text, instances bigint, members bigint, allocations bigint, gpus bigint,
        concurrent_operations bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT l.level, i.running, m.joined, a.held, a.gpus, o.running
    FROM unnest(levels) AS l(level)
    CROSS JOIN LATERAL (
        SELECT count(*) AS running FROM instances x WHERE x.deleted_at IS NULL
            AND (l.level = 'global' OR x.org_id = org)
            AND (l.level IN ('global', 'tenant', 'org') OR x.project_id = project)) i
    CROSS JOIN LATERAL (
        SELECT count(*) AS joined FROM members x WHERE x.removed_at IS NULL
            AND (l.level = 'global' OR x.org_id = org)
            AND (l.level IN ('global', 'tenant', 'org') OR x.project_id = project)) m
    CROSS JOIN LATERAL (
        SELECT count(*) AS held, coalesce(sum(x.gpus), 0)::bigint AS gpus FROM allocations x
        WHERE x.status NOT IN ('released', 'failed')
            AND (l.level = 'global' OR x.org_id = org)
            AND (l.level IN ('global', 'tenant', 'org') OR x.project_id = project)) a
    CROSS JOIN LATERAL (
        SELECT count(*) AS running FROM operations x
        WHERE x.status NOT IN ('succeeded', 'failed', 'cancelled', 'abandoned') AND x.requested_by_kind <> 'system'
            AND x.parent_id IS NULL
            AND (l.level = 'global' OR x.org_id = org)
            AND (l.level IN ('global', 'tenant', 'org') OR x.project_id = project)) o
    WHERE org = ANY (scope_orgs()) $$;
DROP INDEX operations_usage;
CREATE INDEX operations_usage ON operations (org_id, project_id)
    WHERE status NOT IN ('succeeded', 'failed', 'cancelled', 'abandoned') AND requested_by_kind <> 'system'
        AND parent_id IS NULL;
REVOKE EXECUTE ON FUNCTION usage_at FROM PUBLIC;
GRANT EXECUTE ON FUNCTION usage_at TO moorage_app;

-- Who may be on the machines of a project's instances: those with one of the roles there, and with a login.
CREATE FUNCTION project_people(org text, project text, among text[])
    RETURNS TABLE (user_id text, name text, login text, uid integer, roles text[])
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT u.id, u.name, l.login, l.uid, array_agg(DISTINCT m.role ORDER BY m.role)
    FROM memberships m JOIN users u ON u.id = m.user_id JOIN logins l ON l.user_id = u.id AND l.org_id = m.org_id
    WHERE m.org_id = org AND (m.project_id IS NULL OR m.project_id = project) AND m.role = ANY (among)
        AND u.disabled_at IS NULL AND org = ANY (scope_orgs())
        AND (org = ANY (scope_whole_orgs()) OR project = ANY (scope_projects()))
    GROUP BY u.id, l.id $$;
-- Those who may, and have no login yet.
CREATE FUNCTION people_without_login(org text, project text, among text[])
    RETURNS TABLE (id text, email text, name text, disabled boolean, roles text[])
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT u.id, u.email, u.name, false, array_agg(DISTINCT m.role ORDER BY m.role)
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.org_id = org AND (m.project_id IS NULL OR m.project_id = project) AND m.role = ANY (among)
        AND u.disabled_at IS NULL AND org = ANY (scope_orgs())
        AND (org = ANY (scope_whole_orgs()) OR project = ANY (scope_projects()))
        AND NOT EXISTS (SELECT FROM logins l WHERE l.org_id = org AND l.user_id = u.id)
    GROUP BY u.id ORDER BY min(m.created_at), u.id $$;
REVOKE EXECUTE ON FUNCTION project_people, people_without_login FROM PUBLIC;
GRANT EXECUTE ON FUNCTION project_people, people_without_login TO moorage_app;

-- The app that stands on the machine asked who may be on its cluster: all of them have an account there.
ALTER TABLE node_access ADD COLUMN residents boolean NOT NULL DEFAULT false;
CREATE INDEX node_access_residents ON node_access (org_id, project_id) WHERE residents;
GRANT SELECT (residents) ON node_access TO moorage_system;

-- Where people live and who they are change one after the other: whoever changes the one sees the other. A project, of
-- this one or of the org's, whose people live somewhere. The lock is a statement of its own: the look comes after it.
CREATE FUNCTION hold_residents(org text, project text) RETURNS TABLE (resident_project text)
    LANGUAGE sql SET search_path = public, pg_temp AS $$
    SELECT pg_advisory_xact_lock_shared(hashtextextended('residents ' || org, 0));
    SELECT n.project_id FROM node_access n
    WHERE n.org_id = org AND n.residents AND (project IS NULL OR n.project_id = project) LIMIT 1 $$;
-- The same wherever the person has a role, for the platform's own alone.
CREATE FUNCTION hold_person(person text) RETURNS SETOF void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT pg_advisory_xact_lock_shared(hashtextextended('residents ' || m.org_id, 0))
    FROM (SELECT DISTINCT org_id FROM memberships WHERE user_id = person ORDER BY org_id) m
    WHERE 'org_00000000000000000000000000' = ANY (scope_whole_orgs()) $$;
REVOKE EXECUTE ON FUNCTION hold_residents, hold_person FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_residents, hold_person TO moorage_app;

-- For the platform's own alone: another list is wanted wherever the person may be a resident. How many.
CREATE FUNCTION count_up_person(person text) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH held AS (
        SELECT n.allocation_id FROM node_access n
        WHERE n.residents AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs())
            AND EXISTS (SELECT FROM memberships m WHERE m.user_id = person AND m.org_id = n.org_id
                AND (m.project_id IS NULL OR m.project_id = n.project_id))
        ORDER BY n.allocation_id FOR UPDATE
    ), counted AS (
        UPDATE node_access n SET wanted = n.wanted + 1, retry_at = NULL, tries = 0
        FROM held WHERE n.allocation_id = held.allocation_id RETURNING n.allocation_id
    )
    SELECT count(*) FROM counted $$;
REVOKE EXECUTE ON FUNCTION count_up_person FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_up_person TO moorage_app;

-- Tell whoever watches where people, or a node, matter that something moved. A hint says what to look at again
-- and nothing of it: the caller may know the person or the node without seeing every instance that it concerns.
CREATE FUNCTION hint_people(people text[], moved text[]) RETURNS TABLE (operator_id text)
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE watches w SET hints = ARRAY(SELECT DISTINCT unnest(w.hints || moved) ORDER BY 1)
    WHERE w.holder IS NOT NULL AND w.ended_at IS NULL AND NOT w.hints @> moved
        AND EXISTS (SELECT FROM memberships m WHERE m.user_id = ANY (people) AND m.org_id = w.org_id
            AND (m.project_id IS NULL OR m.project_id = w.project_id))
        AND ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[])
            OR w.org_id = ANY ((SELECT scope_orgs())::text[]))
    RETURNING w.operator_id $$;
CREATE FUNCTION hint_nodes(nodes text[], moved text[]) RETURNS TABLE (operator_id text)
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    UPDATE watches w SET hints = ARRAY(SELECT DISTINCT unnest(w.hints || moved) ORDER BY 1)
    WHERE w.holder IS NOT NULL AND w.ended_at IS NULL AND NOT w.hints @> moved
        AND w.instance_id IN (SELECT a.instance_id FROM allocations a
            WHERE a.node_id = ANY (nodes) AND a.status NOT IN ('released', 'failed'))
        AND 'org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[])
    RETURNING w.operator_id $$;
REVOKE EXECUTE ON FUNCTION hint_people, hint_nodes FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hint_people, hint_nodes TO moorage_app;

-- For the platform's own alone: whose an instance is.
CREATE FUNCTION instance_owner(instance text) RETURNS TABLE (org_id text, project_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT i.org_id, i.project_id FROM instances i WHERE i.id = instance
        AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs()) $$;
REVOKE EXECUTE ON FUNCTION instance_owner FROM PUBLIC;
GRANT EXECUTE ON FUNCTION instance_owner TO moorage_app;

-- Which instance stands on a node that somebody holds, besides what 0003 says.
DROP FUNCTION node_holders;
CREATE FUNCTION node_holders(nodes text[])
    RETURNS TABLE (node_id text, allocation_id text, instance_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.node_id, a.id, a.instance_id FROM allocations a
    WHERE a.node_id = ANY (nodes)
        AND a.status IN ('requested', 'provisioning', 'active', 'releasing', 'release_failed')
        AND ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[])
            OR a.node_id = (SELECT scope_principal())) $$;

-- How many instances an app operator serves, in whichever org, for those who see where it lives.
CREATE FUNCTION count_served(operator text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT count(*) FROM instances i JOIN app_operators p ON p.id = i.operator_id
    WHERE i.operator_id = operator AND i.deleted_at IS NULL AND p.org_id = ANY (scope_orgs()) $$;
REVOKE EXECUTE ON FUNCTION node_holders, count_served FROM PUBLIC;
GRANT EXECUTE ON FUNCTION node_holders, count_served TO moorage_app;

-- A manifest's components come into being in the order in which they stand in it, and forms have their fields in
-- theirs: kept as it was written, which jsonb does not.
CREATE OR REPLACE FUNCTION keep_published_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.status <> 'draft' THEN
            RAISE EXCEPTION 'a published version stays' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF OLD.status <> 'draft' AND (NEW.app_id, NEW.number, NEW.manifest_text, NEW.manifest_digest, NEW.manifest::text,
        NEW.declaration, NEW.declaration_digest, NEW.runbook, NEW.published_at) IS DISTINCT FROM (OLD.app_id,
        OLD.number, OLD.manifest_text, OLD.manifest_digest, OLD.manifest::text, OLD.declaration,
        OLD.declaration_digest, OLD.runbook, OLD.published_at) THEN
        RAISE EXCEPTION 'a published version does not change' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
ALTER TABLE app_versions ALTER COLUMN manifest TYPE json;

-- What versions say about themselves, to whoever has an instance of the app: also when its publisher has gone and
-- the app with it, because what runs must still be stopped and taken down.
CREATE FUNCTION deployed_versions(wanted text[]) RETURNS TABLE (id text, manifest json)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT v.id, v.manifest FROM app_versions v WHERE v.id = ANY (wanted) AND v.status <> 'draft'
        AND EXISTS (SELECT FROM instances i WHERE i.app_id = v.app_id AND i.org_id = ANY (scope_orgs())
            AND (i.org_id = ANY (scope_whole_orgs()) OR i.project_id = ANY (scope_projects()))) $$;
REVOKE EXECUTE ON FUNCTION deployed_versions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deployed_versions TO moorage_app;
