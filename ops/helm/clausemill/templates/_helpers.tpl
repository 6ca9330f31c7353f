{{- define "clausemill.selector" -}}
app.kubernetes.io/name: clausemill
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "clausemill.labels" -}}
{{ include "clausemill.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "clausemill.name" -}}
{{- printf "%s-%s" .root.Release.Name .component | trunc 52 | trimSuffix "-" }}
{{- end }}

{{/* What pods of every kind have in common, in the spec. */}}
{{- define "clausemill.pod" -}}
serviceAccountName: {{ .root.Release.Name }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "clausemill.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- end }}

{{/* The secrets as files, and the variables that name them. */}}
{{- define "clausemill.secretEnv" -}}
{{- range $name, $_ := .root.Values.secrets }}
- name: {{ $name }}_FILE
  value: /secrets/{{ $name }}
{{- end }}
{{- range $name, $from := .root.Values.environmentSecrets }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {name: {{ $from.name }}, key: {{ $from.key }}}}
{{- end }}
{{- end }}

{{- define "clausemill.secretVolume" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $from := .root.Values.secrets }}
      - secret: {name: {{ $from.name }}, items: [{key: {{ $from.key }}, path: {{ $name }}}]}
      {{- end }}
{{- end }}

{{/* Both deployments: environment, probes, places to write. */}}
{{- define "clausemill.process" -}}
env:
  {{- include "clausemill.secretEnv" . | nindent 2 }}
  - {name: CLAUSEMILL_MIGRATE, value: "false"} # a job did
envFrom:
  - configMapRef: {name: {{ .root.Release.Name }}-settings}
startupProbe: {httpGet: {path: /livez, port: metrics}, periodSeconds: 2, failureThreshold: 60}
livenessProbe: {httpGet: {path: /livez, port: metrics}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
readinessProbe: {httpGet: {path: /readyz, port: metrics}, periodSeconds: 5, timeoutSeconds: 6}
volumeMounts:
  - {name: secrets, mountPath: /secrets, readOnly: true}
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "clausemill.volumes" -}}
{{ include "clausemill.secretVolume" . }}
- name: data
  emptyDir: {sizeLimit: {{ .cache }}}
- name: tmp
  emptyDir: {sizeLimit: {{ .cache }}}
{{- end }}

{{- define "clausemill.tag" -}}
{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}
