-- The catalog: what can be deployed, where its bytes come from, who may use it, and within which limits.
--
-- Unlike everything before, some rows are there to be read by other tenants: a published version of an app
-- that its publisher shows to its org or to all. Each such table has a policy `shared` for SELECT alone;
-- who may write is always the owner. A shared row is shared by its app: the policies below look it up
-- there.

-- Families ---------------------------------------------------------------------------------------

CREATE TABLE families (
    name text PRIMARY KEY,
    description text NOT NULL,
    -- [{key, description, means}]
    keys jsonb NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

-- Sources ----------------------------------------------------------------------------------------

CREATE TABLE sources (
    id text PRIMARY KEY,
    -- The platform's own org: shared with every tenant.
    org_id text NOT NULL REFERENCES orgs,
    slug text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('oci', 'https')),
    url text NOT NULL,
    -- Where a registry's tokens come from, if not from the registry itself.
    token_url text,
    -- `slug` where it is shared with all, `<org's slug>/<slug>` where it is a tenant's.
    policy_name text NOT NULL,
    secret_id text REFERENCES secrets,
    enabled boolean NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    CHECK (deleted_at IS NULL OR secret_id IS NULL)
);
CREATE UNIQUE INDEX sources_slug ON sources (org_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX sources_name ON sources (policy_name);
CREATE INDEX sources_page ON sources (org_id, id) WHERE deleted_at IS NULL;

-- Artifacts --------------------------------------------------------------------------------------

CREATE TABLE publisher_keys (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    name text NOT NULL,
    public_key jsonb NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    revoked_at timestamptz,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE INDEX publisher_keys_page ON publisher_keys (project_id, id);
-- The same key twice in a project would let a revoked one live on under another id.
CREATE UNIQUE INDEX publisher_keys_key ON publisher_keys (project_id, (public_key ->> 'x'));

CREATE TABLE artifacts (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('blob', 'oci')),
    digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    size bigint NOT NULL CHECK (size >= 0),
    media_type text NOT NULL,
    -- Null: the platform's own store.
    source_id text REFERENCES sources,
    location text,
    lifecycle text NOT NULL
        CHECK (lifecycle IN ('uploading', 'published', 'promoted', 'deprecated', 'retired')),
    trust text NOT NULL CHECK (trust IN ('unverified', 'verified', 'failed', 'revoked')),
    trust_reason text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    CHECK ((source_id IS NULL) = (location IS NULL)),
    CHECK (lifecycle <> 'uploading' OR trust = 'unverified')
);
-- One row per content and project: a revoked digest cannot come back as another row.
CREATE UNIQUE INDEX artifacts_digest ON artifacts (project_id, digest) WHERE deleted_at IS NULL;
CREATE INDEX artifacts_page ON artifacts (project_id, id) WHERE deleted_at IS NULL;
-- What a project uses of what it may keep.
CREATE INDEX artifacts_usage ON artifacts (project_id) INCLUDE (size, lifecycle, deleted_at);
CREATE INDEX artifacts_content ON artifacts (digest);
CREATE INDEX artifacts_source ON artifacts (source_id) WHERE source_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX artifacts_uploading ON artifacts (updated_at) WHERE lifecycle = 'uploading' AND deleted_at IS NULL;

-- What those who run the platform have taken out of use, whoever brings it: for all to see.
CREATE TABLE revoked_digests (
    digest text PRIMARY KEY CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    reason text NOT NULL,
    at timestamptz NOT NULL,
    by text NOT NULL
);

CREATE TABLE artifact_signatures (
    artifact_id text NOT NULL,
    key_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    signature bytea NOT NULL,
    -- A copy: whoever pulls checks with it and never needs to see the publisher's keys.
    public_key jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    -- Set with the key's own: whoever pulls sees no key, and must not check with a revoked one.
    revoked_at timestamptz,
    PRIMARY KEY (artifact_id, key_id),
    -- Of one project, all three: nobody signs a foreign artifact, or with a foreign key.
    FOREIGN KEY (org_id, project_id, artifact_id) REFERENCES artifacts (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, key_id) REFERENCES publisher_keys (org_id, project_id, id)
);
CREATE INDEX artifact_signatures_key ON artifact_signatures (key_id);

-- Apps -------------------------------------------------------------------------------------------

CREATE TABLE apps (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    summary text NOT NULL,
    visibility text NOT NULL CHECK (visibility IN ('project', 'org', 'platform')),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    -- Set with the deletion of its project: nobody publishes it any more, so nobody begins to use it. The
    -- row stays, for what was entitled before and so that nobody else takes its slug.
    closed_at timestamptz,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE UNIQUE INDEX apps_slug ON apps (slug) WHERE deleted_at IS NULL;
CREATE INDEX apps_project ON apps (project_id, id) WHERE deleted_at IS NULL;
CREATE INDEX apps_org ON apps (org_id, id) WHERE deleted_at IS NULL;
CREATE INDEX apps_platform ON apps (id) WHERE visibility = 'platform' AND deleted_at IS NULL;

-- Whoever deletes a project closes its apps with it, whatever way they came. With the owner's eyes: who
-- deletes a project need not be somebody who may change apps.
CREATE FUNCTION close_apps() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE apps SET closed_at = NEW.deleted_at, updated_at = NEW.deleted_at, version = version + 1
    WHERE deleted_at IS NULL AND closed_at IS NULL
        AND CASE TG_TABLE_NAME WHEN 'projects' THEN project_id = NEW.id ELSE org_id = NEW.id END;
    RETURN NULL;
END $$;
CREATE TRIGGER close_apps AFTER UPDATE OF deleted_at ON projects FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION close_apps();
CREATE TRIGGER close_apps AFTER UPDATE OF deleted_at ON orgs FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION close_apps();
REVOKE EXECUTE ON FUNCTION close_apps FROM PUBLIC;

CREATE TABLE app_versions (
    id text PRIMARY KEY,
    app_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    number text NOT NULL,
    status text NOT NULL CHECK (status IN ('draft', 'published', 'deprecated', 'retired')),
    -- The text that was given, which the digest is of; the manifest as data; what it asks for.
    manifest_text text NOT NULL,
    manifest_digest text NOT NULL,
    manifest jsonb NOT NULL,
    declaration jsonb NOT NULL,
    declaration_digest text NOT NULL,
    runbook text NOT NULL,
    note text,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    published_at timestamptz,
    deprecated_at timestamptz,
    retired_at timestamptz,
    UNIQUE (app_id, number),
    UNIQUE (org_id, project_id, id),
    -- What belongs to an app lives in its project: nobody adds a version to a foreign one.
    FOREIGN KEY (org_id, project_id, app_id) REFERENCES apps (org_id, project_id, id),
    CHECK ((status = 'draft') = (published_at IS NULL))
);
CREATE INDEX app_versions_page ON app_versions (app_id, id);
-- Without the build: what constraints see of a number. One of each, or a pin would be none.
CREATE UNIQUE INDEX app_versions_precedence ON app_versions (app_id, split_part(number, '+', 1));

CREATE FUNCTION keep_published_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.status <> 'draft' THEN
            RAISE EXCEPTION 'a published version stays' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF OLD.status <> 'draft' AND (NEW.app_id, NEW.number, NEW.manifest_text, NEW.manifest_digest, NEW.manifest,
        NEW.declaration, NEW.declaration_digest, NEW.runbook, NEW.published_at) IS DISTINCT FROM (OLD.app_id,
        OLD.number, OLD.manifest_text, OLD.manifest_digest, OLD.manifest, OLD.declaration,
        OLD.declaration_digest, OLD.runbook, OLD.published_at) THEN
        RAISE EXCEPTION 'a published version does not change' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_published_version BEFORE UPDATE OR DELETE ON app_versions
    FOR EACH ROW EXECUTE FUNCTION keep_published_version();

-- Written in the transaction that publishes the version, never after.
CREATE TABLE version_artifacts (
    version_id text NOT NULL,
    name text NOT NULL,
    artifact_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    PRIMARY KEY (version_id, name),
    FOREIGN KEY (org_id, project_id, version_id) REFERENCES app_versions (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, artifact_id) REFERENCES artifacts (org_id, project_id, id)
);
CREATE INDEX version_artifacts_artifact ON version_artifacts (artifact_id);

CREATE FUNCTION keep_version_artifacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM app_versions v WHERE v.id = NEW.version_id AND v.status = 'draft') THEN
        RAISE EXCEPTION 'a published version gets no more artifacts'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_version_artifacts BEFORE INSERT ON version_artifacts
    FOR EACH ROW EXECUTE FUNCTION keep_version_artifacts();
REVOKE EXECUTE ON FUNCTION keep_version_artifacts FROM PUBLIC;

CREATE TABLE app_channels (
    app_id text NOT NULL,
    channel text NOT NULL CHECK (channel IN ('dev', 'staging', 'prod')),
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    version_id text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (app_id, channel),
    FOREIGN KEY (org_id, project_id, app_id) REFERENCES apps (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, version_id) REFERENCES app_versions (org_id, project_id, id)
);
CREATE INDEX app_channels_version ON app_channels (version_id);

CREATE TABLE promotions (
    id text PRIMARY KEY,
    app_id text NOT NULL,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    channel text NOT NULL,
    -- Counted per app while its row is locked: the order in which promotions happened.
    sequence integer NOT NULL,
    -- Null, with its number and digest: the channel was cleared.
    version_id text,
    number text,
    manifest_digest text,
    previous_version_id text REFERENCES app_versions,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    correlation_id text NOT NULL,
    reason text,
    at timestamptz NOT NULL,
    UNIQUE (app_id, sequence),
    CHECK ((version_id IS NULL) = (number IS NULL) AND (version_id IS NULL) = (manifest_digest IS NULL)),
    CHECK (version_id IS NOT NULL OR previous_version_id IS NOT NULL),
    FOREIGN KEY (org_id, project_id, app_id) REFERENCES apps (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id, version_id) REFERENCES app_versions (org_id, project_id, id)
);

CREATE TABLE app_operators (
    id text PRIMARY KEY,
    app_id text NOT NULL REFERENCES apps,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    -- A copy: an app that its publisher hides later is still called something.
    app_slug text NOT NULL,
    service_account_id text NOT NULL REFERENCES service_accounts,
    name text NOT NULL,
    -- publisher: serves whoever chooses it. project: serves the instances of its own project.
    serves text NOT NULL CHECK (serves IN ('publisher', 'project')),
    -- Who serves whoever chooses it belongs to the app's own project: nobody works for a foreign publisher.
    published_app_id text GENERATED ALWAYS AS (CASE serves WHEN 'publisher' THEN app_id END) STORED,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    removed_at timestamptz,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    FOREIGN KEY (org_id, project_id, published_app_id) REFERENCES apps (org_id, project_id, id)
);
CREATE UNIQUE INDEX app_operators_account ON app_operators (app_id, service_account_id)
    WHERE removed_at IS NULL;
CREATE INDEX app_operators_page ON app_operators (project_id, id) WHERE removed_at IS NULL;
CREATE INDEX app_operators_identity ON app_operators (service_account_id) WHERE removed_at IS NULL;

CREATE TABLE family_admissions (
    family text NOT NULL REFERENCES families,
    app_id text NOT NULL REFERENCES apps,
    -- The most of the family's keys that a version of the app may use.
    keys text[] NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- The row stays: an app that is admitted again goes on at the next version.
    withdrawn_at timestamptz,
    PRIMARY KEY (family, app_id)
);
CREATE INDEX family_admissions_app ON family_admissions (app_id);

-- Entitlements -----------------------------------------------------------------------------------

CREATE TABLE entitlements (
    id text PRIMARY KEY,
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    app_id text NOT NULL REFERENCES apps,
    -- A copy: an app that its publisher hides later is still called something.
    app_slug text NOT NULL,
    channel text CHECK (channel IN ('dev', 'staging', 'prod')),
    versions text NOT NULL,
    enabled boolean NOT NULL,
    -- The declaration that was accepted, of which version, by whom and when.
    accepted jsonb NOT NULL,
    accepted_digest text NOT NULL,
    accepted_version_id text NOT NULL REFERENCES app_versions,
    accepted_by text NOT NULL,
    accepted_at timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    UNIQUE (org_id, project_id, id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE UNIQUE INDEX entitlements_app ON entitlements (project_id, app_id) WHERE deleted_at IS NULL;
CREATE INDEX entitlements_page ON entitlements (project_id, id) WHERE deleted_at IS NULL;
CREATE INDEX entitlements_org ON entitlements (org_id, id) WHERE deleted_at IS NULL;
CREATE INDEX entitlements_by_app ON entitlements (app_id) WHERE deleted_at IS NULL;

-- Policy -----------------------------------------------------------------------------------------

CREATE TABLE overlays (
    id text PRIMARY KEY,
    level text NOT NULL CHECK (level IN ('global', 'org', 'project', 'entitlement')),
    org_id text NOT NULL REFERENCES orgs,
    project_id text,
    entitlement_id text,
    document jsonb NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id),
    FOREIGN KEY (org_id, project_id, entitlement_id) REFERENCES entitlements (org_id, project_id, id),
    UNIQUE NULLS NOT DISTINCT (level, org_id, project_id, entitlement_id),
    CHECK ((level = 'global') <= (org_id = 'org_00000000000000000000000000')),
    CHECK ((level IN ('project', 'entitlement')) = (project_id IS NOT NULL)),
    CHECK ((level = 'entitlement') = (entitlement_id IS NOT NULL))
);
CREATE INDEX overlays_org ON overlays (org_id);

-- Pulls ------------------------------------------------------------------------------------------

CREATE TABLE pulls (
    id text PRIMARY KEY,
    -- Of the holder, not of the publisher.
    org_id text NOT NULL REFERENCES orgs,
    project_id text NOT NULL,
    entitlement_id text NOT NULL REFERENCES entitlements,
    app_id text NOT NULL REFERENCES apps,
    version_id text NOT NULL REFERENCES app_versions,
    artifact_id text NOT NULL REFERENCES artifacts,
    artifact_name text NOT NULL,
    -- The one that was named; whoever asks again with the credential asks for the same.
    channel text,
    holder text NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (org_id, project_id) REFERENCES projects (org_id, id)
);
CREATE INDEX pulls_expiry ON pulls (expires_at);

-- Row-level security -----------------------------------------------------------------------------

DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['families', 'family_admissions', 'sources', 'publisher_keys', 'artifacts',
        'revoked_digests', 'artifact_signatures', 'apps', 'app_versions', 'version_artifacts', 'app_channels', 'promotions',
        'app_operators', 'entitlements', 'overlays', 'pulls']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY owner ON %I TO moorage_owner USING (true) WITH CHECK (true)', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['publisher_keys', 'artifacts', 'artifact_signatures', 'apps', 'app_versions',
        'version_artifacts', 'app_channels', 'promotions', 'app_operators', 'entitlements', 'pulls']
    LOOP
        EXECUTE format('CREATE POLICY tenant ON %I TO moorage_app USING (
            org_id = ANY ((SELECT scope_orgs())::text[]) AND (
                org_id = ANY ((SELECT scope_whole_orgs())::text[])
                OR project_id = ANY ((SELECT scope_projects())::text[])))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['families', 'family_admissions', 'revoked_digests']
    LOOP
        EXECUTE format('CREATE POLICY shared ON %I FOR SELECT TO moorage_app
            USING ((SELECT scope_principal()) IS NOT NULL)', t);
        EXECUTE format('CREATE POLICY platform ON %I TO moorage_app
            USING (''org_00000000000000000000000000'' = ANY ((SELECT scope_whole_orgs())::text[]))', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['app_channels', 'promotions']
    LOOP
        EXECUTE format('CREATE POLICY shared ON %I FOR SELECT TO moorage_app
            USING (EXISTS (SELECT FROM apps a WHERE a.id = app_id))', t);
    END LOOP;
END $$;

CREATE POLICY shared ON apps FOR SELECT TO moorage_app USING (closed_at IS NULL AND (
    (visibility = 'platform' AND (SELECT scope_principal()) IS NOT NULL)
    OR (visibility = 'org' AND org_id = ANY ((SELECT scope_orgs())::text[]))));
CREATE POLICY shared ON app_versions FOR SELECT TO moorage_app
    USING (status <> 'draft' AND EXISTS (SELECT FROM apps a WHERE a.id = app_id));

-- What hangs on a version is shown with it. These run as the owner and see past the policies: policies inside
-- policies inside policies took longer to plan and to begin than the query itself, and the planner meant to
-- read whole tables for them. Each is asked for a row that is not the caller's own, and answers yes or no.
CREATE FUNCTION is_version_shown(wanted text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN EXISTS (SELECT FROM app_versions v JOIN apps a ON a.id = v.app_id
        WHERE v.id = wanted AND v.status <> 'draft' AND a.closed_at IS NULL AND (
            (a.visibility = 'platform' AND scope_principal() IS NOT NULL)
            OR (a.visibility = 'org' AND a.org_id = ANY (scope_orgs()))));
CREATE FUNCTION is_artifact_shown(wanted text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN EXISTS (SELECT FROM version_artifacts u
        WHERE u.artifact_id = wanted AND is_version_shown(u.version_id));
CREATE FUNCTION is_source_shown(wanted text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN EXISTS (SELECT FROM artifacts a WHERE a.source_id = wanted AND a.deleted_at IS NULL
        AND is_artifact_shown(a.id));
REVOKE EXECUTE ON FUNCTION is_version_shown, is_artifact_shown, is_source_shown FROM PUBLIC;
GRANT EXECUTE ON FUNCTION is_version_shown, is_artifact_shown, is_source_shown TO moorage_app;

CREATE POLICY shared ON version_artifacts FOR SELECT TO moorage_app USING (is_version_shown(version_id));
CREATE POLICY shared ON artifacts FOR SELECT TO moorage_app USING (is_artifact_shown(id));
CREATE POLICY shared ON artifact_signatures FOR SELECT TO moorage_app
    USING (is_artifact_shown(artifact_id));
CREATE POLICY shared ON app_operators FOR SELECT TO moorage_app
    USING (serves = 'publisher' AND EXISTS (SELECT FROM apps a WHERE a.id = app_id));

-- An org's sources are its projects' to use and its admins' to change.
CREATE POLICY tenant ON sources TO moorage_app USING (org_id = ANY ((SELECT scope_whole_orgs())::text[]));
CREATE POLICY shared ON sources FOR SELECT TO moorage_app USING (
    org_id = ANY ((SELECT scope_orgs())::text[])
    OR (org_id = 'org_00000000000000000000000000' AND (SELECT scope_principal()) IS NOT NULL)
    OR is_source_shown(id));

-- The layers above are everybody's to read who is below them, and their owner's to change.
-- A token may be narrowed to one project, and write that project's layer.
CREATE POLICY tenant ON overlays TO moorage_app USING (
    org_id = ANY ((SELECT scope_whole_orgs())::text[])
    OR (org_id = ANY ((SELECT scope_orgs())::text[])
        AND project_id = ANY ((SELECT scope_projects())::text[])));
CREATE POLICY shared ON overlays FOR SELECT TO moorage_app USING (
    (level = 'global' AND (SELECT scope_principal()) IS NOT NULL)
    OR (org_id = ANY ((SELECT scope_orgs())::text[])
        AND (project_id IS NULL OR project_id = ANY ((SELECT scope_projects())::text[]))));

-- What each role may do --------------------------------------------------------------------------

GRANT SELECT, INSERT, UPDATE ON families, family_admissions, sources, publisher_keys, artifacts, apps,
    app_channels, app_operators, entitlements, overlays TO moorage_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON app_versions TO moorage_app;
GRANT DELETE ON app_channels TO moorage_app;
GRANT SELECT, INSERT ON version_artifacts, artifact_signatures, revoked_digests, promotions, pulls
    TO moorage_app;
GRANT UPDATE (revoked_at) ON artifact_signatures TO moorage_app;

DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['artifacts', 'pulls']
    LOOP
        EXECUTE format('CREATE POLICY system ON %I TO moorage_system USING (true) WITH CHECK (true)', t);
    END LOOP;
END $$;
GRANT SELECT (id, org_id, project_id, digest, source_id, lifecycle, updated_at, deleted_at) ON artifacts
    TO moorage_system;
GRANT SELECT (id, expires_at), DELETE ON pulls TO moorage_system;

-- Whose artifact it is, for the platform's own alone: to take a harmful one out of use everywhere.
CREATE FUNCTION artifact_owner(artifact text) RETURNS TABLE (org_id text, project_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.org_id, a.project_id FROM artifacts a WHERE a.id = artifact AND a.deleted_at IS NULL
        AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs()) $$;
-- Who else has the same bytes and could use them, for the platform's own alone. So many at once; all others are
-- stopped by revoked_digests when somebody uses them.
CREATE FUNCTION artifacts_alike(wanted text) RETURNS TABLE (id text, org_id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.id, a.org_id FROM artifacts a WHERE a.digest = wanted AND a.deleted_at IS NULL
        AND a.lifecycle <> 'uploading' AND a.trust <> 'revoked'
        AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs()) ORDER BY a.id LIMIT 100 $$;
-- Whether a slug is free is told to whoever may publish: slugs are unique on the whole platform.
CREATE FUNCTION app_slug_taken(wanted text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN EXISTS (SELECT FROM apps a WHERE a.slug = wanted AND a.deleted_at IS NULL);
-- For the platform's own alone: which app a slug names, to admit it to a family, whoever owns it.
CREATE FUNCTION app_for_admission(app text) RETURNS TABLE (id text, org_id text, project_id text, slug text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.id, a.org_id, a.project_id, a.slug FROM apps a
    WHERE a.id = app AND a.deleted_at IS NULL AND a.closed_at IS NULL AND 'org_00000000000000000000000000' = ANY (scope_whole_orgs()) $$;

-- Whether an app was closed, for those who are entitled to it: they are told why nothing works any more.
CREATE FUNCTION app_closed(app text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN EXISTS (SELECT FROM apps a JOIN entitlements e ON e.app_id = a.id
        WHERE a.id = app AND a.closed_at IS NOT NULL AND e.deleted_at IS NULL AND e.org_id = ANY (scope_orgs()));
REVOKE EXECUTE ON FUNCTION app_closed FROM PUBLIC;
GRANT EXECUTE ON FUNCTION app_closed TO moorage_app;

-- How many artifacts name a source, whoever's they are: for those who may remove it.
CREATE FUNCTION source_uses(source text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN (SELECT count(*) FROM artifacts a JOIN sources s ON s.id = a.source_id
        WHERE s.id = source AND a.deleted_at IS NULL AND s.org_id = ANY (scope_whole_orgs()));

-- What policy would call an org's source, where it called one of another org so before. The slug of a
-- deleted org is free again; what layers call its sources is not.
CREATE FUNCTION foreign_source_name(org text, slug text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN (SELECT s.policy_name FROM orgs o JOIN sources s ON s.policy_name = o.slug || '/' || foreign_source_name.slug
        WHERE o.id = org AND s.org_id <> o.id AND o.id = ANY (scope_whole_orgs()) LIMIT 1);

REVOKE EXECUTE ON FUNCTION foreign_source_name FROM PUBLIC;
GRANT EXECUTE ON FUNCTION foreign_source_name TO moorage_app;
REVOKE EXECUTE ON FUNCTION artifact_owner, artifacts_alike, app_slug_taken, app_for_admission, source_uses,
    keep_published_version FROM PUBLIC;
GRANT EXECUTE ON FUNCTION artifact_owner, artifacts_alike, app_slug_taken, app_for_admission, source_uses TO moorage_app;

-- How many projects are entitled to an app and would not see it with another visibility: a number and no
-- name, for those who may change the app.
CREATE FUNCTION entitled_beyond(app text, visibility text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN (SELECT count(*) FROM entitlements e JOIN apps a ON a.id = e.app_id
        WHERE a.id = app AND e.deleted_at IS NULL
            AND (a.org_id = ANY (scope_whole_orgs()) OR a.project_id = ANY (scope_projects()))
            AND CASE entitled_beyond.visibility WHEN 'project' THEN e.project_id <> a.project_id
                WHEN 'org' THEN e.org_id <> a.org_id ELSE false END);
REVOKE EXECUTE ON FUNCTION entitled_beyond FROM PUBLIC;
GRANT EXECUTE ON FUNCTION entitled_beyond TO moorage_app;

-- What two requests at once could get past: each looks before it writes, and sees nothing of the other.
-- The error is that of a double key, which callers are told to try again after: then they see it.

-- Families and apps share one set of names, since the keys of both begin with them.
CREATE FUNCTION keep_names_apart() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE wanted text := to_jsonb(NEW) ->> TG_ARGV[0];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('name of an app or a family: ' || wanted, 0));
    IF TG_TABLE_NAME = 'families' AND EXISTS (SELECT FROM apps a WHERE a.slug = wanted AND a.deleted_at IS NULL)
        OR TG_TABLE_NAME = 'apps' AND EXISTS (SELECT FROM families f WHERE f.name = wanted) THEN
        RAISE EXCEPTION 'an app or a family has this name' USING ERRCODE = 'unique_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_names_apart BEFORE INSERT ON families FOR EACH ROW
    EXECUTE FUNCTION keep_names_apart('name');
CREATE TRIGGER keep_names_apart BEFORE INSERT ON apps FOR EACH ROW
    EXECUTE FUNCTION keep_names_apart('slug');

-- A source that is being removed takes no more artifacts.
CREATE FUNCTION keep_source() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM sources s WHERE s.id = NEW.source_id AND s.deleted_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the source is gone' USING ERRCODE = 'unique_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_source BEFORE INSERT ON artifacts FOR EACH ROW WHEN (NEW.source_id IS NOT NULL)
    EXECUTE FUNCTION keep_source();
REVOKE EXECUTE ON FUNCTION keep_names_apart, keep_source FROM PUBLIC;
