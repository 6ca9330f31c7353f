-- +goose NO TRANSACTION
-- +goose Up

-- The values that a team's files have, once each, to be searched by their words: of a
-- hundred thousand files most say one of a few. A value may be there twice, where two
-- transactions added it at once: neither waits for the other.
CREATE TABLE IF NOT EXISTS attribute_values (
    team_id uuid NOT NULL,
    level   text NOT NULL,
    key     text COLLATE "C" NOT NULL,
    normal  text COLLATE "C" NOT NULL,
    folded  text COLLATE "C" NOT NULL
);

-- A value of a team is one text here: beside many small teams, an index that began with the
-- team would look as if it had few values of any, and all of a large one would be read.
CREATE INDEX IF NOT EXISTS attribute_values_normal ON attribute_values (((team_id::text || normal) COLLATE "C"));
CREATE INDEX IF NOT EXISTS attribute_values_folded ON attribute_values (((team_id::text || folded) COLLATE "C"));

-- What files lost, to be dropped where no other file has it.
CREATE TABLE IF NOT EXISTS attribute_values_lost (
    team_id uuid NOT NULL,
    levels  text[] NOT NULL,
    keys    text[] NOT NULL,
    normals text[] NOT NULL,
    foldeds text[] NOT NULL
);
CREATE INDEX IF NOT EXISTS attribute_values_lost_team ON attribute_values_lost (team_id);

-- Who gives a file a value shares this lock, so that nobody drops the value meanwhile.
CREATE OR REPLACE FUNCTION values_lock(team uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended('values:' || team, 0)
$$;

-- Whatever writes attributes is followed, the release before included. Nobody searches the
-- trash. Each value is looked up by itself, in the index, however few there were when the
-- statement was planned.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION add_attribute_values() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(values_lock(team_id)) FROM (SELECT DISTINCT team_id FROM new_rows ORDER BY team_id) teams;
    INSERT INTO attribute_values (team_id, level, key, normal, folded)
    SELECT n.* FROM (SELECT DISTINCT team_id, level, key, normal, folded FROM new_rows) n
    WHERE (
            SELECT true FROM attribute_values v
            WHERE (v.team_id::text || v.normal) COLLATE "C" = (n.team_id::text || n.normal) COLLATE "C"
                AND v.level = n.level AND v.key = n.key AND v.folded = n.folded LIMIT 1
        ) IS NULL
        AND (SELECT kind FROM teams t WHERE t.id = n.team_id) <> 'trash';
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION lose_attribute_values() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO attribute_values_lost (team_id, levels, keys, normals, foldeds)
    SELECT team_id, array_agg(level), array_agg(key), array_agg(normal), array_agg(folded)
    FROM (SELECT DISTINCT team_id, level, key, normal, folded FROM old_rows) o
    WHERE (SELECT kind FROM teams t WHERE t.id = o.team_id) <> 'trash' GROUP BY team_id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER attributes_valued AFTER INSERT ON attributes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION add_attribute_values();
CREATE OR REPLACE TRIGGER attributes_revalued AFTER UPDATE ON attributes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION add_attribute_values();
CREATE OR REPLACE TRIGGER attributes_unvalued AFTER UPDATE ON attributes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION lose_attribute_values();
CREATE OR REPLACE TRIGGER attributes_devalued AFTER DELETE ON attributes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION lose_attribute_values();

-- Those that are there.
INSERT INTO attribute_values (team_id, level, key, normal, folded)
SELECT a.team_id, a.level, a.key, a.normal, a.folded FROM attributes a JOIN teams t ON t.id = a.team_id AND t.kind <> 'trash'
EXCEPT SELECT team_id, level, key, normal, folded FROM attribute_values;

-- For the figures of this index see 0045.
CREATE INDEX IF NOT EXISTS attribute_values_trigrams ON attribute_values USING gin (team_id, (folded || ' ' || normal) gin_trgm_ops) WITH (gin_pending_list_limit = 512);
ALTER INDEX attribute_values_trigrams ALTER COLUMN 2 SET STATISTICS 1;
ANALYZE attribute_values;

-- Nothing else looked attributes up by their words, and each one was written to three indexes for it.
DROP INDEX CONCURRENTLY IF EXISTS attributes_trigrams;
DROP INDEX CONCURRENTLY IF EXISTS attributes_normal;
DROP INDEX CONCURRENTLY IF EXISTS attributes_folded;
