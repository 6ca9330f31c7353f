-- +goose Up

-- The secret before the present one. Until its time is over requests are signed
-- with both, so that receivers can change over when they like.
ALTER TABLE webhooks
    ADD COLUMN previous_secret       text,
    ADD COLUMN previous_secret_until timestamptz;
