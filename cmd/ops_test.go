package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAlertsHaveRunbooks follows each alert to what is written about it.
func TestAlertsHaveRunbooks(t *testing.T) {
	t.Parallel()
	alerts, err := os.ReadFile("../ops/helm/clausemill/files/alerts.yaml")
	require.NoError(t, err)
	runbooks, err := os.ReadFile("../docs/runbooks.md")
	require.NoError(t, err)
	headings := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(runbooks), -1) {
		headings["docs/runbooks.md#"+strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")] = true
	}
	names := regexp.MustCompile(`(?m)alert: (\w+)$`).FindAllStringSubmatch(string(alerts), -1)
	links := regexp.MustCompile(`(?m)runbook: (\S+)$`).FindAllStringSubmatch(string(alerts), -1)
	require.Greater(t, len(names), 10)
	require.Len(t, links, len(names))
	for i, link := range links {
		require.True(t, headings[link[1]], "%s has no runbook", names[i][1])
		require.Contains(t, link[1], strings.ToLower(names[i][1]))
	}
}

// TestMetricsOfOperatorsExist looks up each metric that a rule, a board or the chart asks
// for, and each of its labels.
func TestMetricsOfOperatorsExist(t *testing.T) {
	t.Parallel()
	documented, err := os.ReadFile("../docs/metrics.md")
	require.NoError(t, err)
	labels := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(clausemill_\\w+)` \\| \\w+ \\| ([^|]*) \\|").FindAllStringSubmatch(string(documented), -1) {
		labels[row[1]] = row[2]
	}
	require.NotEmpty(t, labels)
	for _, name := range []string{"helm/clausemill/files/alerts.yaml", "helm/clausemill/templates/workers.yaml", "grafana/clausemill.json"} {
		content, err := os.ReadFile(filepath.Join("../ops", name))
		require.NoError(t, err)
		asked := regexp.MustCompile(`(clausemill_\w+)(?:\{([^}]*))?`).FindAllStringSubmatch(string(content), -1)
		require.NotEmpty(t, asked, name)
		for _, series := range asked {
			metric := strings.TrimSuffix(series[1], "_bucket")
			require.Contains(t, labels, metric, name)
			for _, label := range regexp.MustCompile(`(\w+)=~?\\?"`).FindAllStringSubmatch(series[2], -1) {
				if label[1] != "namespace" { // of the scrape
					require.Contains(t, labels[metric], label[1], "%s: %s", name, series[0])
				}
			}
		}
	}
}
