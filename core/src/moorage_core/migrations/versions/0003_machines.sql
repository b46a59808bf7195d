-- Machines: what the platform owns, who holds it, and the work that is done on it.
--
-- Nodes belong to the platform's own org. A tenant sees what it holds through its allocations, and a node sees
-- what is its own: its principal is its id, and policies named `node` show it its tasks and nothing else.

-- Regions and SKUs -------------------------------------------------------------------------------

CREATE TABLE regions (
    id text PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    name text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    retired_at timestamptz
);

CREATE TABLE skus (
    id text PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    name text NOT NULL,
    cpus integer NOT NULL CHECK (cpus > 0),
    memory_bytes bigint NOT NULL CHECK (memory_bytes > 0),
    gpu_model text,
    gpus integer NOT NULL CHECK (gpus >= 0),
    -- What an hour is listed at, in millionths of the currency's unit: no fractions, no rounding.
    price_micros bigint NOT NULL CHECK (price_micros >= 0),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    retired_at timestamptz,
    CHECK ((gpus = 0) = (gpu_model IS NULL))
);

-- Nodes ------------------------------------------------------------------------------------------

CREATE TABLE nodes (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs CHECK (org_id = 'org_00000000000000000000000000'),
    name text NOT NULL,
    region_id text NOT NULL REFERENCES regions,
    sku_id text NOT NULL REFERENCES skus,
    -- agent: it calls us. ssh: a worker of ours calls it, with the credential of the project that holds it.
    reach text NOT NULL CHECK (reach IN ('agent', 'ssh')),
    address text,
    ssh_port integer,
    status text NOT NULL CHECK (status IN ('enrolling', 'available', 'allocated', 'cleaning', 'maintenance',
        'quarantined', 'retired')),
    status_reason text,
    status_since timestamptz NOT NULL,
    -- Cordoned: whoever holds it keeps it, nobody new gets it.
    cordoned boolean NOT NULL DEFAULT false,
    -- The last org whose people or apps were root on it since it was imaged. Nobody's: fresh.
    last_org_id text REFERENCES orgs,
    -- Counted up whenever it is imaged anew: what an earlier image did is an earlier generation's.
    generation integer NOT NULL DEFAULT 1,
    -- It is to be imaged: since when, and since when the provisioner's command has been at it.
    reimage_requested_at timestamptz,
    reimage_started_at timestamptz,
    reimage_reason text,
    -- Identity. The nonce that the next assertion must carry, and the one before with the assertion that used it:
    -- the same assertion again gets the same nonce again, which is made of the two with a key of ours.
    public_key jsonb,
    nonce_hash bytea,
    used_nonce_hash bytea,
    used_jti text,
    token_hash bytea,
    token_expires_at timestamptz,
    -- Two holders of one identity showed up: nobody gets a token until somebody has looked.
    conflict_at timestamptz,
    enrolled_at timestamptz,
    hostname text,
    machine_id text,
    -- What it said at its last poll; tenant-controlled as soon as somebody holds it.
    agent_version text,
    boot_id text,
    run_id text,
    trust text,
    inventory jsonb,
    inventory_at timestamptz,
    -- Flushed in batches.
    last_seen_at timestamptz,
    unreachable_since timestamptz,
    labels jsonb NOT NULL DEFAULT '{}',
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (org_id, id)
);
CREATE UNIQUE INDEX nodes_name ON nodes (name) WHERE status <> 'retired';
CREATE INDEX nodes_place ON nodes (region_id, sku_id, status);
CREATE UNIQUE INDEX nodes_token ON nodes (token_hash) WHERE token_hash IS NOT NULL;
CREATE INDEX nodes_seen ON nodes (last_seen_at)
    WHERE reach = 'agent' AND unreachable_since IS NULL AND status NOT IN ('enrolling', 'retired');

CREATE INDEX nodes_reimage ON nodes (reimage_requested_at) WHERE reimage_requested_at IS NOT NULL;

CREATE TABLE enrolments (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs CHECK (org_id = 'org_00000000000000000000000000'),
    node_id text NOT NULL REFERENCES nodes,
    token_hash bytea NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    used_at timestamptz,
    -- Of the key that used it: the same host may ask again until it has exchanged its first assertion.
    thumbprint text,
    revoked_at timestamptz
);
CREATE INDEX enrolments_node ON enrolments (node_id);
CREATE INDEX enrolments_expiry ON enrolments (expires_at);

-- Allocations ------------------------------------------------------------------------------------

