-- +goose NO TRANSACTION
-- +goose Up

-- How many files name whom, kept as file_counts are. A facet is a field of files (party,
-- counterparty), or one of files in matters (parties, counterparties), which have the names
-- of their matter, too. The figures of the value '' are of files that name anybody.
CREATE TABLE IF NOT EXISTS name_counts (
    team_id uuid NOT NULL,
    facet   text NOT NULL,
    value   text NOT NULL, -- the name when folded
    name    text NOT NULL, -- as it is spelled, 200 characters of it at most
    files   int NOT NULL,  -- that spell it so
    firsts  int NOT NULL,  -- of which it is the first spelling of the value: each file counts once
    PRIMARY KEY (team_id, facet, value, name)
);

CREATE TABLE IF NOT EXISTS name_changes (
    team_id uuid NOT NULL,
    facets  text[] NOT NULL,
    vals    text[] NOT NULL,
    names   text[] NOT NULL,
    files   int[] NOT NULL, -- more than before, or fewer
    firsts  int[] NOT NULL
);
CREATE INDEX IF NOT EXISTS name_changes_team ON name_changes (team_id);

CREATE OR REPLACE FUNCTION party_names(parties jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_agg(p ->> 'name') FROM jsonb_array_elements(parties) p
$$;

-- What a list of names counts for in a facet.
CREATE OR REPLACE FUNCTION names_counted(of_facet text, names text[], OUT facet text, OUT value text, OUT name text, OUT files int, OUT firsts int)
    RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH spelled AS (
        SELECT DISTINCT fold(n) AS value, left(n, 200) AS name FROM unnest(names) n
    ), valued AS (
        SELECT value, name, (row_number() OVER (PARTITION BY value ORDER BY name COLLATE "C") = 1)::int AS first FROM spelled WHERE value <> ''
    )
    SELECT of_facet, value, name, 1, first FROM valued
    UNION ALL SELECT of_facet, '', '', 1, 1 WHERE EXISTS (SELECT FROM valued)
$$;

-- What a file counts for, in a matter with these names. Without a matter they are null.
CREATE OR REPLACE FUNCTION file_names_counted(parties jsonb, counterparties text[], matter_parties jsonb, matter_counterparties text[],
    OUT facet text, OUT value text, OUT name text, OUT files int, OUT firsts int) RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT c.* FROM (VALUES
        ('party', party_names(parties)), ('counterparty', counterparties),
        ('parties', party_names(parties || matter_parties)), ('counterparties', counterparties || matter_counterparties)
    ) v (facet, names) CROSS JOIN names_counted(v.facet, v.names) c WHERE v.names <> '{}' AND (matter_parties IS NOT NULL OR v.facet IN ('party', 'counterparty'))
$$;

-- Who changes the names of a matter, and who changes files in it, wait for each other: each
-- counts what the other has done. It is no lock of the matter's row, which others hold while
-- they wait for its files.
CREATE OR REPLACE FUNCTION names_lock(matter uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended('names:' || matter, 0)
$$;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was matters;
    now matters;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(names_lock(matter)) FROM (
        SELECT DISTINCT matter FROM unnest(ARRAY[OLD.matter_id, NEW.matter_id]) matter WHERE matter IS NOT NULL ORDER BY 1
    ) matters;
    SELECT * INTO was FROM matters WHERE id = OLD.matter_id;
    SELECT * INTO now FROM matters WHERE id = NEW.matter_id;
    INSERT INTO name_changes (team_id, facets, vals, names, files, firsts)
    SELECT team_id, array_agg(facet), array_agg(value), array_agg(name), array_agg(files), array_agg(firsts) FROM (
        SELECT team_id, facet, value, name, sum(sign * c.files) AS files, sum(sign * c.firsts) AS firsts FROM (
            SELECT -1 AS sign, OLD.team_id AS team_id, c.* FROM file_names_counted(OLD.parties, OLD.counterparties, was.parties, was.counterparties) c
            UNION ALL
            SELECT 1, NEW.team_id, c.* FROM file_names_counted(NEW.parties, NEW.counterparties, now.parties, now.counterparties) c
        ) c GROUP BY team_id, facet, value, name HAVING sum(sign * c.files) <> 0 OR sum(sign * c.firsts) <> 0
    ) x GROUP BY team_id;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION count_names_of_matter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(names_lock(NEW.id));
    INSERT INTO name_changes (team_id, facets, vals, names, files, firsts)
    SELECT team_id, array_agg(facet), array_agg(value), array_agg(name), array_agg(files), array_agg(firsts) FROM (
        SELECT team_id, facet, value, name, sum(sign * c.files) AS files, sum(sign * c.firsts) AS firsts FROM (
            SELECT f.team_id, m.sign, c.* FROM files f
            CROSS JOIN (VALUES (-1, OLD.parties, OLD.counterparties), (1, NEW.parties, NEW.counterparties)) m (sign, parties, counterparties)
            CROSS JOIN file_names_counted(f.parties, f.counterparties, m.parties, m.counterparties) c
            WHERE f.matter_id = NEW.id
        ) c GROUP BY team_id, facet, value, name HAVING sum(sign * c.files) <> 0 OR sum(sign * c.firsts) <> 0
    ) x GROUP BY team_id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER files_named AFTER INSERT ON files FOR EACH ROW
    WHEN (NEW.matter_id IS NOT NULL OR NEW.parties <> '[]' OR NEW.counterparties <> '{}') EXECUTE FUNCTION count_names();
CREATE OR REPLACE TRIGGER files_unnamed AFTER DELETE ON files FOR EACH ROW
    WHEN (OLD.matter_id IS NOT NULL OR OLD.parties <> '[]' OR OLD.counterparties <> '{}') EXECUTE FUNCTION count_names();
CREATE OR REPLACE TRIGGER files_renamed AFTER UPDATE ON files FOR EACH ROW
    WHEN ((OLD.team_id, OLD.matter_id, OLD.parties, OLD.counterparties) IS DISTINCT FROM (NEW.team_id, NEW.matter_id, NEW.parties, NEW.counterparties))
    EXECUTE FUNCTION count_names();
CREATE OR REPLACE TRIGGER matters_renamed AFTER UPDATE ON matters FOR EACH ROW
    WHEN ((OLD.parties, OLD.counterparties) IS DISTINCT FROM (NEW.parties, NEW.counterparties))
    EXECUTE FUNCTION count_names_of_matter();

-- Those that are there: files of a matter that name the same are counted together.
WITH seen AS (
    DELETE FROM name_changes
), alike AS (
    SELECT team_id, matter_id, parties, counterparties, count(*) AS n FROM files
    WHERE matter_id IS NOT NULL OR parties <> '[]' OR counterparties <> '{}' GROUP BY 1, 2, 3, 4
)
INSERT INTO name_counts (team_id, facet, value, name, files, firsts)
SELECT a.team_id, c.facet, c.value, c.name, sum(a.n * c.files), sum(a.n * c.firsts)
FROM alike a LEFT JOIN matters m ON m.id = a.matter_id CROSS JOIN file_names_counted(a.parties, a.counterparties, m.parties, m.counterparties) c
GROUP BY 1, 2, 3, 4
ON CONFLICT (team_id, facet, value, name) DO UPDATE SET files = excluded.files, firsts = excluded.firsts;
