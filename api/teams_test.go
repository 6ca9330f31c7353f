package api_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

func TestTeams(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, db.PersonalTeam, get[api.Team](t, b.call(t, b.alice, "GET /api/teams", ""), http.StatusOK).Kind)

	r := request(t, b.alice, "POST /api/teams", `{"name":" Beta\u0007 "}`)
	r.Header.Set("Idempotency-Key", "once")
	made := get[api.Team](t, b.send(t, r), http.StatusCreated)
	require.Equal(t, "Beta", made.Name)
	require.Equal(t, db.Admin, made.Role)
	r = request(t, b.alice, "POST /api/teams", `{"name":" Beta\u0007 "}`)
	r.Header.Set("Idempotency-Key", "once")
	require.Equal(t, made, get[api.Team](t, b.send(t, r), http.StatusCreated))
	require.NotEqual(t, made.ID, get[api.Team](t, b.call(t, b.mallory, "POST /api/teams", `{"name":"Beta"}`), http.StatusCreated).ID,
		"that a name is taken is nobody's business")
	get[api.Error](t, b.call(t, b.alice, "POST /api/teams", `{"name":"\u0007"}`), http.StatusUnprocessableEntity)

	teams := get[api.SignedIn](t, b.call(t, b.alice, "GET /api/session", ""), http.StatusOK).Teams
	require.Len(t, teams, 3)
	require.Equal(t, made.ID, teams[2].ID)
}

func TestTeamStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	empty := get[api.TeamStatus](t, b.call(t, b.acme, "GET /api/teams/status", ""), http.StatusOK)
	require.Equal(t, api.TeamStatus{Plan: "self-hosted", Members: 1, FilesByStatus: map[string]int{}}, empty)

	one, two := b.file(t, b.acme), b.file(t, b.acme)
	b.process(t, b.acme, one.ID)
	b.file(t, b.mallory)
	busy := get[api.TeamStatus](t, b.call(t, b.acme, "GET /api/teams/status", ""), http.StatusOK)
	require.Equal(t, one.Size+two.Size, busy.StorageUsed)
	require.Equal(t, 2, busy.Files)
	require.Equal(t, 1, busy.FilesByStatus["queued"])
	require.GreaterOrEqual(t, busy.QueueDepth, 2)
	require.NotNil(t, busy.OldestWaitingJob)
}

// picture is one of a size, noisy so that it does not compress away.
func picture(w, h int) image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	noise := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a picture is no secret
	for i := 0; i < w*h/16; i++ {
		m.Set(noise.IntN(w), noise.IntN(h), color.NRGBA{uint8(noise.Uint32()), 7, 9, 255})
	}
	return m
}

func encoded(t *testing.T, m image.Image, format string) []byte {
	t.Helper()
	var out bytes.Buffer
	switch format {
	case "png":
		require.NoError(t, png.Encode(&out, m))
	case "jpeg":
		require.NoError(t, jpeg.Encode(&out, m, nil))
	case "gif":
		require.NoError(t, gif.Encode(&out, m, nil))
	}
	return out.Bytes()
}

// bombs are small pictures that say of themselves that they are enormous: who
// believes them takes gigabytes.
func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	pixel := encoded(t, picture(1, 1), "png")
	binary.BigEndian.PutUint32(pixel[16:], 1<<20) // the width in the header
	binary.BigEndian.PutUint32(pixel[20:], 1<<20)
	binary.BigEndian.PutUint32(pixel[29:], crc32.ChecksumIEEE(pixel[12:29]))
	photo := encoded(t, picture(1, 1), "jpeg")
	frame := bytes.Index(photo, []byte{0xff, 0xc0})
	require.Positive(t, frame)
	copy(photo[frame+5:], []byte{0xff, 0xff, 0xff, 0xff}) // height and width
	return map[string][]byte{"png": pixel, "jpeg": photo, "png that compresses well": encoded(t, image.NewGray(image.Rect(0, 0, 4_000, 4_000)), "png")}
}

