package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLicenses(t *testing.T) {
	t.Parallel()

	status, stdout, stderr := command(t, "licenses")
	require.Zero(t, status, stderr)
	for _, says := range []string{"Copyright 2026 The Clausemill authors", "Apache License", "THIRD-PARTY NOTICES", "Contract Understanding Atticus Dataset", "The FreeType Project"} {
		require.Contains(t, stdout, says)
	}
	status, stdout, _ = command(t, "licenses", "--json")
	require.Zero(t, status)
	var texts struct{ License, Notice, ThirdParty string }
	require.NoError(t, json.Unmarshal([]byte(stdout), &texts))
	require.NotEmpty(t, texts.License)
	require.NotEmpty(t, texts.ThirdParty)
}
