-- +goose Up

-- The schema of release 0.1.0. Every table that holds a team's rows carries
-- team_id, so that every query can be scoped without a join. River's tables are
-- made before, by its own migrations.
--
--     Texts and ids            functions that columns and indexes are made of
--     Who may ask              teams, people, keys, sessions, flags
--     Types and matters        document types, matters
--     Files                    files and their attempts
--     Texts                    pages, documents, blocks, sections, sentences
--     Words                    what is counted of texts, for searching
--     Meanings                 labels, attributes, models
--     Files of a type          what they say together, and which are alike
--     Changes                  what people propose to change in documents
--     Around the documents     assignments, chats, categories, dashboards
--     What happens             events, audit, notifications, webhooks
--     Work under way           operations, workers, the queue


--
-- Texts and ids
--

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- An index that has the trigrams of a value beside its team answers for one team
-- without reading what the others have.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Ids made in the database sort by time like those made outside: UUIDv7.
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN encode(set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        52, 1), 53, 1), 'hex')::uuid;

-- A text without the accents on its letters, whether they are of one character
-- with them or not. What has nothing beyond Latin-1 signs and punctuation can have
-- none, and is not taken apart.
CREATE FUNCTION unaccented(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN $1 !~ U&'[^\0001-\00bf\2002-\206f]' THEN $1
        ELSE normalize(regexp_replace(normalize($1, NFD), U&'[\0300-\036f\1ab0-\1aff\1dc0-\1dff\20d0-\20ff\fe20-\fe2f]', '', 'g')) END;

-- What full text search reads of a text. Postgres would take Exhibit/Schedule
-- for a path, agreement.The for a host and <b> for markup, and nobody would find
-- the words in them; so whatever can glue words together becomes a space.
CREATE FUNCTION searchable(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(unaccented($1), '[./\\_@:&?=~+<>%#-]', ' ', 'g');

-- What two sentences have in common that differ in nothing but case, spaces and
-- punctuation.
CREATE FUNCTION wording(text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN md5(btrim(regexp_replace(lower($1), '[^[:alnum:]]+', ' ', 'g')))::uuid;

-- One of the ways in which a value can be written: small letters without
-- accents, single spaces.
CREATE FUNCTION fold(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(normalize(lower(btrim(regexp_replace(unaccented(normalize($1, NFKC)), '\s+', ' ', 'g')))), 200);

-- The first day that a date cut to what is known may mean: 2020 is 2020-01-01.
-- A day that its month does not have runs on into the next one.
CREATE FUNCTION day(text) RETURNS date LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN $1 ~ '^(?!0000)\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$' THEN
        make_date(left($1, 4)::int, coalesce(nullif(substr($1, 6, 2), ''), '1')::int, 1) + (coalesce(nullif(substr($1, 9, 2), ''), '1')::int - 1)
    END;

-- The number in a normalised value: of money its amount, of a duration its days.
-- A month is a twelfth of a year, so that twelve months are as long as one year.
CREATE FUNCTION magnitude(text) RETURNS numeric LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE
        WHEN $1 ~ '^\d{1,30}(\.\d{1,10})?( [a-z]{3})?$' THEN split_part($1, ' ', 1)::numeric
        WHEN $1 ~ '^p\d{1,9}[dwmy]$' THEN trim_scale(round(substr($1, 2, length($1) - 2)::numeric * CASE right($1, 1) WHEN 'd' THEN 12 WHEN 'w' THEN 84 WHEN 'm' THEN 365 ELSE 4380 END / 12, 2))
    END;

-- The parties of a file after a change: those that replace them, or they
-- themselves; without those to be removed; and those to be added that are not
-- there yet.
CREATE FUNCTION changed_parties(parties jsonb, replace jsonb, remove jsonb, add jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH kept AS (
        SELECT party, place FROM jsonb_array_elements(coalesce(replace, parties)) WITH ORDINALITY AS p(party, place)
        WHERE NOT EXISTS (
            SELECT FROM jsonb_array_elements(remove) r
            WHERE lower(r ->> 'name') = lower(party ->> 'name')
                AND lower(coalesce(r ->> 'role', '')) IN ('', lower(coalesce(party ->> 'role', ''))))
    ), added AS (
        SELECT DISTINCT ON (lower(party ->> 'name'), lower(party ->> 'role')) party, place
        FROM jsonb_array_elements(add) WITH ORDINALITY AS p(party, place)
        WHERE NOT EXISTS (
            SELECT FROM kept
            WHERE lower(kept.party ->> 'name') = lower(p.party ->> 'name')
                AND lower(coalesce(kept.party ->> 'role', '')) = lower(coalesce(p.party ->> 'role', '')))
        ORDER BY lower(party ->> 'name'), lower(party ->> 'role'), place
    )
    SELECT coalesce(jsonb_agg(party ORDER BY origin, place), '[]')
    FROM (SELECT 1 AS origin, party, place FROM kept UNION ALL SELECT 2, party, place FROM added) all_of_them
$$;


--
-- Who may ask
--
-- People, teams, keys and sessions. Secrets are stored as SHA-256 only; 256
-- random bits need no slow hash.
--

-- The external name is that by which the identity provider or the operator knows
-- an organization. Those that users make have none, so naming one like another
-- leads nobody into it.
CREATE TABLE teams (
    id            uuid PRIMARY KEY,
    kind          text NOT NULL CHECK (kind IN ('personal', 'organization')),
    name          text NOT NULL CHECK (name <> ''),
    external_name text,
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX teams_external_name ON teams (external_name);

CREATE TABLE team_icons (
    team_id    uuid PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
    png        bytea NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
    id               uuid PRIMARY KEY,
    email            text NOT NULL,
    name             text NOT NULL DEFAULT '',
    personal_team_id uuid NOT NULL REFERENCES teams,
    current_team_id  uuid REFERENCES teams ON DELETE SET NULL, -- that the user chose last
    created_at       timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX users_email ON users (lower(email));

-- What an address is worth differs between providers and over time: a user is
-- known by the provider's own name for the account.
CREATE TABLE identities (
    issuer     text NOT NULL,
    subject    text NOT NULL,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

CREATE TABLE members (
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role       text NOT NULL CHECK (role IN ('admin', 'member')),
    by_claim   boolean NOT NULL DEFAULT false, -- ends when the claim does
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, user_id)
);

CREATE INDEX members_user ON members (user_id);

CREATE TABLE invitations (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    email      text NOT NULL,
    role       text NOT NULL CHECK (role IN ('admin', 'member')),
    hash       bytea NOT NULL UNIQUE, -- of the token, which is shown once
    invited_by uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX invitations_team ON invitations (team_id, lower(email));

-- A user key acts as its user in the personal team; an organization key acts
-- for the organization and has no user.
CREATE TABLE api_keys (
    id           uuid PRIMARY KEY,
    kind         text NOT NULL CHECK (kind IN ('user', 'organization')),
    team_id      uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id      uuid REFERENCES users ON DELETE CASCADE,
    name         text NOT NULL CHECK (name <> ''),
    hash         bytea NOT NULL UNIQUE,
    hint         text NOT NULL, -- the last characters, to tell keys apart in a list
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    CHECK ((kind = 'user') = (user_id IS NOT NULL))
);

CREATE INDEX api_keys_team ON api_keys (team_id);
CREATE INDEX api_keys_user ON api_keys (user_id);

CREATE TABLE sessions (
    hash       bytea PRIMARY KEY,
    id         uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_team ON sessions (team_id, user_id);

-- Counts of key requests. Losing it in a crash costs nobody more than a fresh
-- window, so it is not logged.
CREATE UNLOGGED TABLE rate_limits (
    subject      text PRIMARY KEY,
    window_start timestamptz NOT NULL,
    used         int NOT NULL
);

-- The first answer to a creating request of somebody, kept for a day.
CREATE TABLE idempotency_keys (
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    actor_id   uuid NOT NULL,
    key        text NOT NULL,
    operation  text NOT NULL,
    body_hash  bytea NOT NULL,
    response   jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, actor_id, operation, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE feature_flags (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key         text NOT NULL,
    description text NOT NULL DEFAULT '',
    enabled     boolean NOT NULL DEFAULT false,
    version     int NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, key)
);

CREATE TABLE flag_conditions (
    id        uuid PRIMARY KEY,
    flag_id   uuid NOT NULL REFERENCES feature_flags ON DELETE CASCADE,
    attribute text NOT NULL,
    operator  text NOT NULL,
    values    text[] NOT NULL,
    rollout   real NOT NULL CHECK (rollout BETWEEN 0 AND 100) -- percent of the subjects that match
);

CREATE INDEX flag_conditions_flag ON flag_conditions (flag_id, id);


--
-- Types and matters
--

CREATE TABLE document_types (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key         text, -- of the base model; none where the team made the type
    name        text NOT NULL CHECK (name <> ''),
    description text NOT NULL DEFAULT '',
    seen_state  text,        -- of its corpus, when it was last looked whether an analysis is due
    stale_since timestamptz, -- when it was first seen to be another than the analysed one; null where it is not
    version     int NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX document_types_name ON document_types (team_id, lower(name));
CREATE UNIQUE INDEX document_types_key ON document_types (team_id, key) WHERE key IS NOT NULL;

-- The types that every team has from the start are those of the base model. A
-- team may rename and delete them; the key says what the model means.
CREATE TABLE base_document_types (
    key         text PRIMARY KEY,
    name        text NOT NULL,
    description text NOT NULL
);

INSERT INTO base_document_types (key, name, description) VALUES
    ('affiliate', 'Affiliate', 'One party sends customers or traffic to the other and is paid for it.'),
    ('agency', 'Agency', 'One party acts for the other towards third parties.'),
    ('co_branding', 'Co-Branding', 'Products or sites appear under the brands of both parties.'),
    ('collaboration', 'Collaboration', 'The parties do research or business together and share what comes of it.'),
    ('consulting', 'Consulting', 'One party advises the other.'),
    ('development', 'Development', 'One party develops a product, software or property for the other, or both do.'),
    ('distributor', 'Distributor', 'One party sells the goods of the other in its own name.'),
    ('endorsement', 'Endorsement', 'A person of note lends name and image to a product.'),
    ('franchise', 'Franchise', 'One party runs a business by the system and under the brand of the other.'),
    ('hosting', 'Hosting', 'One party runs sites or software of the other on its machines.'),
    ('ip', 'IP', 'Intellectual property is assigned, shared or settled.'),
    ('joint_venture', 'Joint Venture', 'The parties found or hold a business together.'),
    ('license', 'License', 'One party may use software, marks, patents or content of the other.'),
    ('maintenance', 'Maintenance', 'One party keeps systems or equipment of the other in working order.'),
    ('manufacturing', 'Manufacturing', 'One party makes products for the other.'),
    ('marketing', 'Marketing', 'One party markets what the other offers.'),
    ('non_compete', 'Non-Compete', 'A party binds itself not to compete or not to solicit.'),
    ('outsourcing', 'Outsourcing', 'One party takes over functions of the other''s business.'),
    ('promotion', 'Promotion', 'The parties promote a product or a site.'),
    ('reseller', 'Reseller', 'One party resells software or services of the other.'),
    ('service', 'Service', 'One party renders services to the other.'),
    ('sponsorship', 'Sponsorship', 'One party pays to be named with an event, a team or a site of the other.'),
    ('strategic_alliance', 'Strategic Alliance', 'The parties cooperate for long, each with its own business.'),
    ('supply', 'Supply', 'One party supplies goods to the other.'),
    ('transportation', 'Transportation', 'One party carries goods, gas or oil for the other.');

-- +goose StatementBegin
CREATE FUNCTION add_base_document_types(team uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO document_types (id, team_id, key, name, description)
    SELECT gen_random_uuid(), team, key, name, description FROM base_document_types
    ON CONFLICT DO NOTHING
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION equip_team() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_base_document_types(NEW.id);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER teams_document_types AFTER INSERT ON teams FOR EACH ROW EXECUTE FUNCTION equip_team();

CREATE TABLE matters (
    id             uuid PRIMARY KEY,
    team_id        uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    name           text NOT NULL CHECK (name <> ''),
    description    text NOT NULL DEFAULT '',
    stage          text NOT NULL DEFAULT 'intake' CHECK (stage IN
                   ('intake', 'drafting', 'review', 'negotiation', 'approval', 'signature', 'closed')),
    status         text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'on_hold', 'closed', 'cancelled')),
    source         text NOT NULL DEFAULT '',
    parties        jsonb NOT NULL DEFAULT '[]',
    counterparties text[] NOT NULL DEFAULT '{}',
    owner_id       uuid REFERENCES users ON DELETE SET NULL,
    due_at         timestamptz,
    version        int NOT NULL DEFAULT 1,
    created_by     uuid REFERENCES users ON DELETE SET NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX matters_list ON matters (team_id, id DESC);
CREATE INDEX matters_name ON matters (team_id, lower(name), id);
CREATE INDEX matters_due ON matters (team_id, coalesce(due_at, 'infinity'), id) WHERE status IN ('open', 'on_hold');

-- The types of documents that a matter is about.
CREATE TABLE matter_document_types (
    matter_id        uuid NOT NULL REFERENCES matters ON DELETE CASCADE,
    document_type_id uuid NOT NULL REFERENCES document_types ON DELETE CASCADE,
    PRIMARY KEY (matter_id, document_type_id)
);

CREATE INDEX matter_document_types_type ON matter_document_types (document_type_id);


--
-- Files
--

-- Rows change status and progress several times in a short life; room on the
-- page (fillfactor) keeps those updates off the indexes.
CREATE TABLE files (
    id                   uuid PRIMARY KEY,
    team_id              uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    name                 text NOT NULL CHECK (name <> ''),
    kind                 text NOT NULL DEFAULT '', -- document.Kind, once sniffed
    content_type         text NOT NULL DEFAULT 'application/octet-stream',
    size                 bigint NOT NULL,
    sha256               bytea NOT NULL,
    source               text NOT NULL DEFAULT 'upload',
    document_type_id     uuid REFERENCES document_types ON DELETE SET NULL,
    document_type_source text CHECK (document_type_source IN ('predicted', 'assigned')),
    document_type_score  real,
    matter_id            uuid REFERENCES matters ON DELETE SET NULL,
    metadata             jsonb NOT NULL DEFAULT '{}',
    lifecycle_stage      text NOT NULL DEFAULT 'draft',
    duplicate_of         uuid REFERENCES files ON DELETE SET NULL,
    parent_id            uuid REFERENCES files ON DELETE SET NULL, -- the archive or message it came out of
    entry                int,                                      -- its place in the parent
    version              int NOT NULL DEFAULT 1,                   -- of what people edit; the ETag
    created_by           uuid REFERENCES users ON DELETE SET NULL,
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),

    -- What was read of the parties gives way to what people give, and not the
    -- other way round.
    parties              jsonb NOT NULL DEFAULT '[]',
    counterparties       text[] NOT NULL DEFAULT '{}',
    parties_source       text CHECK (parties_source IN ('read', 'given')),

    -- The pipeline's own columns.
    status               text NOT NULL DEFAULT 'queued' CHECK (status IN
                         ('queued', 'processing', 'completed', 'completed_with_warnings', 'failed', 'cancelled')),
    stage                text NOT NULL DEFAULT 'received' CHECK (stage IN
                         ('received', 'extract', 'recognize', 'segment', 'classify', 'index', 'done')),
    attempt              int NOT NULL DEFAULT 1,
    bulk                 boolean NOT NULL DEFAULT false, -- waits for its team's turn
    options              jsonb NOT NULL DEFAULT '{}',    -- of this attempt: from, ocr, languages
    language             text NOT NULL DEFAULT '',
    page_count           int NOT NULL DEFAULT 0,
    pages_done           int NOT NULL DEFAULT 0,
    pages_ocr            int NOT NULL DEFAULT 0,
    warnings             jsonb NOT NULL DEFAULT '[]',
    error_code           text,
    error_stage          text,
    error_message        text,
    error_page           int,
    text_ready           boolean NOT NULL DEFAULT false,
    segmenter_version    int NOT NULL DEFAULT 0,
    queued_at            timestamptz NOT NULL DEFAULT now(),
    started_at           timestamptz,
    finished_at          timestamptz,
    progress_at          timestamptz NOT NULL DEFAULT now(), -- the last change of status or progress

    -- A search engine beside Postgres has to hear of new texts. Labels change
    -- without the text: it has to hear of that too, but the text can be found all
    -- the while.
    generation               int NOT NULL DEFAULT 0, -- of the text; grows with each segmentation
    indexed_generation       int NOT NULL DEFAULT 0, -- of the text that the search engine has confirmed
    label_generation         int NOT NULL DEFAULT 0, -- grows with each change of labels
    indexed_label_generation int NOT NULL DEFAULT 0, -- that the search engine has confirmed

    -- The words of the name, with the team as one of them.
    vector               tsvector GENERATED ALWAYS AS (
                             to_tsvector('english'::regconfig, searchable(name))
                             || array_to_tsvector(ARRAY['team=' || team_id::text])
                         ) STORED,
    UNIQUE (parent_id, entry)
) WITH (fillfactor = 70);

-- Lists, conditions and counts.
CREATE INDEX files_list ON files (team_id, id DESC);
CREATE INDEX files_status ON files (team_id, status, id DESC);
CREATE INDEX files_lifecycle ON files (team_id, lifecycle_stage);
CREATE INDEX files_name ON files USING gin (name gin_trgm_ops);
CREATE INDEX files_vector ON files USING gin (vector);
CREATE INDEX files_sha256 ON files (team_id, sha256);
CREATE INDEX files_copies ON files (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX files_document_type ON files (document_type_id) WHERE document_type_id IS NOT NULL;
CREATE INDEX files_matter ON files (matter_id, id DESC) WHERE matter_id IS NOT NULL;
CREATE INDEX files_in_matters ON files (team_id, matter_id) INCLUDE (source, document_type_id) WHERE matter_id IS NOT NULL;

-- What is under way, and what the search engine has yet to hear of.
CREATE INDEX files_progress ON files (team_id, progress_at, id);
CREATE INDEX files_active ON files (team_id) WHERE status IN ('queued', 'processing');
CREATE INDEX files_stale_index ON files (progress_at)
    WHERE status = 'processing' AND stage = 'index' OR status = 'completed_with_warnings' AND warnings @> '[{"code": "index_pending"}]';
CREATE INDEX files_unindexed ON files (progress_at)
    WHERE text_ready AND (indexed_generation < generation OR indexed_label_generation < label_generation);

-- Which text each file has: asked with each question about what is nearest.
CREATE INDEX files_text ON files (team_id, progress_at) INCLUDE (id, generation) WHERE text_ready;

-- Whose files are compared, the newest first.
CREATE INDEX files_corpus ON files (team_id, document_type_id, id DESC) INCLUDE (generation, label_generation) WHERE text_ready;

-- A search engine beside Postgres has to hear of whatever it filters by.
-- +goose StatementBegin
CREATE FUNCTION files_facts_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.label_generation := NEW.label_generation + 1;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE TRIGGER files_facts BEFORE UPDATE ON files FOR EACH ROW
    WHEN ((OLD.name, OLD.document_type_id, OLD.document_type_source, OLD.matter_id, OLD.lifecycle_stage,
            OLD.parties, OLD.counterparties, OLD.duplicate_of IS NULL)
        IS DISTINCT FROM (NEW.name, NEW.document_type_id, NEW.document_type_source, NEW.matter_id, NEW.lifecycle_stage,
            NEW.parties, NEW.counterparties, NEW.duplicate_of IS NULL))
    EXECUTE FUNCTION files_facts_changed();

-- What became of each attempt: a retry never erases a diagnosis.
CREATE TABLE file_attempts (
    file_id       uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id       uuid NOT NULL,
    attempt       int NOT NULL,
    status        text NOT NULL,
    error_code    text,
    error_stage   text,
    error_message text,
    started_at    timestamptz,
    finished_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (file_id, attempt)
);


--
-- Texts
--
-- Places are code points of the canonical text, half open.
--

-- A page carries two readings where both exist: text is the chosen one.
CREATE TABLE pages (
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    number     int NOT NULL,
    width      real NOT NULL DEFAULT 0, -- points, as displayed
    height     real NOT NULL DEFAULT 0,
    source     text NOT NULL CHECK (source IN ('text_layer', 'ocr')),
    reason     text NOT NULL DEFAULT '', -- why that source
    pending    boolean NOT NULL DEFAULT false, -- waits to be recognised
    confidence real NOT NULL DEFAULT 0,
    text       text NOT NULL DEFAULT '',
    words      bytea, -- layout.EncodeWords; none where the format has no geometry
    layer_text text,  -- the text layer that was passed over
    error_code text,  -- why the page could not be recognised
    PRIMARY KEY (file_id, number)
);

CREATE INDEX pages_pending ON pages (file_id) WHERE pending;

-- The logical documents of a file with their blocks.
CREATE TABLE documents (
    id         uuid PRIMARY KEY,
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    ordinal    int NOT NULL,
    kind       text NOT NULL,
    title      text NOT NULL DEFAULT '',
    start_at   int NOT NULL,
    end_at     int NOT NULL,
    first_page int NOT NULL,
    last_page  int NOT NULL,
    UNIQUE (file_id, ordinal)
);

CREATE TABLE blocks (
    file_id     uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id     uuid NOT NULL,
    ordinal     int NOT NULL,
    document_id uuid NOT NULL REFERENCES documents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    kind        text NOT NULL CHECK (kind IN ('heading', 'paragraph', 'list_item', 'table', 'signature_block')),
    number      text NOT NULL DEFAULT '',
    level       int NOT NULL DEFAULT 0,
    text        text NOT NULL,
    start_at    int NOT NULL,
    end_at      int NOT NULL,
    page        int NOT NULL,
    PRIMARY KEY (file_id, ordinal)
);

CREATE INDEX blocks_document ON blocks (document_id);

-- The parts of documents that numbers and headings open, those inside another
-- behind it. What a section holds is a run of sentences, so none has to say where
-- it belongs.
CREATE TABLE sections (
    id             uuid PRIMARY KEY,
    file_id        uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id        uuid NOT NULL,
    ordinal        int NOT NULL,
    document       int NOT NULL, -- ordinal
    parent         int,          -- ordinal; none at the top
    level          int NOT NULL, -- from 1
    number         text NOT NULL DEFAULT '', -- as printed
    path           text NOT NULL DEFAULT '', -- the whole number, in one notation
    title          text NOT NULL DEFAULT '',
    start_at       int NOT NULL,
    end_at         int NOT NULL,
    first_page     int NOT NULL,
    last_page      int NOT NULL,
    first_sentence int NOT NULL, -- ordinals, half open; those of its subsections included
    end_sentence   int NOT NULL,
    UNIQUE (file_id, ordinal)
);

-- Headings are searched beside texts.
CREATE INDEX sections_title ON sections USING gin (to_tsvector('english'::regconfig, searchable(title))) WHERE title <> '';

-- Sentences are what is labelled, searched and compared. The search vector
-- holds the team as a word beside the text's own, so that one index answers a
-- scoped query. It also holds when the file was made, coarsely to finely: the
-- hexadecimal digits that its id begins with are milliseconds, eight of them
-- 65 seconds. Common words are looked up among the newest files first, and the
-- index has to be read in those places only.
CREATE TABLE sentences (
    id           uuid PRIMARY KEY,
    file_id      uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id      uuid NOT NULL,
    ordinal      int NOT NULL,
    block        int NOT NULL,
    page         int NOT NULL,
    start_at     int NOT NULL,
    end_at       int NOT NULL,
    text         text NOT NULL,
    label        text,
    score        real,
    suggested    text, -- the label that came closest where none was given, with its score
    source       text CHECK (source IN ('predicted', 'validated')),
    model_id     uuid,
    validated_by uuid,
    validated_at timestamptz,
    vector       tsvector GENERATED ALWAYS AS (
                     to_tsvector('english'::regconfig, searchable(text))
                     || array_to_tsvector(ARRAY['team=' || team_id::text,
                         'at=' || left(file_id::text, 4), 'at=' || left(file_id::text, 5), 'at=' || left(file_id::text, 6),
                         'at=' || left(file_id::text, 7), 'at=' || left(file_id::text, 8)])
                 ) STORED,
    UNIQUE (file_id, ordinal) DEFERRABLE INITIALLY IMMEDIATE
);

CREATE INDEX sentences_vector ON sentences USING gin (vector);
CREATE INDEX sentences_validated ON sentences (file_id) WHERE source = 'validated';
CREATE INDEX sentences_labelled ON sentences (file_id, label) WHERE label IS NOT NULL;
CREATE INDEX sentences_label ON sentences (team_id, label, source DESC, id DESC) WHERE label IS NOT NULL; -- validated before predicted
CREATE INDEX sentences_score ON sentences (team_id, score, id) WHERE score IS NOT NULL;
CREATE INDEX sentences_review ON sentences (team_id, score DESC, id DESC) WHERE label IS NULL AND source = 'predicted';
CREATE INDEX sentences_wording ON sentences (team_id, wording(text), score DESC, id DESC) WHERE label IS NULL AND source = 'predicted';

-- Human decisions whose sentence could not be found again after a file was
-- reprocessed.
CREATE TABLE orphaned_decisions (
    id           uuid PRIMARY KEY,
    file_id      uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id      uuid NOT NULL,
    text         text NOT NULL,
    label        text,
    validated_by uuid,
    validated_at timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX orphaned_decisions_file ON orphaned_decisions (file_id);


--
-- Words
--

-- Word counts of a file, most frequent first: [{token, stem, count}].
CREATE TABLE file_tokens (
    file_id uuid PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    team_id uuid NOT NULL,
    total   int NOT NULL,
    tokens  jsonb NOT NULL,
    words   text[] NOT NULL -- what the file adds to the vocabulary, without accents, to be taken back with it
);

CREATE INDEX file_tokens_team ON file_tokens (team_id);

-- The words of a team's files, without accents: for correcting typing errors,
-- and for the number of files that use each stem. Changes are appended and folded
-- in by one job at a time, so that files finishing together never wait for one
-- another's popular words.
CREATE TABLE vocabulary (
    team_id uuid NOT NULL,
    word    text COLLATE "C" NOT NULL, -- so that a prefix is a range of the key
    files   int NOT NULL,
    PRIMARY KEY (team_id, word)
);

CREATE TABLE stems (
    team_id uuid NOT NULL,
    stem    text NOT NULL,
    files   int NOT NULL,
    PRIMARY KEY (team_id, stem)
);

CREATE TABLE vocabulary_changes (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id uuid NOT NULL,
    words   text[] NOT NULL,
    stems   text[] NOT NULL,
    files   int NOT NULL CHECK (files IN (-1, 1))
);

CREATE INDEX vocabulary_changes_team ON vocabulary_changes (team_id);

-- Every word of any team, once: the trigrams of each team's own words would be
-- mostly the same words again. What is found here counts for a team only where
-- its vocabulary has the word too. Once means as a rule: a unique index would
-- make the teams wait for one another's new words, and a word that came twice
-- does no harm.
CREATE TABLE words (
    word text COLLATE "C" NOT NULL
);

CREATE INDEX words_word ON words (word);
CREATE INDEX words_trigrams ON words USING gin (word gin_trgm_ops);

-- Words that a team takes for one another, each group as a set.
CREATE TABLE synonyms (
    id      uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    words   text[] NOT NULL CHECK (cardinality(words) >= 2)
);

CREATE INDEX synonyms_team ON synonyms (team_id);


--
-- Meanings
--

-- What was made of which text by which rules and which model. The counts are
-- kept so that files can be compared with one another.
CREATE TABLE analyses (
    file_id     uuid PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    team_id     uuid NOT NULL,
    generation  int NOT NULL,   -- of the text
    version     text NOT NULL,  -- of the rules
    model_id    uuid,           -- that labelled the sentences; none where no model knows the language
    counts      jsonb NOT NULL, -- how much of each sort there is
    analyzed_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX analyses_team ON analyses (team_id);

-- The clauses that a team added to the taxonomy. The others are the program's.
CREATE TABLE nodes (
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    key        text NOT NULL CHECK (key ~ '^[a-z0-9]+(_[a-z0-9]+)*$'),
    name       text NOT NULL CHECK (name <> ''),
    family     text NOT NULL DEFAULT '',
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, key)
);

-- The models that teams trained. The base model comes with the program and has
-- no row. Earlier ones are kept, so that one can go back to them.
CREATE TABLE models (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    version    int NOT NULL, -- counted from 1
    status     text NOT NULL CHECK (status IN ('active', 'candidate', 'retired')),
    base_id    uuid NOT NULL,  -- the base model that it builds on
    sentences  int NOT NULL,   -- decisions that it learned from
    metrics    jsonb NOT NULL, -- on decisions that were held back
    data       bytea NOT NULL,
    trained_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, version)
);

CREATE UNIQUE INDEX models_active ON models (team_id) WHERE status = 'active';

-- The facts of files: what holds for a file as a whole, and what stands in a
-- place of it. What people say of a file stands by itself, without spans, so
-- that it outlives every reading of the text.
CREATE TABLE attributes (
    id         uuid PRIMARY KEY,
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    level      text NOT NULL CHECK (level IN ('file', 'span')),
    ordinal    int NOT NULL, -- within the level
    key        text COLLATE "C" NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,99}$'),
    value      text NOT NULL, -- its words on one line
    normalized jsonb NOT NULL DEFAULT '{}',
    confidence real NOT NULL DEFAULT 1,
    source     text NOT NULL CHECK (source IN ('rule', 'human')),
    spans      jsonb NOT NULL DEFAULT '[]', -- [{start, end, page, quote}], the telling one first
    start_at   int, -- of the first span
    end_at     int,

    -- What is looked up, in small letters and cut to a length that an index
    -- takes: the words, and the value whatever its words. Equal values of a key
    -- have the same normal, which is the words where nothing is normalised.
    folded     text COLLATE "C" NOT NULL,
    normal     text COLLATE "C" NOT NULL,
    CHECK (source = 'rule' OR level = 'file')
);

CREATE INDEX attributes_file ON attributes (file_id, level, ordinal);
CREATE INDEX attributes_key ON attributes (team_id, level, key, normal, file_id);
CREATE INDEX attributes_normal ON attributes (team_id, normal);
CREATE INDEX attributes_folded ON attributes (team_id, folded);
CREATE INDEX attributes_trigrams ON attributes USING gin (team_id, (folded || ' ' || normal) gin_trgm_ops);
CREATE INDEX attributes_values ON attributes (team_id, key, file_id) INCLUDE (normal) WHERE level = 'file'; -- what files have of an attribute


--
-- Files of a type
--
-- What the files of a document type say together, and where one stands among
-- them.
--

-- What the model of types made of a file. The file itself holds the type that
-- counts, which may be another: people's word wins.
CREATE TABLE file_types (
    file_id    uuid PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    generation int NOT NULL,  -- of the text
    model_id   uuid NOT NULL,
    title      text NOT NULL, -- that the model read
    abstained  boolean NOT NULL,
    scores     jsonb NOT NULL -- [{type, probability}], the likeliest first
);

-- The model of types that a team's own assignments made of the base model, if
-- they did. A newer one takes the place of the one before.
CREATE TABLE type_models (
    team_id    uuid PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
    id         uuid NOT NULL,
    version    int NOT NULL,  -- counted from 1, those that came to nothing included
    files      int NOT NULL,  -- whose types people had assigned
    base_id    uuid NOT NULL, -- the base model that it builds on
    data       bytea,         -- none where the base model was better
    trained_at timestamptz NOT NULL DEFAULT now()
);

-- The nodes of each file: what its labelled sentences come to. Whoever changes
-- labels renews them, so corpora are compared without reading sentences.
CREATE TABLE file_nodes (
    file_id     uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    team_id     uuid NOT NULL,
    label       text NOT NULL,
    sentences   int NOT NULL,
    validated   int NOT NULL,
    first_at    int NOT NULL,  -- ordinal of the first sentence
    place       real NOT NULL, -- where that stands in the file, from 0 to 1
    sentence_id uuid NOT NULL, -- the surest: validated before predicted, then by score
    PRIMARY KEY (file_id, label)
);

-- What the analysis of a type's corpus came to, version by version.
CREATE TABLE type_analyses (
    document_type_id uuid NOT NULL REFERENCES document_types ON DELETE CASCADE,
    team_id          uuid NOT NULL,
    version          int NOT NULL, -- counted from 1
    files            int NOT NULL,
    state            text NOT NULL, -- of the corpus that was read; another one makes the result stale
    result           jsonb NOT NULL,
    analyzed_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (document_type_id, version)
);

-- The sketch of each file's words, and the parts of it by which files that are
-- almost the same are found.
CREATE TABLE file_sketches (
    file_id    uuid PRIMARY KEY REFERENCES files ON DELETE CASCADE,
    team_id    uuid NOT NULL,
    generation int NOT NULL, -- of the text
    sketch     bytea NOT NULL,
    bands      bigint[] NOT NULL -- each a part of the sketch with its place
);

CREATE INDEX file_sketches_bands ON file_sketches USING gin (team_id, bands);

-- Files that are almost the same as a file, as they were found when its text was
-- read. A pair stands once, with the newer file first. It refers to no rows: two
-- files that find one another would each have to lock the other.
CREATE TABLE file_likeness (
    file_id  uuid NOT NULL,
    other_id uuid NOT NULL,
    team_id  uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    kind     text NOT NULL CHECK (kind IN ('duplicate', 'version', 'template')),
    share    real NOT NULL, -- of the words that both have, 0 to 1
    PRIMARY KEY (file_id, other_id)
);

CREATE INDEX file_likeness_other ON file_likeness (other_id);


--
-- Changes
--

-- What people propose to change in documents.
CREATE TABLE changes (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    file_id     uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    ordinal     bigint GENERATED ALWAYS AS IDENTITY, -- the order in which they were proposed
    body        jsonb NOT NULL,                      -- redline.Change
    status      text NOT NULL DEFAULT 'proposed' CHECK (status IN ('proposed', 'executed', 'withdrawn', 'stale')),
    resolved    jsonb,                               -- where the anchor stood when the change was proposed
    error       jsonb,                               -- why it could not be carried out
    base_sha256 bytea NOT NULL,                      -- the bytes it was proposed for
    created_by  uuid REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX changes_file ON changes (file_id, ordinal);

-- Documents made of files and changes, so that nothing is made twice. The key is
-- a hash of everything that went into one.
CREATE TABLE renditions (
    file_id    uuid NOT NULL REFERENCES files ON DELETE CASCADE,
    key        bytea NOT NULL,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    report     jsonb NOT NULL, -- what was done, and the proof
    document   bytea,          -- null where nothing could be made
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL, -- from then on it is as if it was never made
    PRIMARY KEY (file_id, key)
);


--
-- Around the documents
--

-- Who has to do what, with a file or with a matter. It ends with the
-- membership: nobody has work in a team that they left.
CREATE TABLE assignments (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL,
    file_id    uuid REFERENCES files ON DELETE CASCADE,
    matter_id  uuid REFERENCES matters ON DELETE CASCADE,
    user_id    uuid NOT NULL,
    role       text NOT NULL CHECK (role IN ('reviewer', 'approver', 'editor', 'owner')),
    note       text NOT NULL DEFAULT '',
    due_at     timestamptz,
    done_at    timestamptz,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(file_id, matter_id) = 1),
    UNIQUE (file_id, user_id),
    UNIQUE (matter_id, user_id),
    FOREIGN KEY (team_id, user_id) REFERENCES members ON DELETE CASCADE
);

CREATE INDEX assignments_open ON assignments (team_id, user_id, coalesce(due_at, 'infinity'), id) WHERE done_at IS NULL;
CREATE INDEX assignments_due ON assignments (team_id, coalesce(due_at, 'infinity'), id) WHERE done_at IS NULL;

-- The id of a chat may be its client's choice, so that it is one within the
-- team only.
CREATE TABLE chats (
    team_id           uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    id                uuid NOT NULL,
    name              text NOT NULL DEFAULT '',
    file_id           uuid REFERENCES files ON DELETE SET NULL,
    reference_file_id uuid REFERENCES files ON DELETE SET NULL,
    version           int NOT NULL DEFAULT 1,
    created_by        uuid REFERENCES users ON DELETE SET NULL,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, id)
);

CREATE INDEX chats_file ON chats (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX chats_reference_file ON chats (reference_file_id) WHERE reference_file_id IS NOT NULL;

CREATE TABLE chat_participants (
    team_id  uuid NOT NULL,
    chat_id  uuid NOT NULL,
    user_id  uuid NOT NULL,
    added_by uuid REFERENCES users ON DELETE SET NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (team_id, user_id, chat_id),
    FOREIGN KEY (team_id, chat_id) REFERENCES chats ON DELETE CASCADE,
    FOREIGN KEY (team_id, user_id) REFERENCES members ON DELETE CASCADE
);

CREATE INDEX chat_participants_chat ON chat_participants (team_id, chat_id);

CREATE TABLE categories (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    parent_id   uuid,
    name        text NOT NULL CHECK (name <> ''),
    color       text NOT NULL DEFAULT '',
    description text NOT NULL DEFAULT '',
    version     int NOT NULL DEFAULT 1,
    created_by  uuid REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (team_id, id),
    FOREIGN KEY (team_id, parent_id) REFERENCES categories (team_id, id)
);

CREATE UNIQUE INDEX categories_name ON categories (team_id, parent_id, lower(name)) NULLS NOT DISTINCT;

-- The dashboard of a team: questions with a place. Positions are in a grid
-- that is twelve columns wide.
CREATE TABLE widgets (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    title      text NOT NULL CHECK (title <> ''),
    kind       text NOT NULL CHECK (kind IN ('number', 'bar', 'line', 'pie', 'table')),
    query      jsonb NOT NULL,
    x          int NOT NULL CHECK (x >= 0),
    y          int NOT NULL CHECK (y >= 0),
    w          int NOT NULL CHECK (w > 0),
    h          int NOT NULL CHECK (h > 0),
    version    int NOT NULL DEFAULT 1,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (x + w <= 12)
);

CREATE INDEX widgets_team ON widgets (team_id, y, x);

-- Searches that people keep. Those that are shared the whole team sees.
CREATE TABLE saved_searches (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name       text NOT NULL CHECK (name <> ''),
    shared     boolean NOT NULL DEFAULT false,
    text       text NOT NULL DEFAULT '',
    filter     jsonb NOT NULL DEFAULT '{}',
    version    int NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX saved_searches_name ON saved_searches (team_id, user_id, lower(name));


--
-- What happens
--

-- The outbox: written in the transaction of the change it tells of, read by
-- event streams and by notifiers.
CREATE TABLE events (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id    uuid NOT NULL,
    user_id    uuid, -- whom alone of the team it is for; none for all
    kind       text NOT NULL,
    subject_id uuid NOT NULL,
    data       jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX events_team ON events (team_id, id);
CREATE INDEX events_age ON events (created_at);

-- An event of a file is one of the matter that the file is in at the time, and
-- stays in its timeline when the file leaves.
CREATE TABLE audit_events (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    team_id       uuid NOT NULL,
    actor_kind    text NOT NULL, -- user, key, system
    actor_id      uuid,
    action        text NOT NULL,
    resource_kind text NOT NULL,
    resource_id   uuid,
    matter_id     uuid,
    data          jsonb NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX audit_events_team ON audit_events (team_id, created_at);
CREATE INDEX audit_events_resource ON audit_events (team_id, resource_id, id);
CREATE INDEX audit_events_matter ON audit_events (team_id, matter_id, id) WHERE matter_id IS NOT NULL;
CREATE INDEX audit_events_decisions ON audit_events (team_id, created_at) WHERE action = 'sentence.validated';

CREATE TABLE notifications (
    id         uuid PRIMARY KEY,
    team_id    uuid NOT NULL,
    user_id    uuid NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('file.completed', 'file.failed', 'assignment.created', 'operation.finished',
                                             'matter.updated', 'mention', 'custom')),
    title      text NOT NULL CHECK (title <> ''),
    body       text NOT NULL DEFAULT '',
    link       text NOT NULL DEFAULT '',
    created_by uuid REFERENCES users ON DELETE SET NULL, -- none where the service says it by itself
    created_at timestamptz NOT NULL DEFAULT now(),
    read_at    timestamptz,
    FOREIGN KEY (team_id, user_id) REFERENCES members ON DELETE CASCADE
);

CREATE INDEX notifications_list ON notifications (team_id, user_id, id DESC);
CREATE INDEX notifications_unread ON notifications (team_id, user_id, id DESC) WHERE read_at IS NULL;
CREATE INDEX notifications_age ON notifications (created_at);

-- The secret is kept as it is: every delivery is signed with it.
CREATE TABLE webhooks (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    url         text NOT NULL,
    kinds       text[] NOT NULL DEFAULT '{}', -- of events; none for all
    description text NOT NULL DEFAULT '',
    active      boolean NOT NULL DEFAULT true,
    secret      text NOT NULL,
    failures    int NOT NULL DEFAULT 0, -- since the last success
    resume_at   timestamptz,            -- nothing is sent before
    version     int NOT NULL DEFAULT 1,
    created_by  uuid REFERENCES users ON DELETE SET NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX webhooks_team ON webhooks (team_id, id DESC);

-- What a webhook is sent, written in the transaction of the event and kept as a
-- log.
CREATE TABLE webhook_deliveries (
    id           uuid PRIMARY KEY,
    webhook_id   uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    team_id      uuid NOT NULL,
    kind         text NOT NULL,
    payload      text NOT NULL, -- the very bytes that are signed and sent
    state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
    round        int NOT NULL DEFAULT 1, -- grows with each replay
    asked        boolean NOT NULL DEFAULT false, -- there is a job for this round
    attempts     int NOT NULL DEFAULT 0, -- in this round
    status_code  int,  -- of the last answer
    error        text, -- of the last attempt
    attempted_at timestamptz,
    next_at      timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, id DESC);
CREATE INDEX webhook_deliveries_unasked ON webhook_deliveries (id) WHERE state = 'pending' AND NOT asked;
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);


--
-- Work under way
--

-- Work that a caller may follow. Progress over files is computed from the
-- files themselves.
CREATE TABLE operations (
    id          uuid PRIMARY KEY,
    team_id     uuid NOT NULL REFERENCES teams ON DELETE CASCADE,
    kind        text NOT NULL,
    state       text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'completed', 'failed', 'cancelled')),
    total       int NOT NULL DEFAULT 0,
    done        int NOT NULL DEFAULT 0,
    failed      int NOT NULL DEFAULT 0,
    errors      jsonb NOT NULL DEFAULT '[]',
    result      jsonb,
    created_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);

CREATE INDEX operations_team ON operations (team_id, id DESC);

CREATE TABLE operation_files (
    operation_id uuid NOT NULL REFERENCES operations ON DELETE CASCADE,
    file_id      uuid NOT NULL,
    attempt      int NOT NULL, -- the attempt that the operation asked for
    PRIMARY KEY (operation_id, file_id)
);

CREATE INDEX operation_files_file ON operation_files (file_id); -- which operations wait for a file

-- Worker processes that are alive, with the slots they bring to each queue. It
-- is logged: were it empty after a crash of the database, all would seem dead.
CREATE TABLE workers (
    id        text PRIMARY KEY, -- River's client id, new at every start
    slots     jsonb NOT NULL,
    languages text[] NOT NULL DEFAULT '{}', -- in which it recognises scans, so that others can tell which there are
    seen_at   timestamptz NOT NULL DEFAULT now()
);

-- Waiting jobs by team, for handing out turns; and jobs by the file they are
-- about, for cancelling.
CREATE INDEX river_job_waiting ON river_job (queue, (args ->> 'team_id'), priority, id) WHERE state = 'pending';
CREATE INDEX river_job_file ON river_job ((args ->> 'file_id'))
    WHERE state IN ('pending', 'available', 'scheduled', 'retryable', 'running');
