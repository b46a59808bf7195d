-- The spine: tenants, identities, secrets, evidence.
--
-- Three roles exist before this runs: moorage_owner (runs it), moorage_app (requests) and
-- moorage_system (sweeps). Row-level security is the second wall behind the WHERE clauses of the
-- code: moorage_app sees what its transaction's scope names and nothing when the scope is unset.
-- moorage_system sees every row of named tables, but only ids, orgs and scheduling columns.
--
-- Words used below. A *tenant* table carries org_id; a *project* table carries project_id as well.
-- A row of a project table is visible to a transaction whose scope holds the whole org, or the project.

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO moorage_app, moorage_system;
-- Nobody needs temporary tables, which can hide ours. Only the owner of a database can take them away.
DO $$
BEGIN
    IF (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()) THEN
        EXECUTE format('REVOKE TEMP ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
END $$;

-- The scope of a transaction -------------------------------------------------------------------

CREATE FUNCTION scope_orgs() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
    RETURN string_to_array(current_setting('moorage.orgs', true), ',');
CREATE FUNCTION scope_whole_orgs() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
    RETURN string_to_array(current_setting('moorage.whole_orgs', true), ',');
CREATE FUNCTION scope_projects() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
    RETURN string_to_array(current_setting('moorage.projects', true), ',');
CREATE FUNCTION scope_principal() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('moorage.principal', true), '');

-- Tenancy --------------------------------------------------------------------------------------

CREATE TABLE orgs (
    id text PRIMARY KEY,
    slug text NOT NULL,
    name text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz
);
CREATE UNIQUE INDEX orgs_slug ON orgs (slug) WHERE deleted_at IS NULL;

