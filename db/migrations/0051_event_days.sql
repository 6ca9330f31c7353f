-- +goose Up

-- Events are kept in a table for each day (in UTC): events_20270131 has those of that day, and
-- of days before it that have no table. A day is dropped when it has been over for as long as
-- events are kept. That costs nothing for each row, as deleting and vacuuming did. Ids stay
-- one sequence over all days: subscribers hold them.

-- Whoever may do something with a table may do it with another one.
-- +goose StatementBegin
CREATE FUNCTION grant_alike(model regclass, target regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    g record;
BEGIN
    FOR g IN SELECT a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a WHERE c.oid = model AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('GRANT %s ON %s TO %s', g.privilege_type, target, g.grantee);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- Makes the tables of the next two days, and drops those of days that have been over for as
-- long as events are kept. Nobody waits for it longer than the lock_timeout: where others use
-- the table, it does nothing, and whoever prunes next tries again. The owner does it, whoever
-- asks: so a day that is not over for a day stays, whatever is asked. The first lock is that of the whole table, as it is of all others that use it.
-- +goose StatementBegin
CREATE FUNCTION turn_event_days(kept interval) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
DECLARE
    today  date := (now() AT TIME ZONE 'UTC')::date;
    newest date;
    past   text[];
    next   date;
    part   text;
BEGIN
    SELECT max(day), array_agg(name) FILTER (WHERE (day + 1)::timestamp AT TIME ZONE 'UTC' <= now() - greatest(kept, interval '1 day')) INTO newest, past
    FROM (
        SELECT c.relname::text AS name, to_date(right(c.relname, 8), 'YYYYMMDD') AS day
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\d{8}$'
    ) days;
    IF newest >= today + 2 AND past IS NULL THEN
        RETURN;
    END IF;
    LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
    -- Not today's: where nobody has pruned for days, some of its rows are in events_default
    -- already. That is read for each new table. It is empty, or has what came while no worker ran.
    FOR ahead IN greatest(newest, today) - today + 1 .. 2 LOOP
        next := today + ahead;
        part := to_char(next, '"events_"YYYYMMDD');
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
            part, to_char(next, 'YYYY-MM-DD "00:00+00"'), to_char(next + 1, 'YYYY-MM-DD "00:00+00"'));
        PERFORM grant_alike('events', part::regclass);
    END LOOP;
    FOREACH part IN ARRAY coalesce(past, '{}') LOOP
        EXECUTE format('DROP TABLE IF EXISTS %I', part);
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    RETURN;
END
$$;
-- +goose StatementEnd

-- The table becomes the one of the next two days and of all before. Attaching it reads it once
-- while nobody else can: five seconds a million rows on a busy machine. Whoever uses it now is
-- not waited for with others behind, so that it may take some tries.
-- +goose StatementBegin
DO $$
DECLARE
    tries CONSTANT int := 100;
    until date;
    first text;
    start bigint;
BEGIN
    SET LOCAL lock_timeout = '300ms';
    FOR try IN 1 .. tries LOOP
        BEGIN
            LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            IF try = tries THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(1);
        END;
    END LOOP;
    until := (clock_timestamp() AT TIME ZONE 'UTC')::date + 2;
    first := to_char(until, '"events_"YYYYMMDD');
    start := nextval(pg_get_serial_sequence('events', 'id'));

    ALTER TABLE events ALTER id DROP IDENTITY, DROP CONSTRAINT events_pkey;
    DROP INDEX events_age;
    ALTER INDEX events_team RENAME TO events_first_team;
    EXECUTE format('ALTER TABLE events RENAME TO %I', first);
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT events_first_pkey PRIMARY KEY USING INDEX events_key', first);
    EXECUTE format('
        CREATE TABLE events (
            id         bigint GENERATED ALWAYS AS IDENTITY (START WITH %s),
            team_id    uuid NOT NULL,
            user_id    uuid, -- whom alone of the team it is for; none for all
            kind       text NOT NULL,
            subject_id uuid NOT NULL,
            data       jsonb NOT NULL DEFAULT ''{}'',
            created_at timestamptz NOT NULL DEFAULT now(),
            matter_id  uuid,
            PRIMARY KEY (created_at, id)
        ) PARTITION BY RANGE (created_at)', start);
    CREATE INDEX events_team ON events (team_id, id);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', first, to_char(until + 1, 'YYYY-MM-DD "00:00+00"'));
    -- Of days that nobody has made a table for.
    CREATE TABLE events_default PARTITION OF events DEFAULT;
    PERFORM grant_alike(first::regclass, 'events'), grant_alike(first::regclass, 'events_default');
END
$$;
-- +goose StatementEnd