CREATE TABLE allocations (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    name text NOT NULL,
    node_id text NOT NULL REFERENCES nodes,
    -- Copies: what a tenant is told of a node is what stood there when it got it.
    node_name text NOT NULL,
    region text NOT NULL,
    sku text NOT NULL,
    gpus integer NOT NULL,
    price_micros bigint NOT NULL,
    currency text NOT NULL,
    status text NOT NULL CHECK (status IN ('requested', 'provisioning', 'active', 'releasing', 'released',
        'failed', 'release_failed')),
    message text,
    -- Reasons why it can only be released. None: clean.
    dirty text[] NOT NULL DEFAULT '{}',
    -- Why this node: shown, never interpreted.
    placement jsonb NOT NULL,
    -- Opaque to us.
    scheduler_type text,
    metadata jsonb NOT NULL DEFAULT '{}',
    requested_by text NOT NULL,
    -- The operations of kind node.session in which the platform itself works on it.
    setup_operation_id text,
    release_operation_id text,
    -- Another org's people were root on the node: it is imaged anew first. Its generation before that, once begun.
    reimage boolean NOT NULL DEFAULT false,
    reimage_from integer,
    -- What the node said when it was made ready and when it was cleaned.
    proof jsonb NOT NULL DEFAULT '{}',
    -- The window that is paid for.
    held_from timestamptz,
    held_until timestamptz,
    attempt integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    correlation_id text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
-- A node is held once.
CREATE UNIQUE INDEX allocations_node ON allocations (node_id)
    WHERE status IN ('requested', 'provisioning', 'active', 'releasing', 'release_failed');
CREATE UNIQUE INDEX allocations_name ON allocations (project_id, name) WHERE status NOT IN ('released', 'failed');
CREATE INDEX allocations_page ON allocations (project_id, id);
CREATE INDEX allocations_org ON allocations (org_id, id);
CREATE INDEX allocations_due ON allocations (due_at) WHERE due_at IS NOT NULL;
-- What quotas are held against.
CREATE INDEX allocations_usage ON allocations (org_id, project_id) INCLUDE (gpus)
    WHERE status NOT IN ('released', 'failed');

-- Operations: node.session now, the others with the apps ------------------------------------------

CREATE TABLE operations (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('node.session')),
    status text NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled')),
    reason text NOT NULL,
    message text,
    requested_by_kind text NOT NULL,
    requested_by text NOT NULL,
    requested_by_name text NOT NULL,
    -- The right to act: whoever holds the token of the present fence, until the lease ends.
    fence integer NOT NULL DEFAULT 1,
    lease_expires_at timestamptz NOT NULL,
    deadline timestamptz NOT NULL,
    correlation_id text NOT NULL,
    traceparent text,
    app_slug text,
    app_instance_id text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    ended_at timestamptz,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE INDEX operations_page ON operations (project_id, id);
CREATE INDEX operations_org ON operations (org_id, id);
-- What quotas are held against: the platform's own work is not counted.
CREATE INDEX operations_usage ON operations (org_id, project_id)
    WHERE status = 'running' AND requested_by_kind <> 'system';
CREATE INDEX operations_ended ON operations (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX operations_lease ON operations (lease_expires_at) WHERE status = 'running';

-- Which machines an operation may touch.
CREATE TABLE operation_allocations (
    operation_id text NOT NULL,
    allocation_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    PRIMARY KEY (operation_id, allocation_id),
    FOREIGN KEY (org_id, project_id, operation_id) REFERENCES operations (org_id, project_id, id),
    -- Of one project, both: nobody works on a foreign machine.
    FOREIGN KEY (org_id, project_id, allocation_id) REFERENCES allocations (org_id, project_id, id)
);
CREATE INDEX operation_allocations_allocation ON operation_allocations (allocation_id);

CREATE TABLE operation_grants (
    id text PRIMARY KEY,
    operation_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    fence integer NOT NULL,
    token_hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id, operation_id) REFERENCES operations (org_id, project_id, id)
);
CREATE INDEX operation_grants_operation ON operation_grants (operation_id);

-- Tasks ------------------------------------------------------------------------------------------

CREATE TABLE tasks (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    operation_id text NOT NULL,
    allocation_id text NOT NULL,
    node_id text NOT NULL REFERENCES nodes,
    reach text NOT NULL CHECK (reach IN ('agent', 'ssh')),
    kind text NOT NULL CHECK (kind IN ('exec', 'put', 'get', 'packages', 'service', 'access-sync', 'probe', 'wipe')),
    key text NOT NULL,
    attempt integer NOT NULL DEFAULT 1,
    fence integer NOT NULL,
    run_as text NOT NULL,
    -- References to secrets stand in it, never a value.
    input jsonb NOT NULL,
    -- Of the request: the same key with another wish is an error, not the same task.
    fingerprint bytea NOT NULL,
    timeout_seconds integer NOT NULL CHECK (timeout_seconds > 0),
    output_limit integer NOT NULL,
    repeatable boolean NOT NULL DEFAULT false,
    status text NOT NULL CHECK (status IN ('queued', 'sent', 'running', 'succeeded', 'failed', 'cancelled',
        'timed_out', 'unknown')),
    cancel_requested_at timestamptz,
    -- When the node was last told to stop it: it is not told again at every poll.
    cancel_sent_at timestamptz,
    -- Queued: when it is given up. Sent or running: when the agent's own time limit has surely passed.
    due_at timestamptz NOT NULL,
    sent_at timestamptz,
    sent_count integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    ended_at timestamptz,
    changed boolean,
    result jsonb,
    error_code text,
    error_message text,
    -- How much of each stream has come up.
    stdout_bytes bigint NOT NULL DEFAULT 0,
    stderr_bytes bigint NOT NULL DEFAULT 0,
    content_bytes bigint NOT NULL DEFAULT 0,
    -- A topic that moves when it ends: the platform's own work goes on then.
    wakes text,
    -- What the agent said after we had given it up.
    late jsonb,
    correlation_id text NOT NULL,
    traceparent text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    UNIQUE (operation_id, key, allocation_id, attempt),
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, operation_id) REFERENCES operations (org_id, project_id, id),
    FOREIGN KEY (operation_id, allocation_id) REFERENCES operation_allocations (operation_id, allocation_id),
    CHECK ((ended_at IS NULL) = (status IN ('queued', 'sent', 'running')))
);
CREATE INDEX tasks_open ON tasks (node_id, id) WHERE ended_at IS NULL;
CREATE INDEX tasks_due ON tasks (due_at) WHERE ended_at IS NULL;
CREATE INDEX tasks_operation ON tasks (operation_id, id);
CREATE INDEX tasks_unended ON tasks (operation_id) WHERE ended_at IS NULL;
CREATE INDEX tasks_allocation ON tasks (allocation_id, id);
CREATE INDEX tasks_ssh ON tasks (id) WHERE reach = 'ssh' AND ended_at IS NULL;
CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE task_outputs (
    task_id text NOT NULL,
    stream text NOT NULL CHECK (stream IN ('stdout', 'stderr', 'content')),
    at_offset bigint NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    node_id text NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (task_id, stream, at_offset),
    FOREIGN KEY (org_id, project_id, task_id) REFERENCES tasks (org_id, project_id, id)
);

