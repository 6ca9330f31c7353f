package sfdt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/sfdt"
)

// FuzzRead holds whatever is read to having refused with a word or being whole
// and to being compared with a document.
func FuzzRead(f *testing.F) {
	for _, sample := range samples {
		f.Add(encode(f, convert(f, file(f, sample.body, sample.parts))))
	}
	f.Add([]byte(`{"optimizeSfdt":true,"sec":[{"b":[{"i":[{"tlp":"a","rids":["x"]}]}]}],"r":[{"rid":"x","rt":2}]}`))
	f.Add([]byte(`{"sfdt":"UEsDBA=="}`))
	f.Add([]byte(`{"sfdt":{"sfdt":{"sfdt":1}}}`))
	// What once took the square of its size.
	f.Add([]byte(`{"sections":[{"blocks":[{"inlines":[{"fieldType":0},{"fieldType":2},{"fieldType":0},{"fieldType":2},{"text":"a"},{"fieldType":1},{"text":"b"}]}]}]}`))
	f.Add([]byte(`{"sections":[{"blocks":[{"inlines":[{"inlines":[{"inlines":[{"inlines":[{"text":"deep"}]}]}]},{"footnoteType":1,"blocks":[{"inlines":[{"text":"n"}]}]}]}]}]}`))
	f.Add([]byte(`{"sections":[{"headersFooters":{"header":{"blocks":[{"inlines":[{"text":"h","characterFormat":{"bold":1}}]}]}}}]}`))
	var sources []*docx.Document
	for _, sample := range samples {
		src, err := docx.Open(file(f, sample.body, sample.parts))
		require.NoError(f, err)
		sources = append(sources, src)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		saved, err := sfdt.Read(data)
		if err != nil {
			var known *fault.Error
			require.ErrorAs(t, err, &known)
			require.Nil(t, saved)
			return
		}
		for _, line := range saved.Text {
			require.NotContains(t, line.String(), "\n")
		}
		src := sources[len(data)%len(sources)]
		_, _, err = sfdt.Compare(src, saved, sender, sentAt)
		if fault.KindOf(err) == fault.Conflict { // it was made of another one; as if it was not
			for id, r := range saved.Revisions {
				r.CustomData = ""
				saved.Revisions[id] = r
			}
			saved.Comments, saved.Origin = nil, ""
			_, _, err = sfdt.Compare(src, saved, sender, sentAt)
		}
		require.NoError(t, err)
	})
}

// FuzzConvert makes documents of whatever can stand in a body.
func FuzzConvert(f *testing.F) {
	for _, sample := range samples {
		f.Add(sample.body)
	}
	parts := map[string]string{"styles": samples[2].parts["styles"], "numbering": samples[2].parts["numbering"], "comments": comment("1", "P1", "first") + comment("2", "P2", "answer"), "media/dot.png": pixel}
	f.Fuzz(func(t *testing.T, body string) {
		src, err := docx.Open(file(t, body, parts))
		if err != nil {
			return
		}
		made, err := sfdt.Convert(src)
		require.NoError(t, err)
		sound(t, made)
		_, err = sfdt.Read(encode(t, made))
		require.NoError(t, err)
	})
}
