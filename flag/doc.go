// Package flag evaluates feature flags.
//
// It is pure: the subject and its attributes come from api, the conditions from
// db. The same flag, conditions and subject always give the same result, in every
// process, and widening a rollout never turns a feature off for a subject.
package flag
