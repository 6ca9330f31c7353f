package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

// Attribute is a fact of a file, or of a place in it.
type Attribute struct {
	Key         string         `json:"key" doc:"Key of the attribute: governing_law, party, date, …; also rent and deposit of leases, salary and probation_period of employment contracts, principal and interest_rate of loans; payment_term, liability_cap, termination_for_convenience, signatory, renewal_type (automatic, by notice or agreement, none), currency of all sums, address of a party"`
	Value       string         `json:"value" doc:"The value as written in the file, on one line; of renewal_type and currency what its words say: automatic, USD"`
	Normalized  AttributeValue `json:"normalized"`
	Confidence  float32        `json:"confidence" doc:"Confidence, 0 to 1: how often values extracted in this way are right"`
	NeedsReview bool           `json:"needsReview" doc:"true if the confidence is so low that somebody should check the value, below 0.75, and no user has decided on it. The condition needsReview finds the files that have such values"`
	Source      string         `json:"source" enum:"rule,human,model" doc:"rule if it was extracted, model if it is proposed for a field of the team, human if users set it"`
	Spans       []Quote        `json:"spans" nullable:"false" doc:"Places in the file that it was extracted from, best evidence first; empty where users set the value, or confirmed one that is not extracted any more"`

	Decision  *db.AttributeDecision `json:"decision,omitempty" doc:"What a user decided on this value by itself"`
	DecidedBy *string               `json:"decidedBy,omitempty" doc:"Id of the user"`
	DecidedAt *time.Time            `json:"decidedAt,omitempty"`
}

// attributeDecisions serves decisions on single values.
func (a *API) attributeDecisions() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/attributes/{key}/decide", "decideAttribute", "Confirm or refuse one value of an attribute", a.decideAttribute, describe(
		"Decides on one extracted value of an attribute of the file as a whole, and on all values that are equal to it: another way to write the same date is the same value. "+
			"A refused value is in no list, filter, search, export or figure; `refusedAttributes` of the documents has it. A confirmed value is kept when the file is reprocessed, even if it is not extracted again. "+
			"`withdrawn` withdraws the decision. A value that the file does not have is 404. Values that users set are changed with the file: 409."))
}

// AttributeVerdict is a user's decision on one value of an attribute.
type AttributeVerdict struct {
	Value    string               `json:"value" minLength:"1" maxLength:"2000" doc:"The value as it is listed, ignoring case and accents"`
	Decision db.AttributeDecision `json:"decision"`
}

func (a *API) decideAttribute(ctx context.Context, in *struct {
	FileRef
	Key  string `path:"key" maxLength:"100" doc:"Key of the attribute"`
	Body AttributeVerdict
}) (out Attribute, err error) {
	scope := auth.Scope(ctx)
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		row, err := tx.DecideAttribute(ctx, scope, in.FileID, attributeKey(in.Key), in.Body.Value, in.Body.Decision)
		if err != nil {
			return err
		}
		out, err = newAttribute(row)
		return err
	})
	return out, err
}

// AttributeValue is the normalised value of an attribute, independent of its wording.
type AttributeValue struct {
	Name      string   `json:"name,omitempty" doc:"Name of a document, party, person, organization or jurisdiction, or an address on one line"`
	Code      string   `json:"code,omitempty" doc:"ISO 3166 code of a jurisdiction: US-NY, DE"`
	Role      string   `json:"role,omitempty" doc:"Role of a party in the contract: Licensor"`
	Aliases   []string `json:"aliases,omitempty" nullable:"false" doc:"Other names of a party in the contract"`
	Date      string   `json:"date,omitempty" doc:"ISO 8601 date, as precise as it is known: 2020-01-05, 2020-01, 2020"`
	Relative  string   `json:"relative,omitempty" doc:"For a date that refers to another date: the key of that date, such as agreement_date"`
	Readings  []string `json:"readings,omitempty" nullable:"false" doc:"All possible readings, where the words are ambiguous; date or amount is then absent"`
	Duration  string   `json:"duration,omitempty" doc:"ISO 8601 duration: P30D, P2W, P6M, P1Y"`
	Business  bool     `json:"business,omitempty" doc:"true if the days are business days"`
	Recurring bool     `json:"recurring,omitempty" doc:"true if the term is renewed repeatedly"`
	Times     int      `json:"times,omitempty" doc:"Number of possible renewals, if the text states it"`
	Perpetual bool     `json:"perpetual,omitempty" doc:"true if there is no end date: the term lasts until terminated"`
	Amount    string   `json:"amount,omitempty" doc:"Decimal number: 1250.00; for a percentage, in percent"`
	Currency  string   `json:"currency,omitempty" doc:"ISO 4217 code"`
	Period    string   `json:"period,omitempty" doc:"What a rent, a salary or an interest rate is for, as an ISO 8601 duration: P1M a month, P1Y a year, PT1H an hour"`
	Party     string   `json:"party,omitempty" doc:"Name of the party that an address is of"`
}

