package format

// Reason is why a page's text layer was used or rejected.
type Reason string

// The reasons. All but the first four send the page to recognition.
const (
	ReasonGood           Reason = "text_layer_ok"
	ReasonConfirmed      Reason = "text_layer_confirmed"    // it looked garbled, and recognition read the same
	ReasonForm           Reason = "dynamic_form"            // its text is that of a form whose layout is not known
	ReasonFormIncomplete Reason = "dynamic_form_incomplete" // such a form, and not all of its text could be read
	ReasonHidden         Reason = "hidden_text"             // the text layer is good, and text is hidden, struck out, white or tiny
	ReasonBlank          Reason = "blank"                   // nothing is drawn on the page but a few long rules
	ReasonNoText         Reason = "no_text"                 // something is drawn, none of it text
	ReasonReplacement    Reason = "replacement_characters"  // U+FFFD and control characters
	ReasonPrivateUse     Reason = "private_use_glyphs"      // glyphs without a Unicode meaning
	ReasonCID            Reason = "cid_references"          // "(cid:12)" written out by a bad converter
	ReasonImplausible    Reason = "implausible_words"       // letters that make no words
	ReasonImage          Reason = "image_without_text"      // a picture fills the page, with only a few words
	ReasonAnnotations    Reason = "too_many_annotations"    // more fields and annotations than are read one by one
	ReasonUnreadable     Reason = "unreadable"              // the page's content cannot be parsed
)

// NeedsOCR reports whether a page with this reason is sent to recognition.
func (r Reason) NeedsOCR() bool {
	return r != ReasonGood && r != ReasonConfirmed && r != ReasonForm && r != ReasonFormIncomplete && r != ReasonHidden && r != ReasonBlank
}
