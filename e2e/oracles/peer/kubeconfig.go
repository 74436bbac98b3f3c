// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"golang.org/x/net/http/httpguts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/pkg/apis/clientauthentication"
	"k8s.io/client-go/pkg/apis/clientauthentication/install"
	clientauthenticationv1 "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/transport"
	sigsjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// kubeconfigFiles are the files that a kubeconfig of an input may name. kubeconfig.cc has the same.
var kubeconfigFiles = map[string]string{
	"token": "from-file\n",
	"empty": "",
}

var kubeconfigFolder = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "kubeconfig")
	if err != nil {
		panic(err)
	}
	for name, text := range kubeconfigFiles {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	return folder
})

// digest shows a credential or a certificate without its text.
func digest(text []byte) string {
	if len(text) == 0 {
		return "-"
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))[:16]
}

// roundTripper keeps the headers of a request.
type roundTripper struct{ header http.Header }

func (r *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	r.header = request.Header
	return nil, http.ErrServerClosed
}

// headersOf returns the headers that say who sends a request.
func headersOf(config *rest.Config, server string) (string, error) {
	settings, err := config.TransportConfig()
	if err != nil {
		return "", err
	}
	last := &roundTripper{}
	wrapped, err := transport.HTTPWrappersForConfig(settings, last)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequest(http.MethodGet, server, nil)
	if err != nil {
		return "", err
	}
	wrapped.RoundTrip(request)
	var lines []string
	for name, values := range last.header {
		for _, value := range values {
			if name == "Authorization" || strings.HasPrefix(name, "Impersonate-") {
				if !httpguts.ValidHeaderFieldValue(value) {
					return "", errors.New("net/http sends no such value")
				}
				lines = append(lines, plain(strings.ToLower(name)+": "+value))
			}
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, " "), nil
}

// readKubeconfig answers with what a server sees of a client: where it connects to, which name and CA
// the server's certificate needs, the client's certificate, and the headers of a request. The input is
// the context, a kubeconfig, and a second one of the list KUBECONFIG.
func readKubeconfig(input []byte) string {
	part := parts(input, 3)
	folder := kubeconfigFolder()
	rules := &clientcmd.ClientConfigLoadingRules{WarnIfAllMissing: false}
	for index, text := range part[1:] {
		if index > 0 && text == "" {
			continue
		}
		path := filepath.Join(folder, fmt.Sprintf("config%d", index))
		os.WriteFile(path, []byte(text), 0o600)
		rules.Precedence = append(rules.Precedence, path)
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: part[0]}
	client := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := client.ClientConfig()
	if err != nil {
		return refused
	}
	answer := strings.ReplaceAll(describeConfig(config), folder, "FOLDER")
	if raw, err := client.RawConfig(); err == nil && answer != refused {
		return missingParts(&raw, part[0]) + answer
	}
	return answer
}

// missingParts says which part of the configuration client-go does without.
func missingParts(raw *api.Config, name string) string {
	if name == "" {
		name = raw.CurrentContext
	}
	if name == "" {
		return "no context: "
	}
	user := raw.Contexts[name].AuthInfo
	if user != "" && raw.AuthInfos[user] == nil {
		return "no user: "
	}
	return ""
}

func describeConfig(config *rest.Config) string {
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil || !isHTTP(server) || !canConnect(server) {
		return refused
	}
	if server.User != nil {
		return "extra"
	}
	var proxy *url.URL
	if config.Proxy != nil {
		if proxy, err = config.Proxy(&http.Request{URL: server}); err != nil || !canConnect(proxy) {
			return refused
		}
	}
	answer := describeClient(config, server)
	if answer != refused && proxy != nil {
		answer = fmt.Sprintf("proxy %s %s %s ", proxy.Scheme, plain(strings.ToLower(proxy.Hostname())), portOf(proxy)) + answer
	}
	return answer
}

func describeClient(config *rest.Config, server *url.URL) string {
	if config.ExecProvider != nil {
		if _, err := config.TransportConfig(); err != nil || config.ExecProvider.InteractiveMode == api.AlwaysExecInteractiveMode {
			return refused // at the latest when the plugin is run, because there is no terminal
		}
		return describeServer(server) + " " + describeExec(config)
	}
	headers, err := headersOf(config, server.String())
	if err != nil {
		return refused
	}
	settings, err := rest.TLSConfigFor(config)
	if err != nil {
		return refused
	}
	if settings == nil {
		settings = &tls.Config{}
	}
	if settings.GetClientCertificate != nil {
		if _, err := settings.GetClientCertificate(&tls.CertificateRequestInfo{}); err != nil {
			return refused // at the first connection
		}
	}
	name := settings.ServerName
	if name == "" {
		name = server.Hostname()
	}
	if server.Scheme == "http" {
		return describeServer(server) + " " + headers
	}
	return fmt.Sprintf("%s name=%s insecure=%t ca=%s certificate=%s %s", describeServer(server), plain(name),
		settings.InsecureSkipVerify, digest(dataOrFile(config.CAData, config.CAFile)),
		digest(dataOrFile(config.CertData, config.CertFile)), headers)
}

func dataOrFile(data []byte, path string) []byte {
	if len(data) == 0 && path != "" {
		data, _ = os.ReadFile(path)
	}
	return data
}

func describeExec(config *rest.Config) string {
	var line strings.Builder
	fmt.Fprintf(&line, "exec %s %s", plain(config.ExecProvider.APIVersion), plain(config.ExecProvider.Command))
	for _, argument := range config.ExecProvider.Args {
		fmt.Fprintf(&line, " %s", plain(argument))
	}
	for _, variable := range config.ExecProvider.Env {
		fmt.Fprintf(&line, " %s=%s", plain(variable.Name), plain(variable.Value))
	}
	fmt.Fprintf(&line, " %t", config.ExecProvider.ProvideClusterInfo)
	return line.String()
}

var execCodecs = func() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return serializer.NewCodecFactory(scheme)
}()

