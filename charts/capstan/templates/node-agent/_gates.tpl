{{/* SPDX-License-Identifier: Apache-2.0
What the templates know of the gates in the values. They take the values below nodeAgent. */}}

{{/* JSON: specs, every gate in the values. */}}
{{- define "capstan.gateSpecs" -}}
{{- $specs := concat (.gates | default list) (.mandatoryGates | default list) -}}
{{- range $set := .gateSets -}}
{{- if kindIs "map" $set -}}
{{- $set = $set.gates -}}
{{- end -}}
{{- $specs = concat $specs $set -}}
{{- end -}}
{{- dict "specs" (uniq $specs) | toJson -}}
{{- end -}}

{{/* JSON: names of the ConfigMaps that the gates read, by namespace. */}}
{{- define "capstan.gateConfigMaps" -}}
{{- $found := dict -}}
{{- range $spec := (include "capstan.gateSpecs" . | fromJson).specs -}}
{{- if hasPrefix "configmap:" $spec -}}
{{- $path := regexFind "^[^/:]+/[^/:]+" (trimPrefix "configmap:" $spec) -}}
{{- if not $path -}}
{{- fail (printf "the gate %s in nodeAgent names no ConfigMap: write configmap:<namespace>/<name>, or configmap:<namespace>/<name>:<key>" $spec) -}}
{{- end -}}
{{- $namespace := dir $path -}}
{{- $_ := set $found $namespace (append (get $found $namespace | default list) (base $path) | uniq | sortAlpha) -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{/* Returns the ConfigMap of the gate sets as namespace/name, or nothing. It takes a dict of root and values. */}}
{{- define "capstan.gateSetsConfigMap" -}}
{{- if .values.gateSets -}}
{{- printf "%s/%s-gate-sets" .root.Release.Namespace (include "capstan.programName" .) -}}
{{- else -}}
{{- .values.gateSetsConfigMap -}}
{{- end -}}
{{- end -}}
