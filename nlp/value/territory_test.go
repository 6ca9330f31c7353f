package value

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/clausemill/clausemill/nlp/lex"
)

// TestTerritories holds that the law of every country has a name, that each name leads to its
// own place, and that the other languages know the same places.
func TestTerritories(t *testing.T) {
	t.Parallel()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			region, err := language.ParseRegion(string(a) + string(b))
			if err != nil || !region.IsCountry() || region.Canonicalize() != region || reserved[region.String()] {
				continue
			}
			require.NotEmpty(t, nameOf(region.String()), region)
		}
	}
	for _, list := range territories {
		for _, name := range list {
			said := strings.NewReplacer(" , ", ", ", " ' ", "'", " . ", ".", " .", ".", " - ", "-", " ’ ", "’").Replace(strings.Join(name.words, " "))
			tape := NewTape("en", "the laws of "+said, nil)
			place, _, ok := tape.TerritoryAt(3)
			require.True(t, ok, said)
			require.Equal(t, name.territory.Code, place.Code, said)
		}
	}
	for code := range lawsOf {
		for _, place := range []string{"US-TX", "CA-AB", "MX-JAL", "FR", "JP"} {
			require.True(t, hasCode(lawsOf[code].names(), place), "%s in %s", place, code)
		}
		for adjective, place := range lawsOf[code].of {
			require.NotEmpty(t, nameOf(place), "%s in %s", adjective, code)
		}
	}
}

// reserved are codes that ISO 3166-1 keeps for something else than a country, or no more, and
// Puerto Rico, which is US-PR here.
var reserved = lex.Set("AC AN YU SU PC NT FQ CS CP CQ DG EA IC TA XA XB EZ EU QO UN ZZ PR")

func hasCode(names map[string][]territoryName, code string) bool {
	for _, list := range names {
		for _, name := range list {
			if name.territory.Code == code {
				return true
			}
		}
	}
	return false
}

// TestPlace reads places in the ways in which people write them, and nothing else.
func TestPlace(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"DELAWARE": "Delaware", "State of Delaware": "Delaware", "the laws of the State of Delaware": "Delaware", "Delaware law": "Delaware", "Delaware, USA": "Delaware", "Delaware, U.S.A.": "Delaware",
		"PRC": "China", "the P.R.C.": "China", "People's Republic of China": "China", "Chinese": "China", "New York State": "New York", "N.Y.": "New York", "commonwealth of massachusetts": "Massachusetts",
		"England & Wales": "England and Wales", "Republic of China": "Taiwan", "The Netherlands": "Netherlands", "Republic of Georgia": "Republic of Georgia", "Georgia": "Georgia", "Salta, Argentina": "Salta, Argentina",
		"us": "United States", "California and Hong Kong": "", "Delaware, Germany": "", "Acme Inc.": "", "": "", "law": "", "the State of": "", ",": "",
	} {
		place, ok := Place(text)
		require.Equal(t, want, place.Name, text)
		require.Equal(t, want != "", ok, text)
	}
	us, _ := Place("USA")
	parts := us.Parts()
	require.Len(t, parts, 52)
	require.Contains(t, parts, Territory{"US-TX", "Texas"})
	require.Empty(t, Territory{"US-TX", "Texas"}.Parts())
}
