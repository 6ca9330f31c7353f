-- +goose NO TRANSACTION
-- +goose Up

-- Texts are searched by the stems of their language, and phrases with the words of
-- grammar in them: "as is" has no others. So each of the six languages has a
-- dictionary that leaves no word out.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_ts_config WHERE cfgname = 'stems_en') THEN
        RETURN; -- this migration was interrupted
    END IF;
    CREATE TEXT SEARCH DICTIONARY stems_en (TEMPLATE = snowball, LANGUAGE = english);
    CREATE TEXT SEARCH DICTIONARY stems_de (TEMPLATE = snowball, LANGUAGE = german);
    CREATE TEXT SEARCH DICTIONARY stems_es (TEMPLATE = snowball, LANGUAGE = spanish);
    CREATE TEXT SEARCH DICTIONARY stems_fr (TEMPLATE = snowball, LANGUAGE = french);
    CREATE TEXT SEARCH DICTIONARY stems_it (TEMPLATE = snowball, LANGUAGE = italian);
    CREATE TEXT SEARCH DICTIONARY stems_nl (TEMPLATE = snowball, LANGUAGE = dutch);
    CREATE TEXT SEARCH CONFIGURATION stems_en (COPY = pg_catalog.english);
    CREATE TEXT SEARCH CONFIGURATION stems_de (COPY = pg_catalog.english);
    CREATE TEXT SEARCH CONFIGURATION stems_es (COPY = pg_catalog.english);
    CREATE TEXT SEARCH CONFIGURATION stems_fr (COPY = pg_catalog.english);
    CREATE TEXT SEARCH CONFIGURATION stems_it (COPY = pg_catalog.english);
    CREATE TEXT SEARCH CONFIGURATION stems_nl (COPY = pg_catalog.english);
    ALTER TEXT SEARCH CONFIGURATION stems_en ALTER MAPPING REPLACE english_stem WITH stems_en;
    ALTER TEXT SEARCH CONFIGURATION stems_de ALTER MAPPING REPLACE english_stem WITH stems_de;
    ALTER TEXT SEARCH CONFIGURATION stems_es ALTER MAPPING REPLACE english_stem WITH stems_es;
    ALTER TEXT SEARCH CONFIGURATION stems_fr ALTER MAPPING REPLACE english_stem WITH stems_fr;
    ALTER TEXT SEARCH CONFIGURATION stems_it ALTER MAPPING REPLACE english_stem WITH stems_it;
    ALTER TEXT SEARCH CONFIGURATION stems_nl ALTER MAPPING REPLACE english_stem WITH stems_nl;
END
$$;
-- +goose StatementEnd

