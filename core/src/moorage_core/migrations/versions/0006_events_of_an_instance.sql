-- What happened to one instance, however much happened beside it. As in the audit log, readers see numbered events
-- alone, so the sequencer fills the index.
CREATE INDEX events_instance ON events (app_instance_id, seq)
    WHERE app_instance_id IS NOT NULL AND seq IS NOT NULL;
