-- +goose Up

-- People are told what became of what they taught.
ALTER TABLE notifications DROP CONSTRAINT notifications_kind_check;
ALTER TABLE notifications ADD CONSTRAINT notifications_kind_check CHECK (kind IN
    ('file.completed', 'file.failed', 'assignment.created', 'assignment.updated', 'operation.finished', 'matter.updated', 'mention', 'model.trained', 'custom')) NOT VALID;
ALTER TABLE notifications VALIDATE CONSTRAINT notifications_kind_check;

-- What came of a training is told of its correction of the base model, beside the labels of the team's own.
UPDATE models SET metrics = jsonb_build_object('own', '[]'::jsonb, 'trial', jsonb_build_object(
    'after', metrics - 'agreed' - 'before' - 'agreedBefore', 'agreed', metrics -> 'agreed',
    'before', metrics -> 'before', 'agreedBefore', metrics -> 'agreedBefore', 'accepted', status <> 'candidate'));
