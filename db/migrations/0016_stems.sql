-- +goose Up

-- Texts are searched by the stems of their language, and phrases with the words of
-- grammar in them: "as is" has no others. So each of the six languages has a
-- dictionary that leaves no word out.
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

-- How texts of a language are stemmed, those of others as English.
CREATE FUNCTION stemming(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE language
        WHEN 'de' THEN 'stems_de'::regconfig WHEN 'es' THEN 'stems_es'::regconfig WHEN 'fr' THEN 'stems_fr'::regconfig
        WHEN 'it' THEN 'stems_it'::regconfig WHEN 'nl' THEN 'stems_nl'::regconfig ELSE 'stems_en'::regconfig END;

-- Whether a word is one of the grammar of a language.
CREATE FUNCTION grammatical(language text, word text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ts_lexize(CASE language
        WHEN 'de' THEN 'german_stem'::regdictionary WHEN 'es' THEN 'spanish_stem'::regdictionary WHEN 'fr' THEN 'french_stem'::regdictionary
        WHEN 'it' THEN 'italian_stem'::regdictionary WHEN 'nl' THEN 'dutch_stem'::regdictionary ELSE 'english_stem'::regdictionary END, word) = '{}';

-- The stems of a text in their order: what a search engine beside Postgres is told.
-- What only says where a text belongs has no place in it.
CREATE FUNCTION in_order(tsvector) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT coalesce(string_agg(l.lexeme, ' ' ORDER BY at), '') FROM unnest($1) l, unnest(l.positions) at);

-- The table is written anew, and nobody reads it meanwhile: the old one and the new one
-- are both on disk. Rows in other languages than English are written twice. Programs of
-- the release before go on with what is then there: the places and the stems of English
-- are as they were. The texts that they save are stemmed as English, until the new
-- release mends that.
ALTER TABLE sentences DROP COLUMN vector, ADD COLUMN language text NOT NULL DEFAULT '';
UPDATE sentences s SET language = f.language FROM files f WHERE f.id = s.file_id AND f.language IN ('de', 'es', 'fr', 'it', 'nl');
ALTER TABLE sentences ADD COLUMN vector tsvector GENERATED ALWAYS AS (
    to_tsvector(stemming(language), searchable(text))
    || array_to_tsvector(ARRAY['team=' || team_id::text,
        'at=' || left(file_id::text, 4), 'at=' || left(file_id::text, 5), 'at=' || left(file_id::text, 6),
        'at=' || left(file_id::text, 7), 'at=' || left(file_id::text, 8)])
) STORED;
CREATE INDEX sentences_vector ON sentences USING gin (vector);

ALTER TABLE files DROP COLUMN vector;
ALTER TABLE files ADD COLUMN vector tsvector GENERATED ALWAYS AS (
    to_tsvector('stems_en'::regconfig, searchable(name))
    || array_to_tsvector(ARRAY['team=' || team_id::text])
) STORED;
CREATE INDEX files_vector ON files USING gin (vector);

-- In which languages a team has texts beside English.
CREATE INDEX files_language ON files (team_id, language) WHERE language IN ('de', 'es', 'fr', 'it', 'nl');

-- How common the words are.
ANALYZE sentences;
ANALYZE files;
