package label

import "slices"

// Family groups the nodes of the taxonomy by what they are about.
type Family struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Node is a clause of interest: what a sentence can be labelled with.
type Node struct {
	ID          string `json:"id"` // stable; what models and stores know it by
	Name        string `json:"name"`
	Family      string `json:"family"` // the id of a Family
	Description string `json:"description"`
}

// Families returns the families of the taxonomy in the order in which they are
// shown.
func Families() []Family { return slices.Clone(families) }

// Taxonomy returns the nodes that the base model knows, family by family. They
// are the categories of CUAD, whose names they keep.
func Taxonomy() []Node { return slices.Clone(taxonomy) }

var families = []Family{
	{"general", "General"},
	{"term", "Term and termination"},
	{"competition", "Competition and exclusivity"},
	{"transfer", "Assignment and control"},
	{"commercial", "Commercial terms"},
	{"property", "Intellectual property"},
	{"liability", "Liability and risk"},
	{"legal", "Law and enforcement"},
}

var taxonomy = []Node{
	{"document_name", "Document Name", "general", "The name of the contract."},
	{"parties", "Parties", "general", "The parties who sign the contract, and the names they go by in it."},
	{"agreement_date", "Agreement Date", "general", "The date of the contract."},
	{"effective_date", "Effective Date", "general", "The date from which the contract binds."},

	{"expiration_date", "Expiration Date", "term", "When the initial term ends."},
	{"renewal_term", "Renewal Term", "term", "What follows the initial term: automatic extensions and those that take notice."},
	{"notice_period_to_terminate_renewal", "Notice Period to Terminate Renewal", "term", "How much notice it takes to stop a renewal."},
	{"termination_for_convenience", "Termination for Convenience", "term", "A party can end the contract without cause, by notice or the passing of time alone."},
	{"post_termination_services", "Post-Termination Services", "term", "What a party still owes after the end: transition, last orders, wind-down, payments."},

	{"most_favored_nation", "Most Favored Nation", "competition", "A party that gives others better terms has to give them to the counterparty as well."},
	{"competitive_restriction_exception", "Competitive Restriction Exception", "competition", "Exceptions to a non-compete, an exclusivity or a no-solicit of customers."},
	{"non_compete", "Non-Compete", "competition", "A party must not compete with the counterparty, or not in some place, business or field."},
	{"exclusivity", "Exclusivity", "competition", "A party deals with the counterparty alone: exclusive supply, purchase, licence or territory."},
	{"no_solicit_of_customers", "No-Solicit of Customers", "competition", "A party must not draw away the customers or partners of the counterparty."},
	{"no_solicit_of_employees", "No-Solicit of Employees", "competition", "A party must not draw away or hire the people of the counterparty."},
	{"non_disparagement", "Non-Disparagement", "competition", "A party must not speak ill of the counterparty."},

	{"rofr_rofo_rofn", "Rofr/Rofo/Rofn", "transfer", "A right of first refusal, first offer or first negotiation."},
	{"change_of_control", "Change of Control", "transfer", "What follows from a merger, a sale of the shares or of the business: consent, notice, an end to the contract."},
	{"anti_assignment", "Anti-Assignment", "transfer", "Assigning the contract takes consent or notice."},

	{"revenue_profit_sharing", "Revenue/Profit Sharing", "commercial", "A party shares revenue or profit with the counterparty."},
	{"price_restrictions", "Price Restrictions", "commercial", "Limits on raising or lowering prices."},
	{"minimum_commitment", "Minimum Commitment", "commercial", "The least that a party has to buy or pay, by order or over a time."},
	{"volume_restriction", "Volume Restriction", "commercial", "A fee or a consent is due when use passes a limit."},

	{"ip_ownership_assignment", "IP Ownership Assignment", "property", "What a party creates becomes the property of the counterparty."},
	{"joint_ip_ownership", "Joint IP Ownership", "property", "Intellectual property that belongs to both parties."},
	{"license_grant", "License Grant", "property", "A party licenses something to the counterparty."},
	{"non_transferable_license", "Non-Transferable License", "property", "A licence that cannot be transferred."},
	{"affiliate_license_licensor", "Affiliate License-Licensor", "property", "A licence of what affiliates of the licensor own."},
	{"affiliate_license_licensee", "Affiliate License-Licensee", "property", "A licence for affiliates of the licensee."},
	{"unlimited_license", "Unlimited/All-You-Can-Eat-License", "property", "A licence without a limit on its use, for a whole enterprise."},
	{"irrevocable_or_perpetual_license", "Irrevocable or Perpetual License", "property", "A licence that has no end or cannot be taken back."},
	{"source_code_escrow", "Source Code Escrow", "property", "Source code is deposited with a third party, to be released if something happens."},

	{"uncapped_liability", "Uncapped Liability", "liability", "Liability that is not limited, wholly or for some breaches."},
	{"cap_on_liability", "Cap on Liability", "liability", "A limit on liability: an amount, a time to claim, or kinds of damages that are excluded."},
	{"liquidated_damages", "Liquidated Damages", "liability", "Damages or a fee set in advance for a breach or an early end."},
	{"warranty_duration", "Warranty Duration", "liability", "How long a warranty lasts."},
	{"insurance", "Insurance", "liability", "Insurance that a party has to keep for the counterparty."},

	{"governing_law", "Governing Law", "legal", "The law by which the contract is read."},
	{"audit_rights", "Audit Rights", "legal", "A party may inspect books, records or premises of the counterparty."},
	{"covenant_not_to_sue", "Covenant Not to Sue", "legal", "A party must not contest rights of the counterparty or bring other claims against it."},
	{"third_party_beneficiary", "Third Party Beneficiary", "legal", "Somebody who is no party can enforce the contract."},
}
