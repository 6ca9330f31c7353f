-- +goose Up

-- Fields of blocks are objects with names, as those of pages are.
UPDATE blocks SET fields = (SELECT jsonb_agg(jsonb_build_object('start', f->0, 'end', f->1)) FROM jsonb_array_elements(fields) f)
WHERE jsonb_typeof(fields) = 'array';

-- What was filled into forms on a page, by code points from the start of its text.
ALTER TABLE pages ADD COLUMN fields jsonb;
