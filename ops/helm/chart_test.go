// Package helm tests the chart: what it renders is read with the types of Kubernetes, in
// which an unknown field is an error, and held to rules about safety.
package helm

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the rendered examples")

// least is what has to be set.
func least() map[string]any {
	return map[string]any{"config": map[string]any{"BLOB_URL": "s3://contracts?region=eu-central-1", "CLAUSEMILL_PUBLIC_URL": "https://contracts.example.com"}}
}

// all turns on whatever can be.
func all() map[string]any {
	on := func() map[string]any { return map[string]any{"scaling": map[string]any{"enabled": true}} }
	values := least()
	values["secrets"] = map[string]any{"DATABASE_DIRECT_URL": map[string]any{"name": "clausemill-database", "key": "direct"}}
	values["environmentSecrets"] = map[string]any{"AWS_ACCESS_KEY_ID": map[string]any{"name": "bucket", "key": "id"}}
	values["api"] = map[string]any{
		"autoscaling": map[string]any{"enabled": true},
		"ingress":     map[string]any{"enabled": true, "className": "nginx", "tlsSecret": "contracts-tls"},
	}
	values["workers"] = map[string]any{"general": on(), "scans": on()}
	values["prometheus"] = map[string]any{"podMonitor": true, "rules": true, "labels": map[string]any{"release": "prometheus"}}
	return values
}

// render is what helm install would send.
func render(values map[string]any) (string, error) {
	chart, err := loader.Load("clausemill")
	if err != nil {
		return "", err
	}
	install := action.NewInstall(new(action.Configuration))
	install.ClientOnly, install.DryRun = true, true
	install.ReleaseName, install.Namespace = "cm", "legal"
	install.KubeVersion = &chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}
	release, err := install.Run(chart, values)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(release.Manifest)
	for _, hook := range release.Hooks {
		out.WriteString("---\n" + hook.Manifest + "\n")
	}
	return out.String(), nil
}

// typed is a new object of a kind, or nil for those of Kubernetes's extensions.
func typed(kind string) any {
	switch kind {
	case "ConfigMap":
		return new(corev1.ConfigMap)
	case "Deployment":
		return new(appsv1.Deployment)
	case "HorizontalPodAutoscaler":
		return new(autoscalingv2.HorizontalPodAutoscaler)
	case "Ingress":
		return new(networkingv1.Ingress)
	case "Job":
		return new(batchv1.Job)
	case "NetworkPolicy":
		return new(networkingv1.NetworkPolicy)
	case "PodDisruptionBudget":
		return new(policyv1.PodDisruptionBudget)
	case "Service":
		return new(corev1.Service)
	case "ServiceAccount":
		return new(corev1.ServiceAccount)
	}
	return nil
}

// read parses what was rendered, strictly.
func read(t *testing.T, rendered string) []any {
	t.Helper()
	var objects []any
	documents := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(rendered)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		var kind metav1.TypeMeta
		require.NoError(t, yaml.Unmarshal(document, &kind))
		if kind.Kind == "" {
			continue // comments only
		}
		object := typed(kind.Kind)
		if object == nil {
			require.Contains(t, []string{"ScaledObject", "PodMonitor", "PrometheusRule"}, kind.Kind)
			object = new(map[string]any)
		}
		require.NoError(t, yaml.UnmarshalStrict(document, object), "%s", document)
		if known, ok := object.(runtime.Object); ok {
			require.Equal(t, kind.APIVersion, known.GetObjectKind().GroupVersionKind().GroupVersion().String())
		}
		objects = append(objects, object)
	}
}

// pods are the pods that objects make, by the name of what makes them.
func pods(objects []any) map[string]corev1.PodTemplateSpec {
	found := map[string]corev1.PodTemplateSpec{}
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.Deployment:
			found[o.Name] = o.Spec.Template
		case *batchv1.Job:
			found[o.Name] = o.Spec.Template
		}
	}
	return found
}

// TestRendered compares with the examples, which people read.
func TestRendered(t *testing.T) {
	for name, values := range map[string]map[string]any{"least": least(), "all": all()} {
		rendered, err := render(values)
		require.NoError(t, err)
		path := filepath.Join("testdata", name+".yaml")
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(rendered), 0o600))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), rendered, "run with -update, and read the difference")
		require.NotEmpty(t, read(t, rendered))
	}
}