func TestTeamIcon(t *testing.T) {
	t.Parallel()
	b := setup(t)
	put := func(content []byte) int {
		return b.call(t, b.acme, "PUT /api/teams/icon", `{"contentBase64":"`+base64.StdEncoding.EncodeToString(content)+`"}`).Code
	}
	get[api.Error](t, b.call(t, b.acme, "GET /api/teams/icon", ""), http.StatusNotFound)

	hidden := append(encoded(t, picture(1000, 400), "png"), "<script>alert(1)</script>"...)
	require.Equal(t, http.StatusOK, put(hidden))
	w := b.call(t, b.acme, "GET /api/teams/icon", "")
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "image/png", w.Header().Get("Content-Type"))
	require.NotContains(t, w.Body.String(), "script", "only the picture is kept")
	kept, err := png.Decode(bytes.NewReader(w.Body.Bytes()))
	require.NoError(t, err)
	require.Equal(t, image.Pt(512, 204), kept.Bounds().Size())

	r := request(t, b.acme, "GET /api/teams/icon", "")
	r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, b.send(t, r).Code)
	require.Equal(t, http.StatusOK, put(encoded(t, picture(1, 1), "jpeg")))
	require.NotEqual(t, w.Header().Get("ETag"), b.call(t, b.acme, "GET /api/teams/icon", "").Header().Get("ETag"))
	get[api.Error](t, b.call(t, b.mallory, "GET /api/teams/icon", ""), http.StatusNotFound)

	require.Equal(t, http.StatusUnsupportedMediaType, put([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)))
	require.Equal(t, http.StatusUnsupportedMediaType, put(encoded(t, picture(9, 9), "gif")))
	require.Equal(t, http.StatusUnsupportedMediaType, put(nil))
	require.Equal(t, http.StatusRequestEntityTooLarge, put(make([]byte, 1<<20+1)))
	require.Equal(t, http.StatusRequestEntityTooLarge, put(encoded(t, image.NewGray(image.Rect(0, 0, 2049, 1)), "png")))
	for format, bomb := range bombs(t) {
		require.Equal(t, http.StatusRequestEntityTooLarge, put(bomb), format)
	}
	damaged := encoded(t, picture(100, 100), "png")
	require.Equal(t, http.StatusUnprocessableEntity, put(damaged[:len(damaged)/2]))
	get[api.Error](t, b.call(t, b.colleague(t, b.acme, "c"), "PUT /api/teams/icon", `{"contentBase64":""}`), http.StatusForbidden)
}

// TestTeamNames asks who the team is, and is told.
func TestTeamNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	names := func(who caller) api.TeamNames {
		return get[api.TeamNames](t, b.call(t, who, "GET /api/teams/names", ""), http.StatusOK)
	}
	require.Equal(t, api.TeamNames{Names: []string{}, Suggestions: []api.NameSuggestion{}}, names(b.acme))
	for range 2 {
		f := b.file(t, b.acme)
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.SetAttribute(t.Context(), b.acme.scope, f.ID, "party", []db.Attribute{{Key: "party", Value: "Globex GmbH", Normalized: []byte(`{"name":"Globex GmbH"}`)}})
		}))
	}
	require.Equal(t, []api.NameSuggestion{{Name: "Globex GmbH", Files: 2, Of: 2}}, names(b.acme).Suggestions)
	require.Empty(t, names(b.mallory).Suggestions)

	ask := func() []query.Understood {
		return get[api.Generated](t, b.call(t, b.acme, "POST /api/dashboard-widgets/generate-config", `{"prompt":"number of counterparties"}`), http.StatusOK).Understood
	}
	require.Contains(t, ask()[len(ask())-1].Meaning, "names are not set")

	put := func(body string) *httptest.ResponseRecorder { return b.call(t, b.acme, "PUT /api/teams/names", body) }
	op := get[api.Accepted](t, put(`{"names":["  Globex\u200b GmbH ","GLOBEX gmbh","Globex Tools"]}`), http.StatusAccepted)
	require.Equal(t, 2, get[api.Operation](t, b.call(t, b.acme, "GET "+op.StatusURL, ""), http.StatusOK).Total)
	got := names(b.acme)
	require.Equal(t, []string{"Globex GmbH", "Globex Tools"}, got.Names)
	require.Equal(t, "given", *got.Source)
	require.Empty(t, got.Suggestions, "it is asked once")
	require.NotContains(t, ask()[len(ask())-1].Meaning, "names are not set")
	get[api.Error](t, put(`{"names":["\u200b"]}`), http.StatusUnprocessableEntity)
	get[api.Error](t, put(`{"names":["`+strings.Repeat("x", 201)+`"]}`), http.StatusUnprocessableEntity)
	get[api.Error](t, put(`{"names":null}`), http.StatusUnprocessableEntity)
	get[api.Accepted](t, put(`{"names":[]}`), http.StatusAccepted)
	got = names(b.acme)
	require.Empty(t, got.Names)
	require.Equal(t, "given", *got.Source, "none of the parties")
}
