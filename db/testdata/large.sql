-- A team with nearly a hundred thousand files, twenty with ten each, and what
-- such an installation has in the other tables: what plans_test.go asks about.
-- Everything follows from the number of a file, so that each run has the same.

SET session_replication_role = replica; -- no triggers, no foreign keys: each row is there at once
SET synchronous_commit = off;
SET work_mem = '256MB';
SET maintenance_work_mem = '256MB';

-- Indexes are soonest made of rows that are there.
CREATE TEMP TABLE later AS SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS sql
FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition AND NOT indisunique;
DO $$ BEGIN EXECUTE (SELECT 'DROP INDEX ' || string_agg(name, ', ') FROM later); END $$;

-- Ids that were made over a year, in the order of n.
CREATE FUNCTION pg_temp.id(salt text, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
    RETURN (lpad(to_hex(1760000000000 + n * 300000), 12, '0') || '7' || substr(md5(salt || n), 1, 3) || '8' || substr(md5(salt || n), 5, 15))::uuid;

CREATE FUNCTION pg_temp.moment(n bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE
    RETURN to_timestamp((1760000000000 + n * 300000) / 1000);

CREATE FUNCTION pg_temp.word(n bigint) RETURNS text LANGUAGE sql IMMUTABLE RETURN translate(left(md5(n::text), 9), '0123456789', 'ghijklmnop');

-- The large team is 0, the small ones are 1 to 20. Every 500th file is of a small one.
INSERT INTO teams (id, kind, name) SELECT pg_temp.id('team', n), 'organization', 'team ' || n FROM generate_series(0, 20) n;
SELECT add_base_document_types(id) FROM teams;
INSERT INTO users (id, email, name, personal_team_id) SELECT pg_temp.id('user', n), 'user' || n || '@example.com', 'User ' || n, pg_temp.id('home', n) FROM generate_series(0, 999) n;
INSERT INTO teams (id, kind, name) SELECT pg_temp.id('home', n), 'personal', 'home ' || n FROM generate_series(0, 999) n;
INSERT INTO identities (issuer, subject, user_id) SELECT 'https://id.example', n::text, pg_temp.id('user', n) FROM generate_series(0, 999) n;
INSERT INTO members (team_id, user_id, role)
SELECT pg_temp.id('team', CASE WHEN n < 800 THEN 0 ELSE 1 + n % 20 END), pg_temp.id('user', n), CASE WHEN n % 50 = 0 THEN 'admin' ELSE 'member' END FROM generate_series(0, 999) n;
INSERT INTO members (team_id, user_id, role) SELECT pg_temp.id('home', n), pg_temp.id('user', n), 'admin' FROM generate_series(0, 999) n;
INSERT INTO api_keys (id, kind, team_id, name, hash, hint)
SELECT pg_temp.id('key', n), 'organization', pg_temp.id('team', n % 21), 'key ' || n, decode(md5('key' || n), 'hex'), 'abcd' FROM generate_series(0, 4999) n;
INSERT INTO service_accounts (id, team_id, name, role, scopes, hash, hint)
SELECT pg_temp.id('service', n), pg_temp.id('team', n % 21), 'account ' || n, 'member', '{files:read}', decode(md5('service' || n), 'hex'), 'abcd' FROM generate_series(0, 2099) n;
INSERT INTO service_tokens (hash, account_id, scopes, expires_at)
SELECT decode(md5('token' || n), 'hex'), pg_temp.id('service', n % 2100), '{files:read}', now() + interval '1 hour' FROM generate_series(0, 19999) n;
INSERT INTO sessions (hash, id, user_id, team_id, expires_at)
SELECT decode(md5('session' || n), 'hex'), pg_temp.id('session', n), pg_temp.id('user', n % 1000), pg_temp.id('team', CASE WHEN n % 1000 < 800 THEN 0 ELSE 1 + n % 20 END), now() + interval '1 day'
FROM generate_series(0, 19999) n;
INSERT INTO invitations (id, team_id, email, role, hash, invited_by, expires_at)
SELECT pg_temp.id('invitation', n), pg_temp.id('team', n % 21), 'new' || n || '@example.com', 'member', decode(md5('invitation' || n), 'hex'), pg_temp.id('user', 0), now() + interval '1 day'
FROM generate_series(0, 4999) n;
INSERT INTO rate_limits (subject, window_start, used) SELECT 'subject ' || n, now(), 1 FROM generate_series(0, 19999) n;
INSERT INTO idempotency_keys (team_id, actor_id, key, operation, body_hash, response, created_at)
SELECT pg_temp.id('team', 0), pg_temp.id('user', n % 1000), n::text, 'POST /api/files', decode(md5(n::text), 'hex'), '{}', now() - n * interval '1 second' FROM generate_series(0, 49999) n;
INSERT INTO feature_flags (id, team_id, key) SELECT pg_temp.id('flag', n), pg_temp.id('team', n % 21), 'flag-' || n FROM generate_series(0, 999) n;
INSERT INTO flag_conditions (id, flag_id, attribute, operator, values, rollout)
SELECT pg_temp.id('condition', n), pg_temp.id('flag', n % 1000), 'email', 'is', '{a}', 100 FROM generate_series(0, 9999) n;

-- Types: a team has two dozen, and the large one a rare one of its own.
INSERT INTO document_types (id, team_id, name) SELECT pg_temp.id('rare', n), pg_temp.id('team', n), 'Rare' FROM generate_series(0, 20) n;
CREATE TEMP TABLE kinds AS SELECT team_id, id, row_number() OVER (PARTITION BY team_id ORDER BY key) AS nth FROM document_types WHERE key IS NOT NULL;
CREATE INDEX ON kinds (team_id, nth);

-- Five matters are restricted, and the newest files are in one of them.
INSERT INTO matters (id, team_id, name, status, stage, counterparties, owner_id, due_at, access, created_by)
SELECT pg_temp.id('matter', n), pg_temp.id('team', CASE WHEN n % 50 = 49 THEN 1 + n / 50 % 20 ELSE 0 END), 'Matter ' || md5(n::text),
    CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'open' END, CASE WHEN n % 7 = 0 THEN 'closed' ELSE 'review' END, ARRAY['Party ' || n % 300],
    pg_temp.id('user', n % 800), CASE WHEN n % 2 = 0 THEN pg_temp.moment(n * 5) END, CASE WHEN n < 5 THEN 'restricted' ELSE 'open' END, pg_temp.id('user', n % 800)
FROM generate_series(0, 9999) n;
INSERT INTO matter_people (matter_id, team_id, user_id) SELECT pg_temp.id('matter', n % 5), pg_temp.id('team', 0), pg_temp.id('user', 10 + n / 5) FROM generate_series(0, 49) n;
INSERT INTO matter_document_types (matter_id, document_type_id) SELECT pg_temp.id('matter', n), k.id FROM generate_series(0, 9999) n JOIN kinds k ON k.team_id = pg_temp.id('team', 0) AND k.nth = 1 + n % 25;

CREATE TEMP TABLE numbers AS
SELECT n, pg_temp.id('file', n) AS id, team, pg_temp.id(CASE WHEN trashed THEN 'trash' ELSE 'team' END, CASE WHEN trashed THEN n ELSE team END) AS team_id, trashed,
    CASE WHEN trashed THEN NULL WHEN team > 0 THEN 50 * team - 1 WHEN n >= 90000 THEN 0 WHEN n % 5 = 0 THEN 5 + n % 9000 END AS matter,
    -- The first of the small teams has one of each sort too.
    n % 10000 = 13 OR n = 499 AS rare, n % 1000 = 19 OR n = 10499 AS waiting, n % 1000 = 18 OR n = 20499 AS running, n % 20 = 0 OR n = 30499 AS decided
FROM (
    SELECT n, CASE WHEN n % 500 = 499 THEN 1 + n / 500 % 20 ELSE 0 END AS team, n % 100 = 50 OR n = 40499 AS trashed FROM generate_series(0, 99999) n
) x;

INSERT INTO teams (id, kind, name) SELECT team_id, 'trash', 'trash' FROM numbers WHERE trashed;
INSERT INTO trash (id, team_id, kind, resource_id, name, restricted, searchable, actor_kind, deleted_at)
SELECT team_id, pg_temp.id('team', team), 'file', id::text, 'file ' || n, false, false, 'user', now() - n * interval '20 seconds' FROM numbers WHERE trashed;

INSERT INTO files (id, team_id, name, kind, content_type, size, sha256, document_type_id, document_type_source, matter_id, metadata, lifecycle_stage, created_by, created_at, updated_at,
    parties, counterparties, status, stage, language, page_count, pages_done, warnings, error_code, text_ready, generation, indexed_generation, label_generation, indexed_label_generation,
    queued_at, started_at, finished_at, progress_at, duplicate_of, parent_id, entry)
SELECT f.id, f.team_id, 'Contract ' || f.n || ' ' || substr(md5(f.n::text), 1, 6) || '.pdf', 'pdf', 'application/pdf', 1000 + f.n * 7919 % 1000000, decode(md5((f.n / 2)::text), 'hex'),
    CASE WHEN NOT trashed AND rare THEN pg_temp.id('rare', f.team) ELSE k.id END, CASE WHEN f.n % 30 = 0 THEN 'assigned' ELSE 'predicted' END,
    pg_temp.id('matter', matter),
    CASE WHEN f.n % 10 = 3 THEN jsonb_build_object('project', 'P-' || f.n % 2000, 'value', f.n) ELSE '{}' END,
    CASE WHEN f.n % 1000 = 7 THEN 'signed' ELSE 'draft' END, pg_temp.id('user', f.n % 800), pg_temp.moment(f.n), pg_temp.moment(f.n),
    jsonb_build_array(jsonb_build_object('name', 'Party ' || f.n % 5000, 'role', 'buyer')), ARRAY['Party ' || f.n % 5000],
    CASE WHEN f.n % 4000 = 17 THEN 'failed' WHEN running THEN 'processing' WHEN waiting THEN 'queued' ELSE 'completed' END,
    CASE WHEN running THEN 'classify' WHEN waiting THEN 'received' ELSE 'done' END, 'en', 1 + f.n * 31 % 40, 1, '[]', CASE WHEN f.n % 4000 = 17 THEN 'corrupt_file' END,
    f.n % 4000 <> 17 AND NOT running AND NOT waiting, 1, CASE WHEN f.n % 1000 = 21 THEN 0 ELSE 1 END, 1, 1, pg_temp.moment(f.n), pg_temp.moment(f.n), CASE WHEN NOT running AND NOT waiting THEN pg_temp.moment(f.n) END, pg_temp.moment(f.n),
    CASE WHEN f.n % 50 = 1 THEN pg_temp.id('file', f.n - 1) END, CASE WHEN f.n % 50 = 2 THEN pg_temp.id('file', f.n - 2) END, CASE WHEN f.n % 50 = 2 THEN 1 END
FROM numbers f LEFT JOIN kinds k ON NOT trashed AND k.team_id = f.team_id AND k.nth = 1 + f.n * 7 % 25;

INSERT INTO file_counts (team_id, matter_id, document_type_id, document_type_source, source, files) SELECT team_id, matter_id, document_type_id, document_type_source, source, count(*) FROM files GROUP BY 1, 2, 3, 4, 5;
INSERT INTO name_counts (team_id, facet, value, name, files, firsts)
SELECT f.team_id, c.facet, c.value, c.name, sum(c.files), sum(c.firsts) FROM files f LEFT JOIN matters m ON m.id = f.matter_id
CROSS JOIN file_names_counted(f.parties, f.counterparties, m.parties, m.counterparties) c GROUP BY 1, 2, 3, 4;
INSERT INTO name_changes (team_id, facets, vals, names, files, firsts) SELECT team_id, '{party,party}', '{"party 1",""}', '{"Party 1",""}', '{1,1}', '{1,1}' FROM numbers WHERE n % 1000 = 99;
INSERT INTO file_versions (file_id, number, team_id, bytes_id, name, size, sha256, source) SELECT id, 1, team_id, id, 'name', 1, decode(md5((n / 2)::text), 'hex'), 'upload' FROM numbers;
INSERT INTO file_attempts (file_id, team_id, attempt, status) SELECT id, team_id, 1, 'completed' FROM numbers;
INSERT INTO pages (file_id, team_id, number, source, text) SELECT id, team_id, 1, 'text_layer', 'The text of a page, whatever it is.' FROM numbers;
INSERT INTO documents (id, file_id, team_id, ordinal, kind, title, start_at, end_at, first_page, last_page) SELECT pg_temp.id('document', n), id, team_id, 0, 'agreement', 'Agreement', 0, 100, 1, 1 FROM numbers;
INSERT INTO blocks (file_id, team_id, ordinal, document_id, kind, text, start_at, end_at, page) SELECT id, team_id, 0, pg_temp.id('document', n), 'paragraph', 'The text of a block.', 0, 100, 1 FROM numbers;
INSERT INTO sections (id, file_id, team_id, ordinal, document, level, title, start_at, end_at, first_page, last_page, first_sentence, end_sentence)
SELECT pg_temp.id('section', n), id, team_id, 0, 0, 1, (ARRAY['Payment', 'Term', 'Notices', 'Governing Law'])[1 + n % 4] || ' ' || CASE WHEN n % 500 = 0 THEN 'Escrow' ELSE '' END, 0, 100, 1, 1, 0, 2 FROM numbers;

-- Two sentences in a file: with a label that people or the model gave, and with one
-- or to be reviewed.
INSERT INTO sentences (id, file_id, team_id, ordinal, block, page, start_at, end_at, text, label, score, suggested, source, model_id, validated_by, validated_at)
SELECT pg_temp.id('sentence' || s, n), id, team_id, s, 0, 1, s * 30, s * 30 + 30,
    CASE s WHEN 0 THEN 'This agreement is governed by the law of region ' || n % 900
        ELSE 'Payment number ' || n % 30000 || ' is due within ' || n % 90 || ' days of the invoice' || CASE WHEN n % 5000 < 5 THEN ' into the escrow account' ELSE '' END END,
    CASE WHEN s = 0 AND decided THEN 'governing_law' WHEN s = 0 THEN 'clause_' || n % 40 WHEN n % 2 = 0 THEN 'payment_terms' WHEN rare THEN 'rare_clause' END,
    (n * 7 % 1000)::real / 1000, CASE WHEN s = 1 AND n % 2 = 1 THEN 'payment_terms' END, CASE WHEN s = 0 AND decided THEN 'validated' ELSE 'predicted' END, pg_temp.id('model', 0),
    CASE WHEN s = 0 AND decided THEN pg_temp.id('user', n % 800) END, CASE WHEN s = 0 AND decided THEN pg_temp.moment(n) END
FROM numbers CROSS JOIN generate_series(0, 1) s;
INSERT INTO label_counts (team_id, label, sentences, firsts) SELECT team_id, counted, sum(c.sentences), sum(c.firsts) FROM sentences s CROSS JOIN labels_counted(s.label, s.labels) c GROUP BY 1, 2;
INSERT INTO label_changes (team_id, labels, sentences, firsts) SELECT team_id, '{payment_terms,""}', '{1,-1}', '{1,-1}' FROM numbers WHERE n % 1000 = 99;
INSERT INTO orphaned_decisions (id, file_id, team_id, text, label) SELECT pg_temp.id('orphan', n), id, team_id, 'A text', 'payment_terms' FROM numbers WHERE n % 10 = 0;
INSERT INTO file_tokens (file_id, team_id, total, tokens, words)
SELECT id, team_id, 20, jsonb_build_array(jsonb_build_object('token', 'payment', 'stem', 'payment', 'count', 3), jsonb_build_object('token', 'w' || n % 30000, 'stem', 'w' || n % 30000, 'count', 1)), ARRAY['payment', 'w' || n % 30000] FROM numbers;
INSERT INTO vocabulary (team_id, word, files) SELECT pg_temp.id('team', 0), pg_temp.word(n), 1 + n % 50 FROM generate_series(0, 99999) n;
INSERT INTO vocabulary (team_id, word, files) SELECT pg_temp.id('team', 1 + n % 20), pg_temp.word(n / 20), 1 + n % 5 FROM generate_series(0, 3999) n;
INSERT INTO stems (team_id, stem, files) SELECT team_id, word, files FROM vocabulary;
INSERT INTO words (word) SELECT pg_temp.word(n) FROM generate_series(0, 99999) n;
INSERT INTO vocabulary_changes (team_id, words, stems, files) SELECT team_id, '{payment}', '{payment}', 1 FROM numbers WHERE n % 100 = 99;
INSERT INTO synonyms (id, team_id, words) SELECT pg_temp.id('synonym', n), pg_temp.id('team', n % 21), ARRAY['w' || n, 'v' || n] FROM generate_series(0, 2099) n;

INSERT INTO analyses (file_id, team_id, generation, version, model_id, counts)
SELECT id, team_id, 1, '1', pg_temp.id('model', CASE WHEN n % 1000 = 5 THEN 1 ELSE 0 END), jsonb_build_object('words', n % 5000, 'sentences', 3, 'sections', 1, 'definedTerms', n % 9, 'crossReferences', 0) FROM numbers;
INSERT INTO attributes (id, file_id, team_id, level, ordinal, key, value, confidence, source, folded, normal)
SELECT pg_temp.id('attribute' || a, n), id, team_id, CASE WHEN a < 2 THEN 'file' ELSE 'span' END, a, k.key, k.value, CASE WHEN n % 500 < 21 AND a = 0 THEN 0.6 ELSE 1 END, CASE WHEN n % 50 = 0 AND a < 2 THEN 'human' ELSE 'rule' END, lower(k.value), lower(k.value)
FROM numbers CROSS JOIN LATERAL (VALUES (0, 'effective_date', to_char(pg_temp.moment(n), 'YYYY-MM-DD')), (1, 'contract_value', (n % 5000)::text || ' usd'), (2, 'defined_term', 'Term ' || n % 20000)) k (a, key, value)
WHERE a < 2 OR n % 4 = 0;
INSERT INTO attribute_values (team_id, level, key, normal, folded) SELECT DISTINCT team_id, level, key, normal, folded FROM attributes;
INSERT INTO attribute_values_lost (team_id, levels, keys, normals, foldeds) SELECT team_id, array_agg(level), array_agg(key), array_agg(normal), array_agg(folded) FROM attributes WHERE ordinal = 1 AND normal LIKE '77_ usd' GROUP BY team_id, file_id;
INSERT INTO overruled_attributes (id, file_id, team_id, level, ordinal, key, value, normalized, confidence, source, spans, folded, normal) SELECT pg_temp.id('overruled', n), id, team_id, 'file', 0, 'effective_date', '2020-01-01', '{}', 1, 'rule', '[]', '2020-01-01', '2020-01-01' FROM numbers WHERE n % 50 = 0;
INSERT INTO nodes (team_id, key, name) SELECT pg_temp.id('team', n % 21), 'own_' || n, 'Own ' || n FROM generate_series(0, 2099) n;
INSERT INTO models (id, team_id, version, status, base_id, sentences, metrics, data)
SELECT pg_temp.id('model', n), pg_temp.id('team', n % 21), 1 + n / 21, CASE WHEN n < 21 THEN 'active' ELSE 'retired' END, pg_temp.id('base', 0), 100, '{}', '\x00' FROM generate_series(0, 209) n;
INSERT INTO file_types (file_id, team_id, generation, model_id, title, abstained, scores) SELECT id, team_id, 1, pg_temp.id('base', 1), 'Agreement', n % 40 = 0, '[{"type": "service", "probability": 0.9}]' FROM numbers;
INSERT INTO file_nodes (file_id, team_id, label, sentences, validated, first_at, place, sentence_id)
SELECT file_id, team_id, label, 1, (source = 'validated')::int, ordinal, 0.5, id FROM sentences WHERE label IS NOT NULL;
INSERT INTO corpus_changes (document_type_id) SELECT pg_temp.id('rare', n % 21) FROM generate_series(0, 99) n;
INSERT INTO nearest_indexes (team_id, bytes_id, format, sentences, files, size, seen) SELECT pg_temp.id('team', n), pg_temp.id('index', n), 1, 100, 100, 100, now() FROM generate_series(0, 20) n;
INSERT INTO type_analyses (document_type_id, team_id, version, files, state, result) SELECT id, team_id, v, 100, 'state', '{}' FROM document_types, generate_series(1, 20) v;
INSERT INTO file_sketches (file_id, team_id, generation, sketch) SELECT id, team_id, 1, decode(md5(n::text), 'hex') FROM numbers;
-- Half of the files begin with the same form.
INSERT INTO sketch_bands (file_id, team_id, band) SELECT id, team_id, CASE WHEN b = 0 AND n % 2 = 0 THEN 1 ELSE 1000 + b * 1000000 + n / 3 END FROM numbers CROSS JOIN generate_series(0, 2) b;
INSERT INTO file_likeness (file_id, other_id, team_id, kind, share) SELECT id, pg_temp.id('file', n - 1), team_id, 'version', 0.9 FROM numbers WHERE n % 3 = 1 AND NOT trashed;

INSERT INTO changes (id, team_id, file_id, body, status, base_sha256, created_by) SELECT pg_temp.id('change', n), team_id, id, '{}', CASE WHEN n % 4 = 0 THEN 'proposed' ELSE 'executed' END, '\x00', pg_temp.id('user', n % 800) FROM numbers WHERE n % 3 = 0;
INSERT INTO renditions (file_id, key, team_id, report, expires_at) SELECT id, '\x01', team_id, '{}', now() + (n % 100 - 1) * interval '1 hour' FROM numbers WHERE n % 3 = 0;
INSERT INTO assignments (id, team_id, file_id, user_id, role, due_at, done_at, created_by)
SELECT pg_temp.id('assignment', n), team_id, id, pg_temp.id('user', CASE WHEN team = 0 THEN n % 800 ELSE 800 + (team - 1) END), 'reviewer', CASE WHEN n % 3 = 0 THEN pg_temp.moment(n * 2) END, CASE WHEN n % 4 > 0 THEN now() END, pg_temp.id('user', 0)
FROM numbers WHERE NOT trashed AND n % 2 = 1;
INSERT INTO assignments (id, team_id, matter_id, user_id, role, done_at, created_by) SELECT pg_temp.id('assignment of matter', n), m.team_id, m.id, pg_temp.id('user', n % 800), 'owner', CASE WHEN n % 2 > 0 THEN now() END, pg_temp.id('user', 0)
FROM generate_series(0, 9999) n JOIN matters m ON m.id = pg_temp.id('matter', n) WHERE n % 50 <> 49;
INSERT INTO chats (team_id, id, name, file_id, created_by) SELECT team_id, pg_temp.id('chat', n), 'Chat ' || n, id, pg_temp.id('user', n % 800) FROM numbers WHERE NOT trashed AND n % 5 = 4;
INSERT INTO chat_participants (team_id, chat_id, user_id) SELECT team_id, pg_temp.id('chat', n), pg_temp.id('user', CASE WHEN team = 0 THEN n / 5 % 800 ELSE 800 + (team - 1) END) FROM numbers WHERE NOT trashed AND n % 5 = 4;
INSERT INTO chat_messages (id, team_id, chat_id, number, author_id, text, file_id, created_at)
SELECT pg_temp.id('message' || m, n), team_id, pg_temp.id('chat', n), m, pg_temp.id('user', n % 800), 'The clause says w' || n % 50, CASE WHEN n % 10 = 4 THEN id END, pg_temp.moment(n)
FROM numbers CROSS JOIN generate_series(1, 3) m WHERE NOT trashed AND n % 5 = 4;
INSERT INTO categories (id, team_id, parent_id, name) SELECT pg_temp.id('category', n), pg_temp.id('team', n % 21), CASE WHEN n >= 420 THEN pg_temp.id('category', n % 420) END, 'Category ' || n FROM generate_series(0, 2099) n;
INSERT INTO file_categories (file_id, category_id) SELECT id, pg_temp.id('category', (21 * (n % 100) + team)::bigint) FROM numbers WHERE NOT trashed AND n % 2 = 1;
INSERT INTO matter_categories (matter_id, category_id) SELECT pg_temp.id('matter', n), pg_temp.id('category', 21 * (n % 100)) FROM generate_series(0, 9999) n WHERE n % 50 <> 49;
INSERT INTO document_type_categories (document_type_id, category_id) SELECT id, pg_temp.id('category', 21 * nth) FROM kinds WHERE team_id = pg_temp.id('team', 0);
INSERT INTO widgets (id, team_id, title, kind, query, x, y, w, h) SELECT pg_temp.id('widget', n), pg_temp.id('team', n % 21), 'Widget', 'number', '{}', 0, n, 4, 4 FROM generate_series(0, 2099) n;
INSERT INTO saved_searches (id, team_id, user_id, name, shared) SELECT pg_temp.id('search', n), pg_temp.id('team', 0), pg_temp.id('user', n % 800), 'Search ' || n, n % 100 = 0 FROM generate_series(0, 1999) n;
INSERT INTO metadata_keys (team_id, key, type) SELECT pg_temp.id('team', n), 'project', 'text' FROM generate_series(0, 20) n;

DO $$
BEGIN
    EXECUTE (SELECT 'DROP TABLE ' || inhrelid::regclass FROM pg_inherits WHERE inhparent = 'events'::regclass AND inhrelid <> 'events_default'::regclass);
    FOR n IN -7 .. 2 LOOP
        EXECUTE format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)', to_char(now() AT TIME ZONE 'UTC' + n * interval '1 day', '"events_"YYYYMMDD'),
            to_char(now() AT TIME ZONE 'UTC' + n * interval '1 day', 'YYYY-MM-DD "00:00+00"'), to_char(now() AT TIME ZONE 'UTC' + (n + 1) * interval '1 day', 'YYYY-MM-DD "00:00+00"'));
    END LOOP;
