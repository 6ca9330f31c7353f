-- +goose Up

-- The sum of the scores of the nodes that came close to being labels of a sentence, without
-- the closest where there is none: how many labels are expected to be missing beside it.
-- NULL where no node came close, and until the file is analysed again.
ALTER TABLE sentences ADD COLUMN close real;
