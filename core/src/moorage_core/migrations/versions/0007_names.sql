-- Names beside ids: what somebody did in a place is told there with who they are, though their role lies elsewhere
-- or is gone. Each is asked about a row that the caller sees.

CREATE FUNCTION actor_name(actor text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
        RETURN coalesce((SELECT u.name FROM users u WHERE u.id = actor),
            (SELECT a.name FROM service_accounts a WHERE a.id = actor));
    END $$;

-- The org that publishes an app, by its name plate.
CREATE FUNCTION publisher_name(publisher text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
        RETURN (SELECT o.name FROM orgs o WHERE o.id = publisher);
    END $$;

REVOKE EXECUTE ON FUNCTION actor_name, publisher_name FROM PUBLIC;
GRANT EXECUTE ON FUNCTION actor_name, publisher_name TO moorage_app;

-- As before, with the org: those who run the platform see the name plates of all.
DROP FUNCTION node_holders;
CREATE FUNCTION node_holders(nodes text[])
    RETURNS TABLE (node_id text, allocation_id text, instance_id text, org_id text, org_name text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT a.node_id, a.id, a.instance_id, o.id, o.name FROM allocations a JOIN orgs o ON o.id = a.org_id
    WHERE a.node_id = ANY (nodes)
        AND a.status IN ('requested', 'provisioning', 'active', 'releasing', 'release_failed')
        AND ('org_00000000000000000000000000' = ANY ((SELECT scope_whole_orgs())::text[])
            OR a.node_id = (SELECT scope_principal())) $$;
REVOKE EXECUTE ON FUNCTION node_holders FROM PUBLIC;
GRANT EXECUTE ON FUNCTION node_holders TO moorage_app;
