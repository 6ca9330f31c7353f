package model

import (
	"context"
	"errors"
	"sync"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// Store loads models, and caches those that were used recently.
type Store struct {
	db *db.DB

	mu     sync.Mutex
	byID   map[string]*nlp.Model
	types  map[string]*nlp.TypeModel // by id
	fields map[string]*nlp.FieldModel
}

// NewStore opens the models that are in d.
func NewStore(d *db.DB) *Store {
	return &Store{db: d, byID: map[string]*nlp.Model{}, types: map[string]*nlp.TypeModel{}, fields: map[string]*nlp.FieldModel{}}
}

// mostModels bounds the memory for models; each takes some megabytes.
const mostModels = 8

// Active is the model that labels a team's sentences, with its id. If it was made by
// an earlier release and can no longer be read, it is the base model until the next
// training.
func (s *Store) Active(ctx context.Context, in db.Scope) (id string, m *nlp.Model, err error) {
	active, err := s.db.ActiveModel(ctx, in)
	if err == nil {
		m, err = s.open(ctx, in, active.ID)
	}
	if err == nil {
		m, err = s.named(ctx, in, m)
	}
	if fault.KindOf(err) == fault.NotFound || errors.Is(err, nlp.ErrModel) {
		m, err = nlp.BaseModel()
		return nlp.BaseModelID(), m, err
	}
	return active.ID, m, err
}

// named is m in terms of the nodes that a team has: it may know some that were
// merged or deleted since.
func (s *Store) named(ctx context.Context, in db.Scope, m *nlp.Model) (*nlp.Model, error) {
	retired, err := s.db.RetiredNodes(ctx, in)
	if err != nil || len(retired) == 0 {
		return m, err
	}
	return m.Renamed(retired), nil
}

func (s *Store) open(ctx context.Context, in db.Scope, id string) (*nlp.Model, error) {
	s.mu.Lock()
	m, ok := s.byID[id]
	s.mu.Unlock()
	if ok {
		return m, nil
	}
	data, err := s.db.ModelData(ctx, in, id)
	if err != nil {
		return nil, err
	}
	if m, err = nlp.ParseModel(data); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byID) >= mostModels {
		clear(s.byID)
	}
	s.byID[id] = m
	return m, nil
}

// ActiveTypes is the model that predicts the document types of a team's files, with
// its id.
func (s *Store) ActiveTypes(ctx context.Context, in db.Scope) (id string, m *nlp.TypeModel, err error) {
	if id, err = s.db.TypeModelID(ctx, in, nlp.BaseTypeModelID()); err != nil {
		return "", nil, err
	}
	if id == "" {
		m, err = nlp.BaseTypeModel()
		return nlp.BaseTypeModelID(), m, err
	}
	s.mu.Lock()
	m, ok := s.types[id]
	s.mu.Unlock()
	if ok {
		return id, m, nil
	}
	data, err := s.db.TypeModelData(ctx, in, id)
	if err != nil {
		return "", nil, err
	}
	if m, err = nlp.ParseTypeModel(data); err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.types) >= mostModels {
		clear(s.types)
	}
	s.types[id] = m
	return id, m, nil
}
