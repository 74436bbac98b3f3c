{{/* SPDX-License-Identifier: Apache-2.0
What the templates share. Those that know a program take a dict of root (the top-level scope), program
(such as controller-manager) and values (the program's own). */}}

{{- define "capstan.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 40 characters, because the program's name is appended and a label has at most 63. */}}
{{- define "capstan.fullname" -}}
{{- $name := include "capstan.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- .Values.fullnameOverride | default $full | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "capstan.programName" -}}
{{- printf "%s-%s" (include "capstan.fullname" .root) .program -}}
{{- end -}}

{{- define "capstan.selectorLabels" -}}
app.kubernetes.io/name: {{ include "capstan.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .program }}
{{- end -}}

{{- define "capstan.labels" -}}
{{ include "capstan.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.global.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "capstan.image" -}}
{{- $values := .root.Values -}}
{{- $repository := .image.repository | default (compact (list $values.imageNamespace .image.name) | join "/") -}}
{{- $name := compact (list (.image.registry | default $values.imageRegistry) $repository) | join "/" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "capstan.serviceAccountName" -}}
{{- $account := .values.serviceAccount -}}
{{- $account.name | default (ternary (include "capstan.programName" .) "default" $account.create) -}}
{{- end -}}

{{/* Returns "https" if the program has a certificate for its metrics and probes, otherwise nothing. */}}
{{- define "capstan.https" -}}
{{- $file := dig "metricsTLSConfig" "filesystem" "certFile" "" (.values.config | default dict) -}}
{{- if or $file (contains "--metrics-tls-cert-file" (toJson .values.extraArgs)) -}}https{{- end -}}
{{- end -}}

{{/* Annotations of the pods: those for Prometheus, overridden by the user's. */}}
{{- define "capstan.podAnnotations" -}}
{{- $monitored := or .root.Values.prometheus.servicemonitor.enabled .root.Values.prometheus.podmonitor.enabled -}}
{{- $scraped := dict -}}
{{- if and .root.Values.prometheus.enabled (not $monitored) -}}
{{- $scraped = dict "prometheus.io/scrape" "true" "prometheus.io/path" "/metrics" "prometheus.io/port" (toString .port) -}}
{{- with include "capstan.https" . }}
{{- $_ := set $scraped "prometheus.io/scheme" . }}
{{- end -}}
{{- end -}}
{{- with merge (dict) (.values.podAnnotations | default dict) $scraped (.more | default dict) -}}
annotations:
{{ toYaml . | indent 2 }}
{{- end -}}
{{- end -}}

{{/* Parent charts have them as names, or as maps with a name. */}}
{{- define "capstan.imagePullSecrets" -}}
{{- with .Values.global.imagePullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ ternary . (get (ternary dict . (kindIs "string" .)) "name") (kindIs "string" .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The pod's fields for scheduling and security. */}}
{{- define "capstan.podSpec" -}}
serviceAccountName: {{ include "capstan.serviceAccountName" . }}
enableServiceLinks: {{ .values.enableServiceLinks }}
{{- if not (kindIs "invalid" .root.Values.global.hostUsers) }}
hostUsers: {{ .root.Values.global.hostUsers }}
{{- end }}
{{- include "capstan.imagePullSecrets" .root }}
{{- with .values.priorityClassName | default .root.Values.global.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .values.securityContext }}
securityContext:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with merge (dict) (.values.nodeSelector | default dict) (.root.Values.global.nodeSelector | default dict) }}
nodeSelector:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}

{{/* The container's fields except its name, arguments and mounts. */}}
{{- define "capstan.container" -}}
image: {{ include "capstan.image" (dict "root" .root "image" .values.image) | quote }}
imagePullPolicy: {{ .values.image.pullPolicy }}
{{- with .values.containerSecurityContext }}
securityContext:
{{ toYaml . | indent 2 }}
{{- end }}
{{- with .values.resources }}
resources:
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}

{{- define "capstan.probes" -}}
{{- range $field, $path := dict "livenessProbe" "/livez" "readinessProbe" "/readyz" }}
{{- with index $.values $field }}
{{- if .enabled }}
{{ $field }}:
  httpGet:
    path: {{ $path }}
    port: http-metrics
    {{- if include "capstan.https" $ }}
    scheme: HTTPS
    {{- end }}
{{- with omit . "enabled" }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Probes and metrics share a port. It is closed only if all of them are disabled. */}}
{{- define "capstan.metricsArgument" -}}
{{- if not (or .root.Values.prometheus.enabled .values.livenessProbe.enabled .values.readinessProbe.enabled) }}
- --metrics-listen-address=0
{{- end }}
{{- end -}}

{{/* An unquoted off is false in YAML. */}}
{{- define "capstan.statusPagesArgument" -}}
{{- $pages := ternary "off" .statusPages (eq "false" (toString .statusPages)) }}
{{- if and $pages (ne $pages "loopback") }}
- --status-pages={{ $pages }}
{{- end }}
{{- end -}}

{{- define "capstan.commonArguments" -}}
- --v={{ .Values.global.logLevel }}
{{- if ne .Values.global.loggingFormat "text" }}
- --logging-format={{ .Values.global.loggingFormat }}
{{- end }}
{{- if ne .Values.global.kubeApiContentType "application/vnd.kubernetes.protobuf" }}
- --kube-api-content-type={{ .Values.global.kubeApiContentType }}
{{- end }}
{{- end -}}

{{/* gates: the program's string; forced: gates that other values set. */}}
{{- define "capstan.featureGatesArgument" -}}
{{- with compact (concat (list .gates) .forced) }}
- --feature-gates={{ join "," . }}
{{- end }}
{{- end -}}

{{- define "capstan.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "capstan.serviceAccountName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "capstan.labels" . | nindent 4 }}
    {{- with .values.serviceAccount.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- /* Only the agent's container mounts the agent's token. */}}
automountServiceAccountToken: {{ .values.serviceAccount.automountServiceAccountToken | default false }}
{{- include "capstan.imagePullSecrets" .root }}
{{- end -}}

{{- define "capstan.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "capstan.programName" . }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "capstan.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "capstan.selectorLabels" . | nindent 6 }}
  {{- /* Without egress there is no rule for it; an empty list would deny all egress. */}}
  {{- $egress := .values.networkPolicy.egress }}
  policyTypes: [Ingress{{ if not (kindIs "invalid" $egress) }}, Egress{{ end }}]
  ingress:
    {{- if .values.networkPolicy.ingress }}
    {{- toYaml .values.networkPolicy.ingress | nindent 4 }}
    {{- else if .root.Values.prometheus.enabled }}
    - ports:
        - port: http-metrics
          protocol: TCP
    {{- else }} []
    {{- end }}
  {{- if not (kindIs "invalid" $egress) }}
  egress:
    {{- toYaml $egress | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The subject and role of a binding. */}}
{{- define "capstan.binding" -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  - kind: ServiceAccount
    name: {{ include "capstan.serviceAccountName" . }}
    namespace: {{ .root.Release.Namespace }}
{{- end -}}
