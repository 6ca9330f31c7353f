-- +goose NO TRANSACTION
-- +goose Up

-- How many sentences of a team have each label, so that nobody has to read them for
-- that. Changes are appended by whoever makes them and folded in by one job at a time:
-- files that finish together never wait for one another. The figures are both together.
CREATE TABLE IF NOT EXISTS label_counts (
    team_id   uuid NOT NULL,
    label     text NOT NULL,   -- '' for sentences without one
    sentences bigint NOT NULL, -- that have it
    firsts    bigint NOT NULL, -- of which it is the first: each sentence counts once
    PRIMARY KEY (team_id, label)
);

CREATE TABLE IF NOT EXISTS label_changes (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id   uuid NOT NULL,
    labels    text[] NOT NULL,
    sentences int[] NOT NULL, -- more than before, or fewer, of each label
    firsts    int[] NOT NULL
);
CREATE INDEX IF NOT EXISTS label_changes_team ON label_changes (team_id);

-- What one sentence counts for.
CREATE OR REPLACE FUNCTION labels_counted(label text, labels jsonb, OUT counted text, OUT sentences int, OUT firsts int) RETURNS SETOF record
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce($1, ''), ($2 IS NULL)::int, 1
    UNION ALL SELECT unnest(CASE label_nodes($2) WHEN '{}' THEN '{""}' ELSE label_nodes($2) END), 1, 0
$$;

-- Whatever writes sentences is counted, the release before included, and what moves them
-- to another team as the trash does.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO label_changes (team_id, labels, sentences, firsts)
        SELECT team_id, array_agg(counted), array_agg(sentences), array_agg(firsts) FROM (
            SELECT team_id, counted, sum(c.sentences) AS sentences, sum(c.firsts) AS firsts
            FROM new_rows s CROSS JOIN labels_counted(s.label, s.labels) c GROUP BY team_id, counted
        ) x GROUP BY team_id;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO label_changes (team_id, labels, sentences, firsts)
        SELECT team_id, array_agg(counted), array_agg(-sentences), array_agg(-firsts) FROM (
            SELECT team_id, counted, sum(c.sentences) AS sentences, sum(c.firsts) AS firsts
            FROM old_rows s CROSS JOIN labels_counted(s.label, s.labels) c GROUP BY team_id, counted
        ) x GROUP BY team_id;
    ELSE
        INSERT INTO label_changes (team_id, labels, sentences, firsts)
        SELECT team_id, array_agg(counted), array_agg(sentences), array_agg(firsts) FROM (
            SELECT team_id, counted, sum(sign * c.sentences) AS sentences, sum(sign * c.firsts) AS firsts
            FROM (
                SELECT 1 AS sign, team_id, label, labels FROM new_rows
                UNION ALL SELECT -1, team_id, label, labels FROM old_rows
            ) s CROSS JOIN labels_counted(s.label, s.labels) c
            GROUP BY team_id, counted HAVING sum(sign * c.sentences) <> 0 OR sum(sign * c.firsts) <> 0
        ) x GROUP BY team_id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER sentences_counted AFTER INSERT ON sentences REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_labels();
CREATE OR REPLACE TRIGGER sentences_uncounted AFTER DELETE ON sentences REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_labels();
CREATE OR REPLACE TRIGGER sentences_recounted AFTER UPDATE ON sentences REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_labels();

-- Those that are there. A statement sees either both a sentence and its change, or neither.
WITH seen AS (
    DELETE FROM label_changes
)
INSERT INTO label_counts (team_id, label, sentences, firsts)
SELECT team_id, counted, sum(n * c.sentences), sum(n * c.firsts)
FROM (SELECT team_id, label, labels, count(*) AS n FROM sentences GROUP BY team_id, label, labels) s CROSS JOIN labels_counted(s.label, s.labels) c
GROUP BY team_id, counted
ON CONFLICT (team_id, label) DO UPDATE SET sentences = excluded.sentences, firsts = excluded.firsts;

-- How many files a team has in a matter, of a type and from a source, kept in the same way.
CREATE TABLE IF NOT EXISTS file_counts (
    team_id              uuid NOT NULL,
    matter_id            uuid,
    document_type_id     uuid,
    document_type_source text,
    source               text NOT NULL,
    files                int NOT NULL,
    UNIQUE NULLS NOT DISTINCT (team_id, matter_id, document_type_id, document_type_source, source)
);

CREATE TABLE IF NOT EXISTS file_count_changes (
    team_id              uuid NOT NULL,
    matter_id            uuid,
    document_type_id     uuid,
    document_type_source text,
    source               text NOT NULL,
    files                int NOT NULL CHECK (files IN (-1, 1))
);
CREATE INDEX IF NOT EXISTS file_count_changes_team ON file_count_changes (team_id);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO file_count_changes (team_id, matter_id, document_type_id, document_type_source, source, files)
        VALUES (OLD.team_id, OLD.matter_id, OLD.document_type_id, OLD.document_type_source, OLD.source, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO file_count_changes (team_id, matter_id, document_type_id, document_type_source, source, files)
        VALUES (NEW.team_id, NEW.matter_id, NEW.document_type_id, NEW.document_type_source, NEW.source, 1);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER files_counted AFTER INSERT OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION count_file();
CREATE OR REPLACE TRIGGER files_recounted AFTER UPDATE ON files FOR EACH ROW
    WHEN ((OLD.team_id, OLD.matter_id, OLD.document_type_id, OLD.document_type_source, OLD.source)
        IS DISTINCT FROM (NEW.team_id, NEW.matter_id, NEW.document_type_id, NEW.document_type_source, NEW.source))
    EXECUTE FUNCTION count_file();

WITH seen AS (
    DELETE FROM file_count_changes
)
INSERT INTO file_counts (team_id, matter_id, document_type_id, document_type_source, source, files)
SELECT team_id, matter_id, document_type_id, document_type_source, source, count(*) FROM files GROUP BY 1, 2, 3, 4, 5
ON CONFLICT (team_id, matter_id, document_type_id, document_type_source, source) DO UPDATE SET files = excluded.files;
