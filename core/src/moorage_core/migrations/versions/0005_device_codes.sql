-- Codes by which somebody lets a program sign in as them. They belong to nobody until somebody decides, so no scope
-- could show them: moorage_app reaches a row only through the functions below, by a secret or by what was typed in.

CREATE TABLE device_codes (
    id text PRIMARY KEY,
    -- The program's own secret.
    device_hash bytea NOT NULL UNIQUE,
    -- What a person types in.
    user_hash bytea NOT NULL UNIQUE,
    client text NOT NULL,
    address text NOT NULL,
    lifetime_seconds integer NOT NULL CHECK (lifetime_seconds > 0),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    user_id text REFERENCES users,
    approved boolean,
    used_at timestamptz,
    CHECK ((user_id IS NULL) = (approved IS NULL)),
    CHECK (used_at IS NULL OR approved)
);
CREATE INDEX device_codes_expiry ON device_codes (expires_at);

ALTER TABLE device_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE device_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON device_codes TO moorage_owner USING (true) WITH CHECK (true);
CREATE POLICY system ON device_codes TO moorage_system USING (true) WITH CHECK (true);
GRANT SELECT (id, expires_at), DELETE ON device_codes TO moorage_system;

-- False where a live code happens to read the same.
CREATE FUNCTION add_device_code(new_id text, device bytea, typed bytea, called text, from_address text,
    lifetime integer, moment timestamptz, until timestamptz)
    RETURNS boolean LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH added AS (
        INSERT INTO device_codes (id, device_hash, user_hash, client, address, lifetime_seconds, created_at,
            expires_at)
        VALUES (new_id, device, typed, called, from_address, lifetime, moment, until)
        ON CONFLICT (user_hash) DO NOTHING RETURNING id
    ) SELECT EXISTS (SELECT FROM added) $$;

CREATE FUNCTION device_code_by_typed(typed bytea, moment timestamptz)
    RETURNS TABLE (id text, client text, address text, lifetime_seconds integer, created_at timestamptz,
        expires_at timestamptz, user_id text, approved boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT id, client, address, lifetime_seconds, created_at, expires_at, user_id, approved FROM device_codes
    WHERE user_hash = typed AND expires_at > moment $$;

-- Whoever decides is whoever the transaction belongs to, and decides once.
CREATE FUNCTION decide_device_code(typed bytea, yes boolean, moment timestamptz) RETURNS boolean
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH decided AS (
        UPDATE device_codes SET user_id = scope_principal(), approved = yes
        WHERE user_hash = typed AND expires_at > moment AND approved IS NULL RETURNING id
    ) SELECT EXISTS (SELECT FROM decided) $$;

CREATE FUNCTION device_code_by_secret(device bytea, moment timestamptz)
    RETURNS TABLE (id text, client text, lifetime_seconds integer, user_id text, user_name text, approved boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT c.id, c.client, c.lifetime_seconds, c.user_id, u.name, c.approved
    FROM device_codes c LEFT JOIN users u ON u.id = c.user_id
    WHERE c.device_hash = device AND c.expires_at > moment AND c.used_at IS NULL $$;

-- True once, for the person who approved it, unless the account was disabled since.
CREATE FUNCTION use_device_code(device bytea, moment timestamptz) RETURNS boolean
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    WITH used AS (
        UPDATE device_codes c SET used_at = moment FROM users u
        WHERE c.device_hash = device AND c.expires_at > moment AND c.approved AND c.used_at IS NULL
            AND u.id = c.user_id AND u.id = scope_principal() AND u.disabled_at IS NULL
        RETURNING c.id
    ) SELECT EXISTS (SELECT FROM used) $$;

REVOKE EXECUTE ON FUNCTION add_device_code, device_code_by_typed, decide_device_code, device_code_by_secret,
    use_device_code FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_device_code, device_code_by_typed, decide_device_code, device_code_by_secret,
    use_device_code TO moorage_app;
