package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/blob/blobtest"
)

// TestFullDisk fills the disk of the files: uploads are refused in words that say
// so, `clausemill upload` waits, what has been accepted does not fail, and all of
// it goes on when there is room.
func TestFullDisk(t *testing.T) {
	long(t)
	disk := blobtest.Disk(t, "4m")
	s := newSystem(t, "BLOB_URL=file://"+disk+"/blobs")
	address := freeAddress(t)
	s.api(address)
	ada := s.account("ada@example.com")
	c := ada.byKey(t, address)
	archive := c.upload(upload{"all.zip", encodeZIP(t,
		entry{"one.txt", []byte("The Tenant shall pay the rent.")}, entry{"two.txt", []byte("The Landlord shall repair the roof.")})})

	release := blobtest.Fill(t, disk)
	note := upload{"note.txt", []byte("The Agent shall keep the books.")}
	refused := c.send(t.Context(), note, "note")
	require.Equal(t, http.StatusInsufficientStorage, refused.status, "%s", refused.body)
	require.JSONEq(t, `{"error":"the file store has no space left; try again later","code":"insufficient_storage"}`, string(refused.body))
	require.Equal(t, "30", refused.header.Get("Retry-After"))
	require.Equal(t, http.StatusOK, c.get("/api/files").status)

	path := filepath.Join(s.dir, "contract.txt")
	require.NoError(t, os.WriteFile(path, []byte("The Supplier shall deliver the goods."), 0o600))
	sending := start(t, s.dir, append(s.env, "CLAUSEMILL_URL=http://"+address, "CLAUSEMILL_API_KEY="+ada.key), program, "upload", path)
	s.worker()
	require.Eventually(t, func() bool {
		return s.count(`SELECT count(*) FROM river_job WHERE (metadata ->> 'snoozes')::int > 0`) > 0
	}, time.Minute, 50*time.Millisecond, "the archive cannot be unpacked, and waits")
	require.Equal(t, "processing", c.get("/api/files/"+archive.ID).file(t).Status)
	require.True(t, sending.running(), sending.said(1<<10))

	release()
	require.Equal(t, "completed", c.wait(archive.ID, 2*time.Minute).Status)
	require.Zero(t, s.count(`SELECT count(*) FROM river_job WHERE kind = 'receive_file' AND attempt > 1`), "waiting is no try")
	sending.ends(2 * time.Minute)
	require.Zero(t, sending.cmd.ProcessState.ExitCode(), sending.said(1<<10))
	require.True(t, c.send(t.Context(), note, "note").ok())
	require.Len(t, c.allEnd(time.Minute), 5)
	s.lawful()
}
