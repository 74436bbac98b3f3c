{{/* SPDX-License-Identifier: Apache-2.0
Values that would install something that does not work: each ends the rendering with a line that names the value and
the remedy. They take a dict of root, name (controllerManager or nodeAgent) and values (those below that name). */}}

{{/* The feature gate stands for other objects, too, so only the value remedy, which makes them, turns it on. */}}
{{- define "capstan.checkGate" -}}
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
{{- with $found.in -}}
{{- fail (printf "%s.%s has %s=true, which needs more than the flag: leave it out, and set %s.%s" $.name . $.gate $.name $.remedy) -}}
{{- end -}}
{{- end -}}

{{/* Rights are derived from values, so flags that need rights are refused in extraArgs. flags: {flag: value}. */}}
{{- define "capstan.checkExtraArgs" -}}
{{- range $argument := .values.extraArgs -}}
{{- $flag := regexFind "^[a-z-]+" (regexReplaceAll "^--?" $argument "" | replace "_" "-") -}}
{{- with get $.flags $flag -}}
{{- fail (printf "%s.extraArgs has %s, and the chart grants rights by the value alone: set %s.%s" $.name $argument $.name .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The folder of the socket is mounted, so it must not be one that others share. */}}
{{- define "capstan.checkSocket" -}}
{{- $folder := dir . -}}
{{- if has $folder (list "/run" "/var/run" "/var" "/var/lib" "/tmp" "/var/tmp" "/etc" "/dev") -}}
{{- fail (printf "nodeAgent.runtimeEvents.socket is %s, and the broker would mount all of %s: let the runtime listen in a folder of its own" . $folder) -}}
{{- end -}}
{{- end -}}

{{/* The kubelet and Prometheus ask the port of the pod's address that the container declares. */}}
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
{{- fail (printf "%s, and probes and Prometheus need port %s on all addresses: leave it out, or make it \"0.0.0.0:%s\", or disable %s.livenessProbe, %s.readinessProbe and prometheus" $found.at $port $port .name .name) -}}
{{- end -}}
{{- end -}}
