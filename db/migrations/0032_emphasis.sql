-- +goose Up

-- Which words of a page and of a block are set in bold or italic type, by code points
-- from the start of the page's text and of the file's.
ALTER TABLE pages ADD COLUMN emphasis jsonb;
ALTER TABLE blocks ADD COLUMN emphasis jsonb;

-- Headers and footers of pages inside of blocks that go over a page break.
ALTER TABLE blocks ADD COLUMN furniture jsonb;