-- How texts of a language are stemmed, those of others as English.
CREATE OR REPLACE FUNCTION stemming(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE language
        WHEN 'de' THEN 'stems_de'::regconfig WHEN 'es' THEN 'stems_es'::regconfig WHEN 'fr' THEN 'stems_fr'::regconfig
        WHEN 'it' THEN 'stems_it'::regconfig WHEN 'nl' THEN 'stems_nl'::regconfig ELSE 'stems_en'::regconfig END;

-- Whether a word is one of the grammar of a language.
CREATE OR REPLACE FUNCTION grammatical(language text, word text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ts_lexize(CASE language
        WHEN 'de' THEN 'german_stem'::regdictionary WHEN 'es' THEN 'spanish_stem'::regdictionary WHEN 'fr' THEN 'french_stem'::regdictionary
        WHEN 'it' THEN 'italian_stem'::regdictionary WHEN 'nl' THEN 'dutch_stem'::regdictionary ELSE 'english_stem'::regdictionary END, word) = '{}';

-- The stems of a text in their order: what a search engine beside Postgres is told.
-- What only says where a text belongs has no place in it.
CREATE OR REPLACE FUNCTION in_order(tsvector) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT coalesce(string_agg(l.lexeme, ' ' ORDER BY at), '') FROM unnest($1) l, unnest(l.positions) at);

-- A computed column cannot be computed in another way but by writing the whole table anew,
-- and nobody could read it meanwhile: minutes for a million sentences. So the vector becomes
-- a column that a trigger fills in, which only changes the catalogue, and the rows that are
-- there are stemmed in batches that hold no more than their own rows. Those that have no
-- language yet are still to be stemmed. The trigger is one for rows that are copied, too
-- (session_replication_role).
--
-- Programs of the release before go on with what is then there: the places and the stems of
-- English are as they were. The texts that they save are stemmed as English, until the new
-- release mends that.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stem_sentence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.vector := to_tsvector(stemming(coalesce(NEW.language, '')), searchable(NEW.text))
        || array_to_tsvector(ARRAY['team=' || NEW.team_id::text,
            'at=' || left(NEW.file_id::text, 4), 'at=' || left(NEW.file_id::text, 5), 'at=' || left(NEW.file_id::text, 6),
            'at=' || left(NEW.file_id::text, 7), 'at=' || left(NEW.file_id::text, 8)]);
    RETURN NEW;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'sentences'::regclass AND attname = 'language' AND NOT attisdropped) THEN
        RETURN;
    END IF;
    ALTER TABLE sentences ALTER COLUMN vector DROP EXPRESSION, ADD COLUMN language text;
    ALTER TABLE sentences ALTER COLUMN language SET DEFAULT '';
    CREATE TRIGGER sentences_stemmed BEFORE INSERT OR UPDATE OF language, text, team_id, file_id ON sentences
        FOR EACH ROW EXECUTE FUNCTION stem_sentence();
    ALTER TABLE sentences ENABLE ALWAYS TRIGGER sentences_stemmed;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
DO $$
DECLARE
    -- Less than a second each: somebody who decides on one of these rows waits for that long.
    most constant int := 500;
    last uuid := '00000000-0000-0000-0000-000000000000';
    next uuid;
BEGIN
    LOOP
        next := (SELECT id FROM (SELECT id FROM sentences WHERE id > last ORDER BY id LIMIT most) s ORDER BY id DESC LIMIT 1);
        EXIT WHEN next IS NULL;
        BEGIN
            UPDATE sentences s SET language = CASE WHEN f.language IN ('de', 'es', 'fr', 'it', 'nl') THEN f.language ELSE '' END
            FROM files f WHERE f.id = s.file_id AND s.id > last AND s.id <= next AND s.language IS NULL;
            last := next;
        EXCEPTION WHEN deadlock_detected THEN
            NULL; -- with somebody who decides on several: these rows once more
        END;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- That no row is without a language is found out while the table is read and written.
ALTER TABLE sentences DROP CONSTRAINT IF EXISTS sentences_language;
ALTER TABLE sentences ADD CONSTRAINT sentences_language CHECK (language IS NOT NULL) NOT VALID;
ALTER TABLE sentences VALIDATE CONSTRAINT sentences_language;
ALTER TABLE sentences ALTER COLUMN language SET NOT NULL;
ALTER TABLE sentences DROP CONSTRAINT sentences_language;

-- Names are few: this table is written anew within a second.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
            WHERE d.adrelid = 'files'::regclass AND a.attname = 'vector' AND pg_get_expr(d.adbin, d.adrelid) LIKE '%stems_en%') THEN
        RETURN;
    END IF;
    ALTER TABLE files DROP COLUMN vector;
    ALTER TABLE files ADD COLUMN vector tsvector GENERATED ALWAYS AS (
        to_tsvector('stems_en'::regconfig, searchable(name))
        || array_to_tsvector(ARRAY['team=' || team_id::text])
    ) STORED;
    CREATE INDEX files_vector ON files USING gin (vector);
END
$$;
-- +goose StatementEnd

-- In which languages a team has texts beside English.
DROP INDEX CONCURRENTLY IF EXISTS files_language;
CREATE INDEX CONCURRENTLY files_language ON files (team_id, language) WHERE language IN ('de', 'es', 'fr', 'it', 'nl');

-- What the rows were before is free to be written, and how common the words are is known.
VACUUM (ANALYZE, TRUNCATE false) sentences;
ANALYZE files;
