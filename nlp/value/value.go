package value

import "strings"

// Key says what an attribute is about.
type Key string

// Keys of attributes of a place in the text.
const (
	Date         Key = "date"
	Period       Key = "duration"
	Money        Key = "money"
	Percentage   Key = "percentage"
	Jurisdiction Key = "jurisdiction"
	Organization Key = "organization"
	Person       Key = "person"
	Address      Key = "address"
	Party        Key = "party" // also at file level
)

// Keys of attributes of the file as a whole.
const (
	DocumentName   Key = "document_name"
	AgreementDate  Key = "agreement_date"
	EffectiveDate  Key = "effective_date"
	ExpirationDate Key = "expiration_date"
	InitialTerm    Key = "initial_term"
	RenewalTerm    Key = "renewal_term"
	NoticePeriod   Key = "notice_period"
	GoverningLaw   Key = "governing_law"
	ContractValue  Key = "contract_value"
	PaymentTerm    Key = "payment_term"                // from an invoice on
	LiabilityCap   Key = "liability_cap"               // a sum, or the payments of a time
	Convenience    Key = "termination_for_convenience" // the notice, and who may give it
	Signatory      Key = "signatory"                   // there may be several
	RenewalType    Key = "renewal_type"                // one of Automatic, ByNotice, NotRenewed
	Currency       Key = "currency"                    // of all sums, where it is one
	// Address is at file level that of a party, which the value has; there may be several.
	// Of leases, employment contracts and loans.
	Rent            Key = "rent"
	Deposit         Key = "deposit"
	Salary          Key = "salary"
	ProbationPeriod Key = "probation_period"
	Principal       Key = "principal"
	InterestRate    Key = "interest_rate"
)

// What a renewal can be, as the Name of a value.
const (
	Automatic  = "automatic"              // unless somebody objects
	ByNotice   = "by notice or agreement" // if a party, or all, say so
	NotRenewed = "none"                   // it says that it is not renewed
)

// Concluded reports whether a value of the key is a conclusion from its words and not among
// them, so that people are shown the value: "USD" for "$500".
func (k Key) Concluded() bool { return k == RenewalType || k == Currency }

// Value is what words say, apart from how they say it. Each key fills fields of
// its own; what the words leave open stays empty.
type Value struct {
	Name      string   `json:"name,omitempty"`      // of a document, party, person, organization or jurisdiction; an address on one line
	Code      string   `json:"code,omitempty"`      // ISO 3166 of a jurisdiction: "US-NY", "DE"
	Role      string   `json:"role,omitempty"`      // what the contract calls a party by its part: "Licensor"
	Aliases   []string `json:"aliases,omitempty"`   // what else the contract calls a party
	Date      string   `json:"date,omitempty"`      // ISO 8601, cut to what is known: "2020-01-05", "2020-01", "2020"
	Relative  string   `json:"relative,omitempty"`  // the date that a date is named by: "agreement_date"
	Readings  []string `json:"readings,omitempty"`  // of words that can be read in more ways than one; Date or Amount is then empty
	Duration  string   `json:"duration,omitempty"`  // ISO 8601: "P30D", "P2W", "P6M", "P1Y"
	Business  bool     `json:"business,omitempty"`  // the days are business days
	Recurring bool     `json:"recurring,omitempty"` // the term is renewed again and again
	Times     int      `json:"times,omitempty"`     // how often it can be, where that is said
	Perpetual bool     `json:"perpetual,omitempty"` // until somebody ends it
	Amount    string   `json:"amount,omitempty"`    // decimal, with a stop: "1250.00"; of a percentage, percent
	Currency  string   `json:"currency,omitempty"`  // ISO 4217
	Period    string   `json:"period,omitempty"`    // what a rent, a salary or a rate is for, ISO 8601: "P1M", "P1Y", "PT1H"
	Party     string   `json:"party,omitempty"`     // the name of the party that an address is of
}

// String is the normalised value on one line, the same for equal values in different
// words: "Acme Inc.", "2020-01-05", "P30D", "1250.00 USD". Of ambiguous words it has
// every reading.
func (v Value) String() string {
	switch {
	case v.Name != "":
		return v.Name
	case v.Date != "":
		return v.Date
	case v.Amount != "":
		return strings.TrimSpace(v.Amount + " " + v.Currency)
	case len(v.Readings) > 0:
		return strings.TrimSpace(strings.Join(v.Readings, " or ") + " " + v.Currency)
	case v.Duration != "":
		return v.Duration
	case v.Perpetual:
		return "perpetual"
	case v.Recurring:
		return "recurring"
	case v.Code != "":
		return v.Code
	case v.Currency != "":
		return v.Currency
	case v.Role != "":
		return v.Role
	default:
		return v.Relative
	}
}
