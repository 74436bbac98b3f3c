{{/* SPDX-License-Identifier: Apache-2.0
These checks reject values that cannot work. Each ends the rendering with a line that names the value and the fix. They
take a dict of root, name (controllerManager or nodeAgent) and values (below that name). */}}

{{/* Returns where the values enable the feature gate, such as "extraArgs", or nothing. */}}
{{- define "capstan.findGate" -}}
{{- $on := printf "(?i)(^|[=,])\\s*%s=(1|t|true)\\s*(,|$)" .gate -}}
{{- $found := dict -}}
{{- if regexMatch $on (.values.featureGates | default "") -}}
{{- $_ := set $found "in" "featureGates" -}}
{{- end -}}
{{- range .values.extraArgs -}}
{{- if and (regexMatch "^--feature[-_]gates=" .) (regexMatch $on .) -}}
{{- $_ := set $found "in" "extraArgs" -}}
{{- end -}}
{{- end -}}
{{- $gates := get (.values.config | default dict) "featureGates" -}}
{{- if and (kindIs "map" $gates) (eq "true" (toString (get (ternary $gates dict (kindIs "map" $gates)) .gate))) -}}
{{- $_ := set $found "in" "config.featureGates" -}}
{{- end -}}
{{- $found.in | default "" -}}
{{- end -}}

{{/* The feature gate needs other objects too, so only the value "remedy", which creates them, may enable it. */}}
{{- define "capstan.checkGate" -}}
{{- with include "capstan.findGate" . -}}
{{- fail (printf "%s.%s has %s=true, which needs more than the flag: remove it, and set %s.%s" $.name . $.gate $.name $.remedy) -}}
{{- end -}}
{{- end -}}

{{/* The chart derives rights from values, so extraArgs must not contain flags that need rights. flags: {flag: value}. */}}
{{- define "capstan.checkExtraArgs" -}}
{{- range $argument := .values.extraArgs -}}
{{- $flag := regexFind "^[a-z-]+" (regexReplaceAll "^--?" $argument "" | replace "_" "-") -}}
{{- with get $.flags $flag -}}
{{- fail (printf "%s.extraArgs has %s, but the chart grants its rights only for the value: set %s.%s" $.name $argument $.name .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* As checkExtraArgs, for the fields of `config`. fields: {path: value}. */}}
{{- define "capstan.checkConfig" -}}
{{- range $path, $value := .fields -}}
{{- $found := $.values.config | default dict -}}
{{- range splitList "." $path -}}
{{- $found = get (ternary $found dict (kindIs "map" $found)) . -}}
{{- end -}}
{{- if $found -}}
{{- fail (printf "%s.config.%s needs rights, which the chart grants only for the value: set %s.%s instead" $.name $path $.name $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The policies of two releases would deny each other's agents every write. policy: that of another release; own: the
quoted user of this release's agents; users: everyone whom this release's policies name; creates: it creates policies. */}}
{{- define "capstan.checkOtherAgents" -}}
{{- $named := regexFindAll "\"system:serviceaccount:[^\"]+\"" (toRawJson .policy.spec.matchConditions | replace "\\\"" "\"") -1 -}}
{{- if not (has .own $named) -}}
{{- fail (printf "the policy %s of another release denies this release's agents (%s) every write: name them in its nodeAgent.policies.otherAgents" .policy.metadata.name .own) -}}
{{- end -}}
{{- range $user := ternary $named list .creates -}}
{{- if not (has $user $.users) -}}
{{- fail (printf "the policies of this release would deny the agents of another release (%s) every write: name them in nodeAgent.policies.otherAgents, or set nodeAgent.policies.enabled to false" $user) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The broker mounts the socket's folder, so it must not be a shared folder. */}}
{{- define "capstan.checkSocket" -}}
{{- $folder := dir . -}}
{{- if has $folder (list "/run" "/var/run" "/var" "/var/lib" "/tmp" "/var/tmp" "/etc" "/dev") -}}
{{- fail (printf "nodeAgent.runtimeEvents.socket is %s, and the broker would mount all of %s: let the runtime listen in its own folder" . $folder) -}}
{{- end -}}
{{- end -}}

{{/* The kubelet and Prometheus connect to the container's declared port at the pod's address. */}}
{{- define "capstan.checkMetricsAddress" -}}
{{- $wanted := or .root.Values.prometheus.enabled .values.livenessProbe.enabled .values.readinessProbe.enabled -}}
{{- $found := dict -}}
{{- $config := .values.config | default dict -}}
{{- if hasKey $config "metricsListenAddress" -}}
{{- $_ := set $found "at" (printf "%s.config.metricsListenAddress is %q" .name (toString $config.metricsListenAddress)) -}}
{{- $_ := set $found "address" (toString $config.metricsListenAddress) -}}
{{- end -}}
{{- $flag := "^--metrics[-_]listen[-_]address=" -}}
{{- range .values.extraArgs -}}
{{- if regexMatch $flag . -}}
{{- $_ := set $found "at" (printf "%s.extraArgs has %s" $.name .) -}}
{{- $_ := set $found "address" (regexReplaceAll $flag . "") -}}
{{- end -}}
{{- end -}}
{{- $port := toString .port -}}
{{- $all := list (printf ":%s" $port) (printf "0.0.0.0:%s" $port) (printf "[::]:%s" $port) -}}
{{- if and $wanted $found.at (not (has $found.address $all)) -}}
{{- fail (printf "%s, and probes and Prometheus need port %s on all addresses: remove it, or set it to \"0.0.0.0:%s\", or disable %s.livenessProbe, %s.readinessProbe and prometheus" $found.at $port $port .name .name) -}}
{{- end -}}
{{- end -}}