-- What hosts say: evidence, never audit.
CREATE TABLE node_evidence (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    node_id text NOT NULL REFERENCES nodes,
    allocation_id text,
    kind text NOT NULL,
    key text NOT NULL,
    said_at timestamptz,
    received_at timestamptz NOT NULL,
    data jsonb NOT NULL,
    UNIQUE (node_id, kind, key)
);
CREATE INDEX node_evidence_allocation ON node_evidence (allocation_id, id);
CREATE INDEX node_evidence_received ON node_evidence (received_at);
CREATE INDEX node_evidence_node ON node_evidence (node_id, received_at);

-- Secrets in a store of their own ------------------------------------------------------------------

-- embedded: sealed by a master key, all of it in the row. openbao: sealed by a key of its transit engine; the
-- sealed value waits in the row until it was put into the KV engine, under `entry`, and is then null.
ALTER TABLE secrets
    ADD COLUMN store text NOT NULL DEFAULT 'embedded' CHECK (store IN ('embedded', 'openbao')),
    ADD COLUMN entry text,
    ALTER COLUMN ciphertext DROP NOT NULL,
    ADD COLUMN placed boolean NOT NULL GENERATED ALWAYS AS (ciphertext IS NULL) STORED,
    ADD CHECK ((store = 'openbao') = (entry IS NOT NULL)),
    ADD CHECK (store = 'openbao' OR ciphertext IS NOT NULL);
CREATE INDEX secrets_unplaced ON secrets (id) WHERE store = 'openbao' AND NOT placed;
GRANT SELECT (store, placed) ON secrets TO moorage_system;

