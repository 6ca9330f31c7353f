-- +goose Up

-- What the format of a file declares about the paragraphs of a page: headings, numbers,
-- lists, tables. Null where it declares nothing, and for pages read before.
ALTER TABLE pages ADD COLUMN paragraphs jsonb;

-- A block beside the content, such as a footnote, has an origin, '' all others. Cells
-- are those of a table by rows, and fields the spans filled into forms, where the
-- format declares them.
ALTER TABLE blocks
    ADD COLUMN origin text NOT NULL DEFAULT '',
    ADD COLUMN cells jsonb,
    ADD COLUMN fields jsonb;
