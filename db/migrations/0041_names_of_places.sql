-- +goose Up

-- China goes by its plain name, as other countries do.
UPDATE files SET label_generation = label_generation + 1 WHERE id IN (
    SELECT file_id FROM attributes WHERE level = 'file' AND key IN ('governing_law', 'jurisdiction') AND normal = 'people''s republic of china' AND normalized ->> 'code' = 'CN');
UPDATE attributes SET normal = 'china', normalized = jsonb_set(normalized, '{name}', '"China"')
WHERE key IN ('governing_law', 'jurisdiction') AND normal = 'people''s republic of china' AND normalized ->> 'code' = 'CN';
UPDATE overruled_attributes SET normal = 'china', normalized = jsonb_set(normalized, '{name}', '"China"')
WHERE key IN ('governing_law', 'jurisdiction') AND normal = 'people''s republic of china' AND normalized ->> 'code' = 'CN';
UPDATE attribute_decisions d SET normal = 'china', normalized = jsonb_set(normalized, '{name}', '"China"')
WHERE key IN ('governing_law', 'jurisdiction') AND normal = 'people''s republic of china' AND normalized ->> 'code' = 'CN'
    AND NOT EXISTS (SELECT FROM attribute_decisions o WHERE o.file_id = d.file_id AND o.key = d.key AND o.normal = 'china');
