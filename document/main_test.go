package document

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// TestMain lets the test binary be its own child: Reader starts it with the
// argument "reader".
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "reader" {
		if err := Serve(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