CREATE TABLE projects (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    slug text NOT NULL,
    name text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    UNIQUE (org_id, id)
);
CREATE UNIQUE INDEX projects_slug ON projects (org_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX projects_page ON projects (org_id, id) WHERE deleted_at IS NULL;

CREATE TABLE users (
    id text PRIMARY KEY,
    email text NOT NULL,
    name text NOT NULL,
    password_hash text,
    wrong_passwords integer NOT NULL DEFAULT 0,
    locked_until timestamptz,
    disabled_at timestamptz,
    signed_in_at timestamptz,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE memberships (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    user_id text NOT NULL REFERENCES users,
    role text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    UNIQUE NULLS NOT DISTINCT (org_id, project_id, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);

-- Identity -------------------------------------------------------------------------------------

CREATE TABLE sessions (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users,
    token_hash bytea NOT NULL UNIQUE,
    user_agent text NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE password_codes (
    user_id text PRIMARY KEY REFERENCES users,
    code_hash bytea NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_codes_expiry ON password_codes (expires_at);

CREATE TABLE access_tokens (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users,
    name text NOT NULL,
    token_hash bytea NOT NULL UNIQUE,
    -- The token that it was made with, and ends with.
    parent_id text REFERENCES access_tokens,
    permissions text[],
    org_id text REFERENCES orgs,
    project_id text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE INDEX access_tokens_user ON access_tokens (user_id, id);
CREATE INDEX access_tokens_parent ON access_tokens (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE service_accounts (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    name text NOT NULL,
    permissions text[] NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    disabled_at timestamptz,
    deleted_at timestamptz,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE UNIQUE INDEX service_accounts_name ON service_accounts (org_id, project_id, name)
    WHERE deleted_at IS NULL;
CREATE INDEX service_accounts_page ON service_accounts (project_id, id) WHERE deleted_at IS NULL;

CREATE TABLE service_account_keys (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    service_account_id text NOT NULL REFERENCES service_accounts,
    kind text NOT NULL CHECK (kind IN ('ed25519', 'secret')),
    public_key jsonb,
    secret_hash bytea,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    CHECK ((kind = 'ed25519') = (public_key IS NOT NULL)),
    CHECK ((kind = 'secret') = (secret_hash IS NOT NULL))
);
CREATE INDEX service_account_keys_account ON service_account_keys (service_account_id, id);

CREATE TABLE used_assertions (
    service_account_id text NOT NULL,
    jti text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (service_account_id, jti)
);
CREATE INDEX used_assertions_expiry ON used_assertions (expires_at);

CREATE TABLE oidc_providers (
    id text PRIMARY KEY,
    slug text NOT NULL UNIQUE,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    secret_id text NOT NULL,
    -- Whose addresses it may speak for: exact domains, or * for all there are.
    domains text[] NOT NULL CHECK (domains <> '{}'),
    enabled boolean NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE oidc_identities (
    provider_id text NOT NULL REFERENCES oidc_providers ON DELETE CASCADE,
    subject text NOT NULL,
    user_id text NOT NULL REFERENCES users,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (provider_id, subject),
    -- An address that passed to somebody else must not open the account of who had it before.
    UNIQUE (provider_id, user_id)
);
CREATE INDEX oidc_identities_user ON oidc_identities (user_id);

-- Secrets and keys -----------------------------------------------------------------------------

CREATE TABLE secrets (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    purpose text NOT NULL,
    key_version integer NOT NULL,
    wrapped_key bytea NOT NULL,
    ciphertext bytea NOT NULL,
    created_at timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE INDEX secrets_key_version ON secrets (key_version);

CREATE TABLE signing_keys (
    id text PRIMARY KEY,
    public_key jsonb NOT NULL,
    secret_id text NOT NULL REFERENCES secrets,
    created_at timestamptz NOT NULL,
    signs_from timestamptz NOT NULL,
    signs_until timestamptz NOT NULL,
    verifies_until timestamptz NOT NULL
);

-- Evidence -------------------------------------------------------------------------------------

CREATE TABLE streams (
    name text PRIMARY KEY,
    last bigint NOT NULL,
    floor bigint NOT NULL
);
INSERT INTO streams VALUES ('events', 0, 0), ('audit', 0, 0), ('webhooks', 0, 0);

CREATE TABLE events (
    pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq bigint UNIQUE,
    id text NOT NULL,
    type text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    subject text NOT NULL,
    subject_version integer NOT NULL,
    app_slug text,
    app_instance_id text,
    correlation_id text NOT NULL,
    traceparent text,
    at timestamptz NOT NULL,
    topics text[] NOT NULL,
    data jsonb NOT NULL,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    CHECK (NOT starts_with(type, 'apps.') OR (project_id IS NOT NULL AND app_slug IS NOT NULL
        AND app_instance_id IS NOT NULL))
);
CREATE INDEX events_unnumbered ON events (pos) WHERE seq IS NULL;
CREATE INDEX events_org ON events (org_id, seq);
CREATE INDEX events_project ON events (project_id, seq) WHERE project_id IS NOT NULL;

CREATE TABLE audit_entries (
    pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq bigint UNIQUE,
    id text NOT NULL UNIQUE,
    at timestamptz NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    credential text,
    action text NOT NULL,
    target text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('allowed', 'denied')),
    count integer NOT NULL,
    break_glass boolean NOT NULL,
    reason text,
    correlation_id text NOT NULL,
    app_slug text,
    app_instance_id text,
    details jsonb NOT NULL,
    leaf bytea NOT NULL,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    CHECK (NOT break_glass OR reason IS NOT NULL)
);
CREATE INDEX audit_unnumbered ON audit_entries (pos) WHERE seq IS NULL;
-- Readers see numbered entries alone. So the sequencer fills these indexes, not the mutation.
CREATE INDEX audit_org ON audit_entries (org_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_project ON audit_entries (project_id, seq)
    WHERE project_id IS NOT NULL AND seq IS NOT NULL;
CREATE INDEX audit_actor ON audit_entries (org_id, actor_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_target ON audit_entries (org_id, target, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_correlation ON audit_entries (correlation_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX audit_at ON audit_entries (org_id, at) WHERE seq IS NOT NULL;

CREATE TABLE audit_denials (
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    principal_kind text NOT NULL,
    principal_id text NOT NULL,
    principal_name text NOT NULL,
    route text NOT NULL,
    minute timestamptz NOT NULL,
    permission text NOT NULL,
    count integer NOT NULL,
    correlation_id text NOT NULL,
    UNIQUE NULLS NOT DISTINCT (principal_id, route, minute, org_id, project_id)
);

CREATE TABLE audit_seals (
    number bigint PRIMARY KEY,
    first_seq bigint NOT NULL,
    last_seq bigint NOT NULL UNIQUE,
    entries integer NOT NULL,
    root bytea NOT NULL,
    previous bytea NOT NULL,
    at timestamptz NOT NULL,
    key_id text NOT NULL,
    signature bytea NOT NULL
);

CREATE TABLE idempotency_answers (
    principal text NOT NULL,
    digest bytea NOT NULL,
    route text NOT NULL,
    fingerprint bytea NOT NULL,
    status integer NOT NULL,
    headers jsonb NOT NULL,
    body bytea,
    resource_id text,
    at timestamptz NOT NULL,
    PRIMARY KEY (principal, digest)
);
-- Not BRIN: its ranges never shrink, so once vacuum has let old pages be used again they cover
-- everything and each sweep reads the whole table. A B-tree that grows at its end costs 3 % of an insert.
CREATE INDEX idempotency_answers_at ON idempotency_answers (at);

-- Webhooks -------------------------------------------------------------------------------------

CREATE TABLE webhooks (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    url text NOT NULL,
    types text[] NOT NULL,
    secret_id text REFERENCES secrets,
    previous_until timestamptz,
    enabled boolean NOT NULL,
    from_seq bigint NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    -- A deleted webhook keeps its deliveries until retention takes them, but neither key nor power.
    CHECK ((deleted_at IS NULL) = (secret_id IS NOT NULL)),
    CHECK (deleted_at IS NULL OR NOT enabled)
);
CREATE INDEX webhooks_org ON webhooks (org_id, id) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE webhook_deliveries (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    webhook_id text NOT NULL REFERENCES webhooks,
    event_seq bigint NOT NULL,
    event_id text NOT NULL,
    event_type text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'delivered', 'dead')),
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    held_until timestamptz,
    answer_status integer,
    error text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    tried_at timestamptz,
    ended_at timestamptz,
    UNIQUE (webhook_id, event_seq),
    CHECK ((status = 'pending') = (due_at IS NOT NULL)),
    CHECK ((status = 'pending') = (ended_at IS NULL))
);
-- When each can be taken next. An expression on purpose: with an index on due_at itself the planner reads
-- across lanes to find the head of one.
CREATE INDEX webhook_deliveries_free ON webhook_deliveries (greatest(due_at, held_until))
    WHERE status = 'pending';
-- A lane per webhook: claims go round them, so that one long queue does not stand before the others.
-- The event's number breaks ties: what is under way must stay at the head of its lane.
CREATE INDEX webhook_deliveries_lane ON webhook_deliveries (webhook_id, due_at, event_seq)
    WHERE status = 'pending';
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (webhook_id, event_seq) WHERE status = 'dead';
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at) WHERE ended_at IS NOT NULL;

-- Row-level security ---------------------------------------------------------------------------

DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['orgs', 'projects', 'users', 'memberships', 'sessions', 'password_codes',
        'access_tokens', 'service_accounts', 'service_account_keys', 'used_assertions',
        'oidc_providers', 'oidc_identities', 'secrets', 'signing_keys', 'streams', 'events',
        'audit_entries', 'audit_denials', 'audit_seals', 'idempotency_answers', 'webhooks',
        'webhook_deliveries']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        -- Migrations and the functions below, which return one principal each, run as the owner.
        EXECUTE format('CREATE POLICY owner ON %I TO moorage_owner USING (true) WITH CHECK (true)', t);
    END LOOP;
    -- Project tables.
    FOREACH t IN ARRAY ARRAY['memberships', 'service_accounts', 'service_account_keys', 'secrets',
        'events', 'audit_entries', 'audit_denials', 'webhooks', 'webhook_deliveries']
    LOOP
        EXECUTE format('CREATE POLICY tenant ON %I TO moorage_app USING (
            org_id = ANY ((SELECT scope_orgs())::text[]) AND (
                org_id = ANY ((SELECT scope_whole_orgs())::text[])
                OR project_id = ANY ((SELECT scope_projects())::text[])))', t);
    END LOOP;
    -- Tables of one person.
    FOREACH t IN ARRAY ARRAY['sessions', 'password_codes', 'access_tokens']
    LOOP
        EXECUTE format('CREATE POLICY person ON %I TO moorage_app
            USING (user_id = (SELECT scope_principal()))', t);
    END LOOP;
END $$;

CREATE POLICY tenant ON orgs TO moorage_app USING (id = ANY ((SELECT scope_orgs())::text[]));
-- Those who run the platform see the name plates of all orgs, and nothing inside them.
CREATE POLICY platform ON orgs FOR SELECT TO moorage_app
    USING ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));
CREATE POLICY tenant ON projects TO moorage_app USING (
    org_id = ANY ((SELECT scope_orgs())::text[]) AND (
        org_id = ANY ((SELECT scope_whole_orgs())::text[]) OR id = ANY ((SELECT scope_projects())::text[])));
CREATE POLICY person ON users TO moorage_app USING (
    id = (SELECT scope_principal())
    OR 'org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));
-- Who shares an org or a project with somebody sees who they are, and changes nothing about them.
CREATE POLICY colleague ON users FOR SELECT TO moorage_app
    USING (EXISTS (SELECT FROM memberships m WHERE m.user_id = users.id));
CREATE POLICY person ON idempotency_answers TO moorage_app USING (principal = (SELECT scope_principal()));
CREATE POLICY person ON used_assertions TO moorage_app
    USING (service_account_id = (SELECT scope_principal()));
CREATE POLICY platform ON oidc_providers TO moorage_app
    USING ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));
CREATE POLICY platform ON oidc_identities TO moorage_app
    USING ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));
CREATE POLICY everyone ON signing_keys FOR SELECT TO moorage_app USING (true);
CREATE POLICY platform ON signing_keys FOR INSERT TO moorage_app
    WITH CHECK ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));
CREATE POLICY retire ON signing_keys FOR DELETE TO moorage_app
    USING ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[]));
CREATE POLICY everyone ON streams FOR SELECT TO moorage_app USING (true);
CREATE POLICY everyone ON audit_seals FOR SELECT TO moorage_app USING (true);

-- What each role may do ------------------------------------------------------------------------

GRANT SELECT, INSERT, UPDATE ON orgs, projects, service_accounts, service_account_keys, users, sessions,
    access_tokens, oidc_providers TO moorage_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON memberships, secrets, password_codes TO moorage_app;
GRANT SELECT, INSERT, UPDATE ON webhooks TO moorage_app;
GRANT SELECT, UPDATE ON webhook_deliveries TO moorage_app;
GRANT SELECT, INSERT ON used_assertions, idempotency_answers, oidc_identities TO moorage_app;
GRANT DELETE ON oidc_providers, oidc_identities TO moorage_app;
GRANT UPDATE (subject, created_at) ON oidc_identities TO moorage_app;
-- Append-only, and the number is not the writer's to choose.
GRANT SELECT, INSERT (id, type, org_id, project_id, subject, subject_version, app_slug, app_instance_id,
    correlation_id, traceparent, at, topics, data) ON events TO moorage_app;
GRANT SELECT, INSERT (id, at, org_id, project_id, actor_kind, actor_id, actor_name, credential, action,
    target, outcome, count, break_glass, reason, correlation_id, app_slug, app_instance_id, details, leaf)
    ON audit_entries TO moorage_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_denials TO moorage_app;
GRANT SELECT, INSERT, DELETE ON signing_keys TO moorage_app;
GRANT SELECT ON streams, audit_seals TO moorage_app;

-- moorage_system: sequencing, sealing, fan-out and retention. Never a payload.
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['streams', 'events', 'audit_entries', 'audit_denials', 'audit_seals', 'sessions',
        'idempotency_answers', 'used_assertions', 'password_codes', 'secrets', 'signing_keys', 'webhooks',
        'webhook_deliveries']
    LOOP
        EXECUTE format('CREATE POLICY system ON %I TO moorage_system USING (true) WITH CHECK (true)', t);
    END LOOP;
END $$;
GRANT SELECT ON streams TO moorage_system;
GRANT UPDATE (last, floor) ON streams TO moorage_system;
GRANT SELECT (pos, seq, id, type, org_id, project_id, at, topics), UPDATE (seq), DELETE ON events TO moorage_system;
GRANT SELECT (pos, seq, org_id, at, leaf), UPDATE (seq) ON audit_entries TO moorage_system;
GRANT SELECT (org_id, minute) ON audit_denials TO moorage_system;
GRANT SELECT, INSERT ON audit_seals TO moorage_system;
GRANT SELECT (id, expires_at, ended_at), DELETE ON sessions TO moorage_system;
GRANT SELECT (principal, digest, at), DELETE ON idempotency_answers TO moorage_system;
GRANT SELECT (service_account_id, jti, expires_at), DELETE ON used_assertions TO moorage_system;
GRANT SELECT (user_id, expires_at), DELETE ON password_codes TO moorage_system;
GRANT SELECT (id, org_id, project_id, key_version) ON secrets TO moorage_system;
GRANT SELECT (id, signs_from, signs_until, verifies_until) ON signing_keys TO moorage_system;
GRANT SELECT (id, org_id, project_id, types, enabled, from_seq, deleted_at), DELETE ON webhooks TO moorage_system;
GRANT SELECT (id, org_id, project_id, webhook_id, event_seq, status, due_at, held_until, ended_at),
    INSERT (id, org_id, project_id, webhook_id, event_seq, event_id, event_type, status, due_at, created_at),
    UPDATE (held_until), DELETE ON webhook_deliveries TO moorage_system;

-- Look-ups before there is a scope: one principal each -------------------------------------------
--
-- They run as the owner and answer whoever asks as moorage_app, with hashes of passwords and of keys, never
-- with a secret. Each needs what only the person or the account can bring: a secret's hash, an
-- address, a pair of ids. pg_temp is named because it would come first otherwise, and the caller's
-- temporary tables, triggers and all, in the place of ours.

CREATE FUNCTION user_grants(person text) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = public, pg_temp RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_array(m.org_id, m.project_id, m.role)), '[]')
    FROM memberships m JOIN orgs o ON o.id = m.org_id LEFT JOIN projects p ON p.id = m.project_id
    WHERE m.user_id = person AND o.deleted_at IS NULL AND p.deleted_at IS NULL);