-- Entries that no secret refers to any more, until they are destroyed where they lie.
CREATE TABLE secret_leftovers (
    entry text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    due_at timestamptz NOT NULL
);
CREATE INDEX secret_leftovers_due ON secret_leftovers (due_at);
ALTER TABLE secret_leftovers ENABLE ROW LEVEL SECURITY;
ALTER TABLE secret_leftovers FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON secret_leftovers TO moorage_owner USING (true) WITH CHECK (true);
CREATE POLICY tenant ON secret_leftovers TO moorage_app USING (org_id = ANY ((SELECT scope_orgs())::text[]));
CREATE POLICY system ON secret_leftovers TO moorage_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON secret_leftovers TO moorage_app;
GRANT SELECT, DELETE ON secret_leftovers TO moorage_system;

-- Secrets of what runs ---------------------------------------------------------------------------

CREATE TABLE runtime_secrets (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    -- The first who needs it: an instance, once there are some.
    operation_id text NOT NULL,
    name text NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('artifact_pull', 'cluster_key', 'join', 'database')),
    secret_id text NOT NULL REFERENCES secrets,
    -- Of the value, in bytes: what goes with one task is bounded.
    size integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    UNIQUE (operation_id, name),
    FOREIGN KEY (org_id, project_id, operation_id) REFERENCES operations (org_id, project_id, id)
);
CREATE INDEX runtime_secrets_expiry ON runtime_secrets (expires_at);

CREATE TABLE secret_deliveries (
    runtime_secret_id text NOT NULL REFERENCES runtime_secrets ON DELETE CASCADE,
    operation_id text NOT NULL,
    fence integer NOT NULL,
    node_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    task_id text NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (runtime_secret_id, operation_id, fence, node_id)
);

-- People on machines -----------------------------------------------------------------------------

-- Given once, kept for good: a login or a uid that belonged to somebody is never somebody else's.
CREATE TABLE logins (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    user_id text NOT NULL REFERENCES users,
    login text NOT NULL CHECK (login ~ '^[a-z][a-z0-9-]{0,30}$'),
    uid integer NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    UNIQUE (org_id, user_id),
    UNIQUE (org_id, login),
    UNIQUE (org_id, uid)
);

CREATE TABLE access_grants (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    allocation_id text NOT NULL,
    user_id text NOT NULL REFERENCES users,
    login_id text NOT NULL REFERENCES logins,
    login text NOT NULL,
    uid integer NOT NULL,
    -- What certificates of this grant carry and the node accepts: of this grant alone.
    principal text NOT NULL UNIQUE,
    sudo boolean NOT NULL,
    forwarding boolean NOT NULL,
    reason text,
    granted_by text NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at timestamptz,
    ended_because text,
    -- The list of the node in which it first stands (node_access.wanted at that time).
    listed_in integer NOT NULL DEFAULT 1,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, allocation_id) REFERENCES allocations (org_id, project_id, id)
);
CREATE UNIQUE INDEX access_grants_live ON access_grants (allocation_id, user_id) WHERE ended_at IS NULL;
CREATE INDEX access_grants_page ON access_grants (allocation_id, id);
CREATE INDEX access_grants_user ON access_grants (user_id) WHERE ended_at IS NULL;
CREATE INDEX access_grants_expiry ON access_grants (expires_at) WHERE ended_at IS NULL;

CREATE TABLE ssh_certificates (
    serial bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    grant_id text NOT NULL,
    key_id text NOT NULL,
    fingerprint text NOT NULL,
    correlation_id text NOT NULL,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id, grant_id) REFERENCES access_grants (org_id, project_id, id)
);
CREATE INDEX ssh_certificates_grant ON ssh_certificates (grant_id, serial);
CREATE INDEX ssh_certificates_expiry ON ssh_certificates (expires_at);

-- The authorities that sign people's certificates. All that may still verify are given to nodes.
CREATE TABLE ssh_authorities (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs CHECK (org_id = 'org_00000000000000000000000000'),
    public_key text NOT NULL,
    fingerprint text NOT NULL,
    -- Gone with the authority: a retired one signs nothing.
    secret_id text REFERENCES secrets,
    -- Counts every authority that came or went: a node that has an older count has another list.
    generation integer NOT NULL UNIQUE,
    retired_generation integer,
    created_at timestamptz NOT NULL,
    retired_at timestamptz,
    CHECK ((retired_at IS NULL) = (secret_id IS NOT NULL)),
    CHECK ((retired_at IS NULL) = (retired_generation IS NULL))
);