// GivenAttribute is a value that a person gives to an attribute of a file.
type GivenAttribute struct {
	Value      string          `json:"value" minLength:"1" maxLength:"2000"`
	Normalized *AttributeValue `json:"normalized,omitempty"`
}

// givenAttributes makes rows of the attributes that a user sets, by key.
func givenAttributes(given map[string][]GivenAttribute) (map[string][]db.Attribute, error) {
	rows := make(map[string][]db.Attribute, len(given))
	for name, values := range given {
		key := attributeKey(name)
		if _, twice := rows[key]; twice || key == "" {
			return nil, invalid("body.attributes", strconv.Quote(name)+" is not a valid key, or is given twice")
		}
		var err error
		if rows[key], err = givenValues("body.attributes."+name, key, values); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// givenValues makes rows of the values of one key.
func givenValues(location, key string, values []GivenAttribute) ([]db.Attribute, error) {
	rows := make([]db.Attribute, len(values))
	for i, v := range values {
		rows[i].Value = strings.Join(strings.Fields(v.Value), " ")
		if rows[i].Value == "" {
			return nil, invalid(fmt.Sprintf("%s[%d].value", location, i), "is blank")
		}
		if place, ok := nlp.Place(v.Value); ok && v.Normalized == nil && slices.Contains(query.Places, key) {
			v.Normalized = &AttributeValue{Name: place.Name, Code: place.Code}
		}
		if v.Normalized == nil {
			continue
		}
		var err error
		if rows[i].Normalized, err = json.Marshal(v.Normalized); err != nil {
			return nil, err
		}
		rows[i].Canonical = nlp.Value(*v.Normalized).String()
	}
	return rows, nil
}

// Quote is a place in a file's text and what stands there.
type Quote struct {
	Span
	Page int    `json:"page" doc:"Page where it begins, from 1"`
	Text string `json:"quote" doc:"The exact text, line breaks included"`
}

// AttributeValue has the fields of nlp.Value, in whose form it is stored.
var _ = AttributeValue(nlp.Value{})

func newQuote(s db.AttributeSpan) Quote { return Quote{Span{s.Start, s.End}, s.Page, s.Quote} }

func newAttributes(rows []db.Attribute) ([]Attribute, error) {
	list := make([]Attribute, len(rows))
	for i, a := range rows {
		var err error
		if list[i], err = newAttribute(a); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// needsReview reports whether an extracted value is so unsure that somebody should check it.
func needsReview(confidence float32) bool { return confidence < nlp.DoubtfulFact }

// newAttributeValue reads what the database has; what is no value is none.
func newAttributeValue(stored json.RawMessage) (v AttributeValue) {
	_ = json.Unmarshal(stored, &v)
	return v
}

func newAttribute(a db.Attribute) (Attribute, error) {
	out := Attribute{
		Key: a.Key, Value: a.Value, Confidence: a.Confidence, NeedsReview: a.Source != "human" && a.Decision == nil && needsReview(a.Confidence),
		Source: a.Source, Spans: newList(a.Spans, newQuote).Items,
		Decision: a.Decision, DecidedBy: a.DecidedBy, DecidedAt: utc(a.DecidedAt),
	}
	return out, json.Unmarshal(a.Normalized, &out.Normalized)
}