CREATE FUNCTION session_principal(hash bytea, moment timestamptz)
    RETURNS TABLE (session_id text, user_id text, name text, email text, seen_at timestamptz, grants jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT s.id, u.id, u.name, u.email, s.seen_at, user_grants(u.id)
    FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.token_hash = hash AND s.expires_at > moment AND s.ended_at IS NULL AND u.disabled_at IS NULL $$;

CREATE FUNCTION access_token_principal(hash bytea, moment timestamptz)
    RETURNS TABLE (token_id text, user_id text, name text, email text, permissions text[], org_id text,
        project_id text, expires_at timestamptz, grants jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT t.id, u.id, u.name, u.email, t.permissions, t.org_id, t.project_id, t.expires_at,
        user_grants(u.id)
    FROM access_tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = hash AND t.expires_at > moment AND t.revoked_at IS NULL AND u.disabled_at IS NULL $$;

CREATE FUNCTION service_account_principal(account text, credential text, moment timestamptz)
    RETURNS TABLE (id text, org_id text, project_id text, name text, permissions text[], kind text,
        public_key jsonb, secret_hash bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.id, a.org_id, a.project_id, a.name, a.permissions, k.kind, k.public_key, k.secret_hash
    FROM service_accounts a JOIN service_account_keys k ON k.service_account_id = a.id
        JOIN projects p ON p.id = a.project_id JOIN orgs o ON o.id = a.org_id
    WHERE a.id = account AND k.id = credential AND a.disabled_at IS NULL AND a.deleted_at IS NULL
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > moment)
        AND p.deleted_at IS NULL AND o.deleted_at IS NULL $$;

CREATE FUNCTION user_by_email(address text)
    RETURNS TABLE (id text, email text, name text, password_hash text, wrong_passwords integer,
        locked_until timestamptz, disabled_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT id, email, name, password_hash, wrong_passwords, locked_until, disabled_at
    FROM users WHERE lower(email) = lower(address) $$;

-- The tenants who must hear of it when the platform opens this person's account. None where the person
-- never used it: whoever is invited gets a first password without ado. For the platform's own alone.
CREATE FUNCTION orgs_behind_account(person text) RETURNS TABLE (org_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT DISTINCT m.org_id FROM users u JOIN memberships m ON m.user_id = u.id
        JOIN orgs o ON o.id = m.org_id LEFT JOIN projects p ON p.id = m.project_id
    WHERE u.id = person AND o.deleted_at IS NULL AND p.deleted_at IS NULL
        AND o.id <> 'org_00000000000000000000000000'
        AND (u.password_hash IS NOT NULL OR EXISTS (SELECT FROM oidc_identities i WHERE i.user_id = u.id))
        AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs()) $$;

CREATE FUNCTION user_by_password_code(hash bytea, moment timestamptz) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp RETURN (
    SELECT user_id FROM password_codes WHERE code_hash = hash AND expires_at > moment);

-- Somebody is invited by e-mail whether or not the platform knows them, and who invites is not told which.
-- Not quite: an id carries the time at which the account was made.
CREATE FUNCTION ensure_user(new_id text, address text, moment timestamptz, called text DEFAULT NULL)
    RETURNS text LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    INSERT INTO users (id, email, name, created_at, updated_at)
    VALUES (new_id, address, coalesce(called, split_part(address, '@', 1)), moment, moment)
    ON CONFLICT (lower(email)) DO UPDATE SET email = users.email RETURNING id $$;

CREATE FUNCTION oidc_login_provider(name text)
    RETURNS TABLE (id text, slug text, display_name text, issuer text, client_id text, secret_id text,
        domains text[])
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT id, slug, oidc_providers.name, issuer, client_id, secret_id, domains FROM oidc_providers
    WHERE enabled AND (oidc_login_provider.name IS NULL OR slug = oidc_login_provider.name) $$;

CREATE FUNCTION oidc_user(provider text, subject_claim text)
    RETURNS TABLE (id text, name text, disabled_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT u.id, u.name, u.disabled_at FROM oidc_identities i JOIN users u ON u.id = i.user_id
    WHERE i.provider_id = provider AND i.subject = subject_claim $$;

-- The other leaves of a sealed batch: hashes only, so that a tenant can be given its proof.
CREATE FUNCTION audit_leaves(from_seq bigint, to_seq bigint) RETURNS TABLE (seq bigint, leaf bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT seq, leaf FROM audit_entries WHERE seq BETWEEN from_seq AND to_seq ORDER BY seq $$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO moorage_app;
-- What somebody may do is told with a session or a token of theirs, not for their name alone.
REVOKE EXECUTE ON FUNCTION user_grants FROM moorage_app;

-- The org of the platform itself -----------------------------------------------------------------

INSERT INTO orgs (id, slug, name, created_at, updated_at)
VALUES ('org_00000000000000000000000000', 'platform', 'Platform', now(), now());
