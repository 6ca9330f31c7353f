-- +goose Up

-- Under which names a team makes contracts: set by users, or learned from its files. The
-- source is null as long as neither is so. Programs of the release before go by the name of an
-- organization only.
ALTER TABLE teams
    ADD COLUMN own_names text[] NOT NULL DEFAULT '{}',
    ADD COLUMN own_names_source text CHECK (own_names_source IN ('given', 'learned'));

-- A name without case, accents and punctuation, and between spaces: " acme & co ".
CREATE FUNCTION spelt(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ' ' || btrim(regexp_replace(replace(fold(name), '.', ''), U&'[\0001-\0025\0027-\002f\003a-\0040\005b-\0060\007b-\00bf\2000-\206f\3000-\3004]+', ' ', 'g')) || ' ';

-- The same without its legal form: "Acme, Inc." is Acme.
CREATE FUNCTION bare(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(spelt(name),
        '(?<=\S)( (inc|incorporated|corp|corporation|co|company|llc|llp|lllp|lp|ltd|limited|plc|pty|pte'
        || '|gmbh|gesellschaft mbh|gesellschaft mit beschrankter haftung|ag|kg|kgaa|ohg|ug|ug haftungsbeschrankt|se|sa|sas|sarl|sl|slu|spa|srl|nv|bv|oy|ab|as|aps|& co))+ $', ' ');

-- Whether a party of a contract is who calls itself own: by the whole name whatever the legal
-- form, or by the words that it begins with.
CREATE FUNCTION is_party(party text, own text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN spelt(own) <> '  ' AND (bare(party) = bare(own) OR starts_with(spelt(party), spelt(own)));