// TestPodsAreConfined holds every pod to the rules of a restricted namespace, and a few more.
func TestPodsAreConfined(t *testing.T) {
	rendered, err := render(all())
	require.NoError(t, err)
	made := pods(read(t, rendered))
	require.Len(t, made, 4)
	for name, pod := range made {
		spec := pod.Spec
		require.True(t, *spec.SecurityContext.RunAsNonRoot, name)
		require.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, spec.SecurityContext.SeccompProfile.Type, name)
		require.False(t, *spec.AutomountServiceAccountToken, name)
		require.False(t, spec.HostNetwork || spec.HostPID || spec.HostIPC, name)
		for _, volume := range spec.Volumes {
			require.Nil(t, volume.HostPath, name)
			if volume.EmptyDir != nil {
				require.NotNil(t, volume.EmptyDir.SizeLimit, "%s: %s has no bound", name, volume.Name)
			}
		}
		require.Len(t, spec.Containers, 1)
		c := spec.Containers[0]
		require.False(t, *c.SecurityContext.AllowPrivilegeEscalation, name)
		require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem, name)
		require.Equal(t, []corev1.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop, name)
		require.NotZero(t, c.Resources.Limits.Memory().Value(), name)
		require.NotZero(t, c.Resources.Requests.Cpu().MilliValue(), name)
		for _, variable := range c.Env {
			secret := strings.Contains(variable.Name, "KEY") || strings.Contains(variable.Name, "SECRET") || strings.HasPrefix(variable.Name, "DATABASE_URL")
			if secret && !strings.HasSuffix(variable.Name, "_FILE") {
				require.NotNil(t, variable.ValueFrom, "%s: %s is in the manifest", name, variable.Name)
			}
		}
		if strings.HasSuffix(name, "migrate") {
			continue
		}
		require.NotNil(t, c.StartupProbe, name)
		require.NotNil(t, c.LivenessProbe, name)
		require.NotNil(t, c.ReadinessProbe, name)
		require.Greater(t, *spec.TerminationGracePeriodSeconds, int64(30), "%s is cut off while it stops", name)
	}
}

// TestEveryPodMayBeDisrupted finds a budget and a policy for each deployment.
func TestEveryPodMayBeDisrupted(t *testing.T) {
	rendered, err := render(least())
	require.NoError(t, err)
	objects := read(t, rendered)
	selects := func(selector *metav1.LabelSelector, pod corev1.PodTemplateSpec) bool {
		chosen, err := metav1.LabelSelectorAsSelector(selector)
		require.NoError(t, err)
		return chosen.Matches(labels.Set(pod.Labels))
	}
	for _, object := range objects {
		deployment, ok := object.(*appsv1.Deployment)
		if !ok {
			continue
		}
		require.True(t, selects(deployment.Spec.Selector, deployment.Spec.Template), deployment.Name)
		require.True(t, slices.ContainsFunc(objects, func(o any) bool {
			budget, ok := o.(*policyv1.PodDisruptionBudget)
			return ok && selects(budget.Spec.Selector, deployment.Spec.Template)
		}), "%s has no disruption budget", deployment.Name)
		require.True(t, slices.ContainsFunc(objects, func(o any) bool {
			policy, ok := o.(*networkingv1.NetworkPolicy)
			return ok && len(policy.Spec.PolicyTypes) == 2 && selects(&policy.Spec.PodSelector, deployment.Spec.Template)
		}), "%s has no network policy", deployment.Name)
	}
}

// TestRefusedValues names what is missing or cannot work.
func TestRefusedValues(t *testing.T) {
	for want, change := range map[string]func(values map[string]any){
		"config.BLOB_URL: where files are kept": func(v map[string]any) { delete(v["config"].(map[string]any), "BLOB_URL") },
		"has to be a bucket":                    func(v map[string]any) { v["config"].(map[string]any)["BLOB_URL"] = "file:///data" },
		"nobody serves the queue ocr":           func(v map[string]any) { v["workers"] = map[string]any{"scans": nil} },
		"secrets.DATABASE_URL: the Secret":      func(v map[string]any) { v["secrets"] = map[string]any{"DATABASE_URL": nil} },
	} {
		values := least()
		change(values)
		_, err := render(values)
		require.ErrorContains(t, err, want)
	}
}
