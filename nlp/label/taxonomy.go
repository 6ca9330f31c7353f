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
	Category    string `json:"-"` // what CUAD calls it, whose annotations it is learnt from
}

// Families returns the families of the taxonomy in the order in which they are
// shown.
func Families() []Family { return slices.Clone(families) }

// Taxonomy returns the nodes that the base model knows, family by family. They
// are the categories of CUAD.
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
	{"document_name", "Document name", "general", "The name of the contract.", "Document Name"},
	{"parties", "Parties", "general", "The parties who sign the contract, and the names they go by in it.", "Parties"},
	{"agreement_date", "Agreement date", "general", "The date of the contract.", "Agreement Date"},
	{"effective_date", "Effective date", "general", "The date from which the contract binds.", "Effective Date"},

	{"expiration_date", "Expiration date", "term", "When the initial term ends.", "Expiration Date"},
	{"renewal_term", "Renewal term", "term", "What follows the initial term: automatic extensions and those that take notice.", "Renewal Term"},
	{"notice_period_to_terminate_renewal", "Notice period to terminate renewal", "term", "How much notice it takes to stop a renewal.", "Notice Period to Terminate Renewal"},
	{"termination_for_convenience", "Termination for convenience", "term", "A party can end the contract without cause, by notice or the passing of time alone.", "Termination for Convenience"},
	{"post_termination_services", "Post-termination services", "term", "What a party still owes after the end: transition, last orders, wind-down, payments.", "Post-Termination Services"},

	{"most_favored_nation", "Most favored nation", "competition", "A party that gives others better terms has to give them to the counterparty as well.", "Most Favored Nation"},
	{"competitive_restriction_exception", "Competitive restriction exception", "competition", "Exceptions to a non-compete, an exclusivity or a no-solicit of customers.", "Competitive Restriction Exception"},
	{"non_compete", "Non-compete", "competition", "A party must not compete with the counterparty, or not in some place, business or field.", "Non-Compete"},
	{"exclusivity", "Exclusivity", "competition", "A party deals with the counterparty alone: exclusive supply, purchase, licence or territory.", "Exclusivity"},
	{"no_solicit_of_customers", "No-solicit of customers", "competition", "A party must not draw away the customers or partners of the counterparty.", "No-Solicit of Customers"},
	{"no_solicit_of_employees", "No-solicit of employees", "competition", "A party must not draw away or hire the people of the counterparty.", "No-Solicit of Employees"},
	{"non_disparagement", "Non-disparagement", "competition", "A party must not speak ill of the counterparty.", "Non-Disparagement"},

	{"rofr_rofo_rofn", "Right of first refusal, offer or negotiation", "transfer", "A right of first refusal, first offer or first negotiation.", "Rofr/Rofo/Rofn"},
	{"change_of_control", "Change of control", "transfer", "What follows from a merger, a sale of the shares or of the business: consent, notice, an end to the contract.", "Change of Control"},
	{"anti_assignment", "Anti-assignment", "transfer", "Assigning the contract takes consent or notice.", "Anti-Assignment"},

	{"revenue_profit_sharing", "Revenue or profit sharing", "commercial", "A party shares revenue or profit with the counterparty.", "Revenue/Profit Sharing"},
	{"price_restrictions", "Price restrictions", "commercial", "Limits on raising or lowering prices.", "Price Restrictions"},
	{"minimum_commitment", "Minimum commitment", "commercial", "The least that a party has to buy or pay, by order or over a time.", "Minimum Commitment"},
	{"volume_restriction", "Volume restriction", "commercial", "A fee or a consent is due when use passes a limit.", "Volume Restriction"},

	{"ip_ownership_assignment", "IP ownership assignment", "property", "What a party creates becomes the property of the counterparty.", "IP Ownership Assignment"},
	{"joint_ip_ownership", "Joint IP ownership", "property", "Intellectual property that belongs to both parties.", "Joint IP Ownership"},
	{"license_grant", "License grant", "property", "A party licenses something to the counterparty.", "License Grant"},
	{"non_transferable_license", "Non-transferable license", "property", "A licence that cannot be transferred.", "Non-Transferable License"},
	{"affiliate_license_licensor", "License from affiliates of the licensor", "property", "A licence of what affiliates of the licensor own.", "Affiliate License-Licensor"},
	{"affiliate_license_licensee", "License for affiliates of the licensee", "property", "A licence for affiliates of the licensee.", "Affiliate License-Licensee"},
	{"unlimited_license", "Unlimited license", "property", "A licence without a limit on its use, for a whole enterprise.", "Unlimited/All-You-Can-Eat-License"},
	{"irrevocable_or_perpetual_license", "Irrevocable or perpetual license", "property", "A licence that has no end or cannot be taken back.", "Irrevocable or Perpetual License"},
	{"source_code_escrow", "Source code escrow", "property", "Source code is deposited with a third party, to be released if something happens.", "Source Code Escrow"},

	{"uncapped_liability", "Uncapped liability", "liability", "Liability that is not limited, wholly or for some breaches.", "Uncapped Liability"},
	{"cap_on_liability", "Cap on liability", "liability", "A limit on liability: an amount, a time to claim, or kinds of damages that are excluded.", "Cap on Liability"},
	{"liquidated_damages", "Liquidated damages", "liability", "Damages or a fee set in advance for a breach or an early end.", "Liquidated Damages"},
	{"warranty_duration", "Warranty duration", "liability", "How long a warranty lasts.", "Warranty Duration"},
	{"insurance", "Insurance", "liability", "Insurance that a party has to keep for the counterparty.", "Insurance"},

	{"governing_law", "Governing law", "legal", "The law by which the contract is read.", "Governing Law"},
	{"audit_rights", "Audit rights", "legal", "A party may inspect books, records or premises of the counterparty.", "Audit Rights"},
	{"covenant_not_to_sue", "Covenant not to sue", "legal", "A party must not contest rights of the counterparty or bring other claims against it.", "Covenant Not to Sue"},
	{"third_party_beneficiary", "Third-party beneficiary", "legal", "Somebody who is no party can enforce the contract.", "Third Party Beneficiary"},
}
