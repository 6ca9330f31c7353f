-- +goose Up

-- What came of a training is told of its correction of the base model, beside the labels of the team's own.
UPDATE models SET metrics = jsonb_build_object('own', '[]'::jsonb, 'trial', jsonb_build_object(
    'after', metrics - 'agreed' - 'before' - 'agreedBefore', 'agreed', metrics -> 'agreed',
    'before', metrics -> 'before', 'agreedBefore', metrics -> 'agreedBefore', 'accepted', status <> 'candidate'));