// withoutInvalidSpec returns the document, in JSON, without its member "spec"; nil if that is not its only
// fault.
func withoutInvalidSpec(input []byte) []byte {
	text := input
	if !json.Valid(input) {
		if bytes.HasPrefix(bytes.TrimSpace(input), []byte("{")) {
			return nil
		}
		var err error
		if text, err = yaml.YAMLToJSON(input); err != nil {
			return nil
		}
	}
	var without struct {
		metav1.TypeMeta `json:",inline"`
		Status          *clientauthenticationv1.ExecCredentialStatus `json:"status"`
	}
	if sigsjson.UnmarshalCaseSensitivePreserveInts(text, &without) != nil {
		return nil
	}
	// As the decoder, which reads these two first and in any case of the letters.
	if json.Unmarshal(text, &without.TypeMeta) != nil {
		return nil
	}
	text, _ = json.Marshal(without)
	return text
}

// readExecCredential answers with the credentials in the output of a plugin, which the Authenticator
// of client-go reads in the same way.
func readExecCredential(input []byte) string {
	answer, err := decodeExecCredential(input)
	if err == nil {
		return answer
	}
	if without := withoutInvalidSpec(input); without != nil {
		if answer, err = decodeExecCredential(without); err == nil && answer != refused {
			return "invalid spec: " + answer
		}
	}
	return refused
}

// decodeExecCredential returns the answer, or the error of the decoder.
func decodeExecCredential(input []byte) (string, error) {
	version := schema.GroupVersion{Group: "client.authentication.k8s.io", Version: "v1"}
	credential := &clientauthentication.ExecCredential{}
	_, kind, err := execCodecs.UniversalDecoder(version).Decode(input, nil, credential)
	if err != nil {
		return "", err
	}
	if kind.GroupVersion() != version || credential.Status == nil {
		return refused, nil
	}
	status := credential.Status
	certificate, key := status.ClientCertificateData, status.ClientKeyData
	if status.Token == "" && certificate == "" && key == "" || (certificate == "") != (key == "") {
		return refused, nil
	}
	if !httpguts.ValidHeaderFieldValue("Bearer " + status.Token) {
		return refused, nil // by net/http, at the first request
	}
	if certificate != "" {
		if _, err := tls.X509KeyPair([]byte(certificate), []byte(key)); err != nil {
			return refused, nil
		}
	}
	expires := "never"
	if !status.ExpirationTimestamp.IsZero() {
		micros := status.ExpirationTimestamp.UnixMicro()
		switch { // capstan's clock counts nanoseconds in 64 bits
		case micros >= math.MaxInt64/1000:
			expires = "late"
		case micros <= math.MinInt64/1000:
			expires = "early"
		default:
			expires = fmt.Sprint(micros)
		}
	}
	return fmt.Sprintf("token=%s certificate=%s expires=%s", plain(status.Token), digest([]byte(certificate)), expires), nil
}
