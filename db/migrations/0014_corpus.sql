-- +goose Up

-- What the files of a document type say together, and where one stands among
-- them.

-- The types that every team has from the start are those of the base model. A
-- team may rename and delete them; the key says what the model means.
ALTER TABLE document_types
    ADD COLUMN key text, -- of the base model; none where the team made the type
    ADD COLUMN description text NOT NULL DEFAULT '',
    ADD COLUMN seen_state text,          -- of its corpus, when it was last looked whether an analysis is due
    ADD COLUMN stale_since timestamptz,  -- when it was first seen to be another than the analysed one; null where it is not
    ADD COLUMN version int NOT NULL DEFAULT 1,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

CREATE UNIQUE INDEX document_types_key ON document_types (team_id, key) WHERE key IS NOT NULL;

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

SELECT add_base_document_types(id) FROM teams;

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

INSERT INTO file_nodes (file_id, team_id, label, sentences, validated, first_at, place, sentence_id)
SELECT s.file_id, s.team_id, s.label, count(*), count(*) FILTER (WHERE s.source = 'validated'), min(s.ordinal),
    (min(s.ordinal) + 0.5) / (1 + max(last.ordinal)),
    (array_agg(s.id ORDER BY s.source = 'validated' DESC, s.score DESC NULLS LAST, s.ordinal))[1]
FROM sentences s JOIN (SELECT file_id, max(ordinal) AS ordinal FROM sentences GROUP BY file_id) last ON last.file_id = s.file_id
WHERE s.label IS NOT NULL GROUP BY s.file_id, s.team_id, s.label;

-- Whose files are compared, the newest first.
CREATE INDEX files_corpus ON files (team_id, document_type_id, id DESC) INCLUDE (generation, label_generation) WHERE text_ready;
CREATE INDEX audit_events_decisions ON audit_events (team_id, created_at) WHERE action = 'sentence.validated';

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

-- The model of types that a team's own assignments made of the base model, if
-- they did. A newer one takes the place of the one before.
CREATE TABLE type_models (
    team_id    uuid PRIMARY KEY REFERENCES teams ON DELETE CASCADE,
    id         uuid NOT NULL,
    version    int NOT NULL,     -- counted from 1, those that came to nothing included
    files      int NOT NULL,     -- whose types people had assigned
    base_id    uuid NOT NULL,    -- the base model that it builds on
    data       bytea,            -- none where the base model was better
    trained_at timestamptz NOT NULL DEFAULT now()
);