-- What the list of people on a held node should be, counted; a node that confirmed an older one is behind.
CREATE TABLE node_access (
    allocation_id text PRIMARY KEY,
    node_id text NOT NULL REFERENCES nodes,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    wanted integer NOT NULL DEFAULT 1,
    -- Of the list that was last handed out, which is the present task's.
    sent integer NOT NULL DEFAULT 0,
    sent_generation integer NOT NULL DEFAULT 0,
    confirmed integer NOT NULL DEFAULT 0,
    confirmed_generation integer NOT NULL DEFAULT 0,
    confirmed_at timestamptz,
    -- The platform's own session on the allocation, and the task that is under way in it.
    operation_id text,
    task_id text,
    tries integer NOT NULL DEFAULT 0,
    retry_at timestamptz,
    -- Logins that somebody else has on the host, and what the host said last where it could not do it.
    clashes text[] NOT NULL DEFAULT '{}',
    problem text,
    FOREIGN KEY (org_id, project_id, allocation_id) REFERENCES allocations (org_id, project_id, id)
);

-- Hosts without agent ----------------------------------------------------------------------------

CREATE TABLE access_credentials (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    name text NOT NULL,
    username text NOT NULL,
    public_key text NOT NULL,
    fingerprint text NOT NULL,
    secret_id text REFERENCES secrets,
    rotated_at timestamptz,
    -- The key before the newest opens hosts too, until then: whoever has to put the new one there needs time.
    previous_secret_id text REFERENCES secrets,
    previous_until timestamptz,
    revoked_at timestamptz,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    CHECK ((revoked_at IS NULL) = (secret_id IS NOT NULL))
);
CREATE UNIQUE INDEX access_credentials_name ON access_credentials (project_id, name) WHERE revoked_at IS NULL;
CREATE INDEX access_credentials_previous ON access_credentials (previous_until) WHERE previous_until IS NOT NULL;
CREATE INDEX access_credentials_page ON access_credentials (project_id, id);

-- How an allocation without agent is reached. No task runs before the host's key was confirmed.
CREATE TABLE ssh_hosts (
    allocation_id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    credential_id text NOT NULL,
    address text NOT NULL,
    port integer NOT NULL,
    offered_key text,
    offered_at timestamptz,
    host_key text,
    confirmed_at timestamptz,
    confirmed_by text,
    problem text,
    version integer NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id, allocation_id) REFERENCES allocations (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, credential_id) REFERENCES access_credentials (org_id, project_id, id)
);

