package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTrashOutlivesWorkers has workers killed while they delete many files and
// while they bring them back: each file is in the trash once, and is what it was
// when it is back.
func TestTrashOutlivesWorkers(t *testing.T) {
	long(t)
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	work := s.worker()
	c := ada.bySession(t, address)
	var ids []string
	for i := range 120 {
		content := fmt.Appendf(nil, "The Tenant of house number %d keeps no ostrich.\n\nThe law of Delaware governs this agreement.", i)
		ids = append(ids, c.upload(upload{fmt.Sprintf("lease %d.txt", i), content}).ID)
	}
	c.allEnd(3 * time.Minute)
	before := s.readings(ada.in)
	binned := func() int { return s.count(`SELECT count(*) FROM trash WHERE purged_at IS NULL`) }
	found := func() (total int) {
		var answer struct{ Total int }
		c.get("/api/files/search-index?q=ostrich").into(t, http.StatusOK, &answer)
		return answer.Total
	}
	// bulk asks for something, kills the worker once it has begun, and has another
	// one bring it to its end.
	bulk := func(path, body string) string {
		var asked struct{ OperationID string }
		was := binned()
		c.post(path, body).into(t, http.StatusAccepted, &asked)
		require.Eventually(t, func() bool { return binned() != was }, time.Minute, time.Millisecond)
		work.kill()
		t.Logf("killed at %d of %d", binned(), len(ids))
		work = s.worker()
		var op struct {
			State string
			Done  int
		}
		require.Eventually(t, func() bool {
			a := c.get("/api/operations/" + asked.OperationID)
			return a.ok() && json.Unmarshal(a.body, &op) == nil && op.State == "completed"
		}, 2*time.Minute, 50*time.Millisecond)
		require.Equal(t, len(ids), op.Done)
		return asked.OperationID
	}
	require.Equal(t, len(ids), found())
	list, err := json.Marshal(ids)
	require.NoError(t, err)
	operation := bulk("/api/files/bulk/delete", `{"fileIds":`+string(list)+`}`)
	require.Equal(t, len(ids), binned())
	require.Empty(t, c.list())
	require.Zero(t, found())

	bulk("/api/trash/restore", `{"operationId":"`+operation+`"}`)
	require.Zero(t, binned())
	s.requireSame(before, s.readings(ada.in))
	require.Equal(t, len(ids), found())
	s.lawful()
	s.vocabularyIsTrue(ada.in)
}
