package value

// jurisdictions finds the territories whose law or courts a text speaks of: "laws of
// the State of New York", "courts of England", "a Delaware corporation".
type jurisdictions struct{}

func (j jurisdictions) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		p, next, ok := t.TerritoryAt(i)
		if !ok {
			continue
		}
		if start := j.before(t, i); start < i || j.after(t, next) {
			found = append(found, Mention{t.Extent(i, next), Jurisdiction, Value{Name: p.Name, Code: p.Code}, 0.95})
		}
		i = next - 1
	}
	return found
}

// titlesOfTerritories are between "of" and the name: "the State of New York".
var titlesOfTerritories = [...]string{"state", "commonwealth", "province", "republic", "kingdom", "country", "territory", "federation", "states"}

// before returns where the words begin that make the place at i one of law, or
// i where there are none.
func (j jurisdictions) before(t *Tape, i int) int {
	const reach = 6 // "laws applicable in the State of"
	titled := false
	for at := i - 1; at >= 0 && at >= i-reach; at-- {
		switch {
		case t.Is(at, "of", "the", "in", "internal", "substantive", "for", "state", "commonwealth", "province", "republic", "kingdom", "located", "within", "applicable", "and", "federal", "domestic", "or"):
			titled = titled || t.Is(at, titlesOfTerritories[:]...)
		case t.Is(at, "law", "laws", "courts", "court", "jurisdiction", "statutes", "legislation"):
			return at
		default:
			if titled {
				return at + 1
			}
			return i
		}
	}
	if titled {
		return i - reach
	}
	return i
}

// after reports whether the place that ends before i stands for its law or for
// where a company is at home.
func (j jurisdictions) after(t *Tape, i int) bool {
	for range 3 {
		switch {
		case t.Is(i, "law", "laws", "courts", "court", "corporation", "company", "partnership", "trust"):
			return true
		case t.Is(i, "limited", "liability", "general", "public", "private", "statutory", "business", "nonprofit", "professional", "banking", "federal", "state", "substantive", "material", "internal", "domestic"):
			i++
		default:
			return false
		}
	}
	return false
}