-- Which process does the tasks of a host without agent: one at a time, for as long as it renews.
CREATE TABLE ssh_workers (
    allocation_id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    worker text NOT NULL,
    held_until timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id, allocation_id) REFERENCES allocations (org_id, project_id, id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON ssh_workers TO moorage_app;
CREATE POLICY system ON access_credentials TO moorage_system USING (true) WITH CHECK (true);
GRANT SELECT (id, org_id, previous_until) ON access_credentials TO moorage_system;

-- Row-level security -----------------------------------------------------------------------------

DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['regions', 'skus', 'nodes', 'enrolments', 'allocations', 'operations',
        'operation_allocations', 'operation_grants', 'tasks', 'task_outputs', 'node_evidence', 'runtime_secrets',
        'secret_deliveries', 'logins', 'access_grants', 'ssh_certificates', 'ssh_authorities', 'node_access',
        'access_credentials', 'ssh_hosts', 'ssh_workers']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY owner ON %I TO moorage_owner USING (true) WITH CHECK (true)', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['allocations', 'operations', 'operation_allocations', 'operation_grants', 'tasks',
        'task_outputs', 'node_evidence', 'runtime_secrets', 'secret_deliveries', 'access_grants',
        'ssh_certificates', 'node_access', 'access_credentials', 'ssh_hosts', 'ssh_workers']
    LOOP
        EXECUTE format('CREATE POLICY tenant ON %I TO moorage_app USING (
            org_id = ANY ((SELECT scope_orgs())::text[]) AND (
                org_id = ANY ((SELECT scope_whole_orgs())::text[])
                OR project_id = ANY ((SELECT scope_projects())::text[])))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['regions', 'skus']
    LOOP
        EXECUTE format('CREATE POLICY shared ON %I FOR SELECT TO moorage_app
            USING ((SELECT scope_principal()) IS NOT NULL)', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['regions', 'skus', 'nodes', 'enrolments', 'ssh_authorities']
    LOOP
        EXECUTE format('CREATE POLICY platform ON %I TO moorage_app
            USING (''org_00000000000000000000000000'' = ANY ((SELECT scope_whole_orgs())::text[]))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['tasks', 'task_outputs', 'node_evidence']
    LOOP
        EXECUTE format('CREATE POLICY node ON %I TO moorage_app
            USING (node_id = (SELECT scope_principal()))', t);
    END LOOP;
END $$;
CREATE POLICY node ON nodes TO moorage_app USING (id = (SELECT scope_principal()));
-- An org's logins are known to all who are in it.
CREATE POLICY tenant ON logins TO moorage_app USING (org_id = ANY ((SELECT scope_orgs())::text[]));
-- Public keys are for whoever makes a list of people for a node; the private ones are in the secret store.
CREATE POLICY shared ON ssh_authorities FOR SELECT TO moorage_app USING ((SELECT scope_principal()) IS NOT NULL);
-- Which allocation holds the node that asks.
CREATE POLICY node ON allocations FOR SELECT TO moorage_app USING (node_id = (SELECT scope_principal()));

-- What each role may do --------------------------------------------------------------------------

GRANT SELECT, INSERT, UPDATE ON regions, skus, nodes, enrolments, allocations, operations, tasks, access_grants,
    ssh_authorities, node_access, access_credentials, ssh_hosts TO moorage_app;
GRANT SELECT, INSERT ON operation_allocations, operation_grants, task_outputs, node_evidence, secret_deliveries,
    logins, ssh_certificates TO moorage_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON runtime_secrets TO moorage_app;
GRANT DELETE ON node_access, ssh_hosts TO moorage_app;

DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['nodes', 'allocations', 'operations', 'tasks', 'task_outputs', 'node_evidence',
        'runtime_secrets', 'access_grants', 'memberships', 'node_access', 'users', 'projects', 'orgs',
        'service_accounts', 'enrolments', 'operation_allocations', 'operation_grants', 'ssh_certificates']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_policies WHERE tablename = t AND policyname = 'system') THEN
            EXECUTE format('CREATE POLICY system ON %I TO moorage_system USING (true) WITH CHECK (true)', t);
        END IF;
    END LOOP;
END $$;
GRANT SELECT (id, org_id, name, status, reach, last_seen_at, unreachable_since, version, generation,
    reimage_requested_at, reimage_started_at),
    UPDATE (last_seen_at) ON nodes TO moorage_system;
GRANT SELECT (id, org_id, project_id, node_id, status, due_at, setup_operation_id, release_operation_id, reimage_from,
    dirty, held_until)
    ON allocations TO moorage_system;
GRANT SELECT (id, org_id, project_id, kind, status, requested_by_kind, requested_by, lease_expires_at, deadline, ended_at)
    ON operations TO moorage_system;
GRANT SELECT (id, org_id, project_id, operation_id, allocation_id, node_id, reach, kind, status, due_at, ended_at,
    cancel_requested_at) ON tasks TO moorage_system;
GRANT DELETE ON tasks, operations, node_access TO moorage_system;
GRANT SELECT (expires_at), DELETE ON enrolments, ssh_certificates TO moorage_system;
GRANT SELECT (operation_id, allocation_id), DELETE ON operation_allocations TO moorage_system;
GRANT SELECT (operation_id), DELETE ON operation_grants TO moorage_system;
GRANT SELECT (task_id), DELETE ON task_outputs TO moorage_system;
GRANT SELECT (id, org_id, project_id, received_at), DELETE ON node_evidence TO moorage_system;
GRANT SELECT (id, org_id, project_id, operation_id, expires_at) ON runtime_secrets TO moorage_system;
GRANT SELECT (id, org_id, project_id, allocation_id, user_id, expires_at, ended_at) ON access_grants TO moorage_system;
GRANT SELECT (org_id, project_id, user_id, role) ON memberships TO moorage_system;
GRANT SELECT (allocation_id, node_id, org_id, project_id, wanted, confirmed, confirmed_generation, task_id, retry_at,
    clashes) ON node_access TO moorage_system;
CREATE POLICY system ON ssh_authorities FOR SELECT TO moorage_system USING (true);
GRANT SELECT (generation, retired_generation) ON ssh_authorities TO moorage_system;
GRANT SELECT (id, disabled_at) ON users TO moorage_system;
GRANT SELECT (id, org_id, project_id, permissions, disabled_at, deleted_at) ON service_accounts TO moorage_system;
GRANT SELECT (id, org_id, deleted_at) ON projects TO moorage_system;
GRANT SELECT (id, deleted_at) ON orgs TO moorage_system;

-- Look-ups before there is a scope: one principal each -------------------------------------------

CREATE FUNCTION node_principal(hash bytea, moment timestamptz)
    RETURNS TABLE (id text, name text, expires_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT n.id, n.name, n.token_expires_at FROM nodes n
    WHERE n.token_hash = hash AND n.token_expires_at > moment AND n.status <> 'retired' $$;

-- Live or not at all: a session that has ended, whose lease has run out, or whose opener could not open it
-- any more (a role among `roles`, or the permission `key` of a service account) opens nothing.
CREATE FUNCTION grant_principal(hash bytea, moment timestamptz, roles text[], key text)
    RETURNS TABLE (id text, operation_id text, org_id text, project_id text, fence integer)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT g.id, g.operation_id, g.org_id, g.project_id, g.fence
    FROM operation_grants g JOIN operations o ON o.id = g.operation_id AND o.fence = g.fence
    WHERE g.token_hash = hash AND o.status = 'running' AND o.lease_expires_at > moment
        AND CASE o.requested_by_kind
            WHEN 'user' THEN EXISTS (SELECT FROM users u JOIN memberships m ON m.user_id = u.id
                WHERE u.id = o.requested_by AND u.disabled_at IS NULL AND m.org_id = o.org_id
                    AND (m.project_id IS NULL OR m.project_id = o.project_id) AND m.role = ANY (roles))
            WHEN 'service_account' THEN EXISTS (SELECT FROM service_accounts a
                WHERE a.id = o.requested_by AND a.org_id = o.org_id AND a.project_id = o.project_id
                    AND a.disabled_at IS NULL AND a.deleted_at IS NULL AND key = ANY (a.permissions))
            ELSE true END $$;

-- Which allocations hold nodes: their ids, for those who run the platform and for the node itself.
CREATE FUNCTION node_holders(nodes text[])
    RETURNS TABLE (node_id text, allocation_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.node_id, a.id FROM allocations a
    WHERE a.node_id = ANY (nodes)
        AND a.status IN ('requested', 'provisioning', 'active', 'releasing', 'release_failed')
        AND ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[])
            OR a.node_id = (SELECT scope_principal())) $$;

REVOKE EXECUTE ON FUNCTION node_principal, grant_principal, node_holders FROM PUBLIC;
GRANT EXECUTE ON FUNCTION node_principal, grant_principal, node_holders TO moorage_app;

-- Operations and tasks may be about machines alone: only what an instance has needs all five ids.
ALTER TABLE events DROP CONSTRAINT events_check;
ALTER TABLE events ADD CONSTRAINT events_check CHECK (
    (NOT starts_with(type, 'apps.') OR project_id IS NOT NULL)
    AND (NOT (starts_with(type, 'apps.instance.') OR starts_with(type, 'apps.member.'))
        OR (app_slug IS NOT NULL AND app_instance_id IS NOT NULL))) NOT VALID;
ALTER TABLE events VALIDATE CONSTRAINT events_check;

-- The platform's word on one org: read by the org, written by the platform alone.
ALTER TABLE overlays DROP CONSTRAINT overlays_level_check;
ALTER TABLE overlays ADD CONSTRAINT overlays_level_check
    CHECK (level IN ('global', 'tenant', 'org', 'project', 'entitlement')) NOT VALID;
ALTER TABLE overlays VALIDATE CONSTRAINT overlays_level_check;
CREATE POLICY ceiling_added ON overlays AS RESTRICTIVE FOR INSERT TO moorage_app WITH CHECK (
    level <> 'tenant' OR 'org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));
CREATE POLICY ceiling_changed ON overlays AS RESTRICTIVE FOR UPDATE TO moorage_app USING (
    level <> 'tenant' OR 'org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));

-- What of the machines is told to tenants -----------------------------------------------------------

-- How much is in use where quotas are set: numbers, over rows that the caller need not see.
CREATE FUNCTION usage_at(org text, project text, levels text[])
    RETURNS TABLE (level text, allocations bigint, gpus bigint, concurrent_operations bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT l.level, a.held, a.gpus, o.running
    FROM unnest(levels) AS l(level)
    CROSS JOIN LATERAL (
        SELECT count(*) AS held, coalesce(sum(x.gpus), 0)::bigint AS gpus FROM allocations x
        WHERE x.status NOT IN ('released', 'failed')
            AND (l.level = 'global' OR x.org_id = org)
            AND (l.level IN ('global', 'tenant', 'org') OR x.project_id = project)) a
    CROSS JOIN LATERAL (
        SELECT count(*) AS running FROM operations x
        WHERE x.status = 'running' AND x.requested_by_kind <> 'system'
            AND (l.level = 'global' OR x.org_id = org)
            AND (l.level IN ('global', 'tenant', 'org') OR x.project_id = project)) o
    WHERE org = ANY (scope_orgs()) $$;

-- What a holder is told of its nodes, for as long as it holds them.
CREATE FUNCTION held_nodes(wanted text[])
    RETURNS TABLE (allocation_id text, reach text, status text, status_reason text, address text, ssh_port integer,
        inventory jsonb, last_seen_at timestamptz, unreachable_since timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.id, n.reach, n.status, n.status_reason, n.address, n.ssh_port, n.inventory, n.last_seen_at,
        n.unreachable_since
    FROM allocations a JOIN nodes n ON n.id = a.node_id
    WHERE a.id = ANY (wanted) AND a.status IN ('provisioning', 'active', 'releasing', 'release_failed')
        AND a.org_id = ANY (scope_orgs())
        AND (a.org_id = ANY (scope_whole_orgs()) OR a.project_id = ANY (scope_projects())) $$;

-- For the platform's own alone: whose an allocation is, and whose a project.
CREATE FUNCTION allocation_owner(allocation text) RETURNS TABLE (org_id text, project_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.org_id, a.project_id FROM allocations a WHERE a.id = allocation
        AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs()) $$;
CREATE FUNCTION project_owner(project text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN (SELECT p.org_id FROM projects p WHERE p.id = project AND p.deleted_at IS NULL
        AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs()));

REVOKE EXECUTE ON FUNCTION usage_at, held_nodes, allocation_owner, project_owner FROM PUBLIC;
GRANT EXECUTE ON FUNCTION usage_at, held_nodes, allocation_owner, project_owner TO moorage_app;

-- Who may enter machines, and where they are --------------------------------------------------------

-- Somebody with a role in a project or in its org; without a project: anywhere in the org. Nobody else is told of.
CREATE FUNCTION project_person(person text, org text, project text)
    RETURNS TABLE (id text, email text, name text, disabled boolean, roles text[])
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT u.id, u.email, u.name, u.disabled_at IS NOT NULL, array_agg(m.role ORDER BY m.role)
    FROM users u JOIN memberships m ON m.user_id = u.id
    WHERE u.id = person AND m.org_id = org AND org = ANY (scope_orgs())
        AND (project IS NULL OR m.project_id IS NULL OR m.project_id = project)
    GROUP BY u.id $$;

-- How a held node is reached by people: for whoever was let into the allocation.
CREATE FUNCTION node_contact(allocation text)
    RETURNS TABLE (node_name text, address text, ssh_port integer, nics jsonb, host_keys jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT n.name, coalesce(h.address, n.address), coalesce(h.port, n.ssh_port), n.inventory -> 'nics',
        CASE WHEN h.host_key IS NULL THEN n.inventory -> 'ssh_host_keys' ELSE jsonb_build_array(h.host_key) END
    FROM allocations a JOIN nodes n ON n.id = a.node_id LEFT JOIN ssh_hosts h ON h.allocation_id = a.id
    WHERE a.id = allocation AND a.status = 'active' AND a.org_id = ANY (scope_orgs()) $$;

REVOKE EXECUTE ON FUNCTION project_person, node_contact FROM PUBLIC;
GRANT EXECUTE ON FUNCTION project_person, node_contact TO moorage_app;

-- What whoever works on a machine must know of its node: how it is reached, and whether it takes work.
CREATE FUNCTION node_for_work(allocation text)
    RETURNS TABLE (reach text, quarantined boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT n.reach, n.status IN ('quarantined', 'retired') FROM allocations a JOIN nodes n ON n.id = a.node_id
    WHERE a.id = allocation AND a.org_id = ANY (scope_orgs())
        AND (a.org_id = ANY (scope_whole_orgs()) OR a.project_id = ANY (scope_projects())) $$;

REVOKE EXECUTE ON FUNCTION node_for_work FROM PUBLIC;
GRANT EXECUTE ON FUNCTION node_for_work TO moorage_app;
