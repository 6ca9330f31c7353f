// Package flag decides whether a feature is on for somebody.
//
// It is pure: who the subject is and what is known of them comes from api, the
// conditions come from db. The one rule: the same flag, conditions and subject
// give the same answer always and everywhere, and a wider rollout never turns a
// feature off for those who had it.
package flag