END $$;
INSERT INTO events (team_id, kind, subject_id, created_at) SELECT team_id, 'file.updated', id, now() - (100000 - n) * interval '6 seconds' FROM numbers ORDER BY n;
INSERT INTO audit_events (team_id, actor_kind, actor_id, action, resource_kind, resource_id, matter_id, file_id, created_at)
SELECT team_id, 'user', pg_temp.id('user', n % 800), CASE WHEN n % 20 = 0 THEN 'sentence.validated' WHEN rare THEN 'file.replaced' ELSE 'file.updated' END, CASE WHEN n % 20 = 0 THEN 'sentence' ELSE 'file' END,
    CASE WHEN n % 20 = 0 THEN pg_temp.id('sentence0', n) ELSE id END, pg_temp.id('matter', matter), CASE WHEN n % 20 = 0 THEN id END, pg_temp.moment(n) FROM numbers ORDER BY n;
INSERT INTO notifications (id, team_id, user_id, kind, title, link, created_at, read_at)
SELECT pg_temp.id('notification', n), team_id, pg_temp.id('user', CASE WHEN team = 0 THEN n % 20 ELSE 800 + (team - 1) END), CASE WHEN n % 5000 = 8 THEN 'mention' ELSE 'file.completed' END, 'Done', '/api/files/' || id, now() - (100000 - n) * interval '20 seconds', CASE WHEN n % 10 > 0 THEN now() END
FROM numbers WHERE NOT trashed;
INSERT INTO webhooks (id, team_id, url, secret) SELECT pg_temp.id('webhook', n), pg_temp.id('team', n % 21), 'https://hooks.example/' || n, 'secret' FROM generate_series(0, 41) n;
INSERT INTO webhook_deliveries (id, webhook_id, team_id, kind, payload, state, asked, created_at)
SELECT pg_temp.id('delivery', n), pg_temp.id('webhook', team), team_id, 'file.completed', '{"data": {"id": "' || id || '"}}', CASE WHEN n % 100 = 0 THEN 'failed' WHEN n % 1000 = 1 THEN 'pending' ELSE 'delivered' END, n % 2000 <> 1, now() - (100000 - n) * interval '20 seconds'
FROM numbers WHERE NOT trashed;
INSERT INTO operations (id, team_id, kind, state, total, created_by) SELECT pg_temp.id('operation', n), pg_temp.id('team', CASE WHEN n % 50 = 49 THEN 1 + n / 50 % 20 ELSE 0 END), 'reprocess', CASE WHEN n % 1000 IN (0, 49) THEN 'running' ELSE 'completed' END, 10, pg_temp.id('user', n % 800) FROM generate_series(0, 9999) n;
INSERT INTO operation_files (operation_id, file_id, attempt) SELECT pg_temp.id('operation', n / 10), id, 1 FROM numbers;
INSERT INTO workers (id, slots, languages, seen_at) SELECT 'worker ' || n, '{"bulk": 2, "interactive": 2}', '{eng}', now() + interval '1 hour' FROM generate_series(1, 3) n;

-- An import waits, and a day's work of jobs is done.
INSERT INTO river_job (state, attempt, max_attempts, attempted_at, created_at, finalized_at, scheduled_at, priority, args, attempted_by, kind, queue)
SELECT CASE WHEN running THEN 'running' WHEN waiting THEN 'available' WHEN n % 10 = 9 THEN 'pending' ELSE 'completed' END::river_job_state, 1, 10, now(), now(),
    CASE WHEN NOT running AND NOT waiting AND n % 10 <> 9 THEN now() END, now(), 1, jsonb_build_object('team_id', team_id, 'file_id', id, 'operation_id', CASE WHEN n % 20 = 9 THEN pg_temp.id('operation', n / 10) END), ARRAY['worker ' || 1 + n % 3], 'receive_file', CASE WHEN n % 10 = 9 THEN 'bulk' ELSE 'interactive' END
FROM numbers ORDER BY n;

DO $$ BEGIN EXECUTE (SELECT string_agg(sql, '; ') FROM later); END $$;
