package db

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// textUUIDs has ids encoded from strings, which they are everywhere here. Without it each id
// in a row that is copied, or in a list, is refused first, parsed, and encoded then: to
// encode rows was an eighth of the time of a worker's own process in an import. A string that is no id is refused as ever.
func textUUIDs(c *pgx.Conn) {
	id := &pgtype.Type{Name: "uuid", OID: pgtype.UUIDOID, Codec: textUUID{}}
	c.TypeMap().RegisterType(id)
	c.TypeMap().RegisterType(&pgtype.Type{Name: "_uuid", OID: pgtype.UUIDArrayOID, Codec: &pgtype.ArrayCodec{ElementType: id}})
}

// textUUID is the codec of uuids, with a plan for strings.
type textUUID struct{ pgtype.UUIDCodec }

// PlanEncode is that of strings in binary form, or else that of the codec.
func (c textUUID) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(string); ok && format == pgtype.BinaryFormatCode {
		return encodeUUID{}
	}
	return c.UUIDCodec.PlanEncode(m, oid, format, value)
}

type encodeUUID struct{}

// Encode appends the 16 bytes of value.
func (encodeUUID) Encode(value any, buf []byte) ([]byte, error) {
	var id pgtype.UUID
	if err := id.Scan(value); err != nil {
		return nil, err
	}
	return append(buf, id.Bytes[:]...), nil
}
