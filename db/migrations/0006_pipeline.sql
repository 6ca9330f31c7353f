-- +goose Up

-- Where a file lay among others: the folder of an archive's entry, or the one that
-- came with an upload. And how far the entries of an archive or a message have
-- come: how many there are, 0 where only reading tells, and the last that was dealt with.
ALTER TABLE files
    ADD COLUMN path         text NOT NULL DEFAULT '', -- folders, joined by slashes
    ADD COLUMN entries      int NOT NULL DEFAULT 0,
    ADD COLUMN entries_done int NOT NULL DEFAULT 0;

-- The one row that tells this installation from others. The store of the files
-- has the same id as a mark, from when marked is set.
CREATE TABLE installation (
    id     uuid NOT NULL DEFAULT gen_random_uuid(),
    marked boolean NOT NULL DEFAULT false
);

CREATE UNIQUE INDEX installation_one ON installation ((true));

INSERT INTO installation DEFAULT VALUES;

-- Where only the last stages were done again, no page counted as read.
UPDATE files SET pages_done = p.done, pages_ocr = p.ocr
FROM (SELECT file_id, count(*) FILTER (WHERE NOT pending) AS done, count(*) FILTER (WHERE source = 'ocr') AS ocr FROM pages GROUP BY file_id) p
WHERE p.file_id = files.id AND files.text_ready AND files.status IN ('completed', 'completed_with_warnings') AND files.pages_done = 0;
