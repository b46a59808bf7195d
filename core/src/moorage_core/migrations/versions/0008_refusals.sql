-- What somebody was told when a request of theirs was refused, for them to read again by its id. Not the record: that
-- counts refusals in audit_denials, and these go after a while. They belong to who was refused, and to nobody else.

CREATE TABLE refusals (
    id text PRIMARY KEY,
    principal text NOT NULL,
    -- The token that holds less than its owner, where one was used: it sees its own alone.
    restricted_by text,
    correlation_id text NOT NULL,
    at timestamptz NOT NULL,
    route text NOT NULL,
    permission text NOT NULL,
    status integer NOT NULL,
    code text NOT NULL,
    title text NOT NULL,
    detail text NOT NULL,
    errors jsonb NOT NULL
);
CREATE INDEX refusals_of_request ON refusals (principal, correlation_id);
CREATE INDEX refusals_lately ON refusals (principal, at);
CREATE INDEX refusals_age ON refusals (at);

ALTER TABLE refusals ENABLE ROW LEVEL SECURITY;
ALTER TABLE refusals FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON refusals TO moorage_owner USING (true) WITH CHECK (true);
CREATE POLICY person ON refusals TO moorage_app USING (principal = (SELECT scope_principal()));
CREATE POLICY system ON refusals TO moorage_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON refusals TO moorage_app;
GRANT SELECT (id, at), DELETE ON refusals TO moorage_system;
