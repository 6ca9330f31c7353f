package document

import (
	"context"
	"encoding/json"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/document/format"
)

// Picture is a picture on a page, such as a logo or a signature.
type Picture = format.Picture

// Pictures returns the pictures of the file at path in their order, as they are to be put
// into another document: few enough and small enough to be held in memory. Whole pages that
// are pictures are not among them. Formats other than PDF have none.
func (r *Reader) Pictures(ctx context.Context, path string, kind Kind) ([]Picture, error) {
	if kind != PDF {
		return nil, nil
	}
	var all []Picture
	err := r.call(ctx, request{Op: opPictures, Path: path, Kind: kind}, nil, wholeFile, func(a child.Reply) error {
		var p Picture
		if err := json.Unmarshal(a.Header, &p); err != nil {
			return err
		}
		p.Bytes = append([]byte(nil), a.Payload...)
		all = append(all, p)
		return nil
	})
	if err != nil {
		return nil, r.blame(err, 0)
	}
	return all, nil
}

// pictures is the child's side of Pictures.
func (s *session) pictures(r request, send reply) error {
	f, err := s.file(r)
	if err != nil {
		return err
	}
	illustrated, ok := f.(format.Illustrated)
	if !ok {
		return nil
	}
	return illustrated.Pictures(s.ctx, func(p Picture) error {
		payload := p.Bytes
		p.Bytes = nil
		return send(p, payload)
	})
}
