// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/idna"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// serverURL returns the URL of a server as rest.Config.Host is read.
func serverURL(host string) (*url.URL, error) {
	base, _, err := rest.DefaultServerURL(host, "", schema.GroupVersion{}, false)
	return base, err
}

var portOfScheme = map[string]string{"https": "443", "http": "80", "socks5": "1080", "socks5h": "1080"}

// portOf returns the port to connect to; "" if there is no such port.
func portOf(server *url.URL) string {
	text := server.Port()
	if text == "" {
		return portOfScheme[server.Scheme]
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return ""
	}
	return strconv.FormatUint(port, 10)
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
)

// canConnect reports whether a request to the server can begin: package net resolves no other names.
func canConnect(server *url.URL) bool {
	host := server.Hostname()
	if portOf(server) == "" || host == "" {
		return false
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return strings.Trim(address.Zone(), letters+digits+".-_") == "" // the name of an interface
	}
	if strings.Contains(server.Host, "[") || !utf8.ValidString(host) || strings.ContainsRune(host, utf8.RuneError) {
		return false
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if isASCII(host) {
		ascii, err = host, nil
	}
	if err != nil || len(ascii) > 254 || strings.Trim(ascii, digits+".") == "" {
		return false
	}
	for _, label := range strings.Split(strings.TrimSuffix(ascii, "."), ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.Trim(label, letters+digits+"-_") != "" {
			return false
		}
	}
	return true
}

func isHTTP(server *url.URL) bool { return server.Scheme == "http" || server.Scheme == "https" }

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// describeServer says where a request for the path "/version" goes: the address to connect to, and the
// path of the request line.
func describeServer(server *url.URL) string {
	request := *server
	request.Path = path.Join("/", server.Path, "version") // as rest.Request
	return fmt.Sprintf("%s %s %s %s", server.Scheme, plain(strings.ToLower(server.Hostname())),
		portOf(server), plain(request.EscapedPath()))
}

func parseServerURL(input []byte) string {
	server, err := serverURL(string(input))
	if err != nil || !isHTTP(server) || !canConnect(server) {
		return refused
	}
	if server.User != nil {
		return "extra"
	}
	// rest.NewRESTClient drops the query and the fragment.
	return describeServer(server)
}

// chooseProxy answers with the proxy of a server. The input is the URL of the server, NO_PROXY,
// HTTPS_PROXY and HTTP_PROXY.
func chooseProxy(input []byte) string {
	part := parts(input, 4)
	server, err := serverURL(part[0])
	if err != nil || !isHTTP(server) || !canConnect(server) {
		return "no server"
	}
	if server.User != nil {
		return "extra"
	}
	text := part[3]
	if server.Scheme == "https" {
		text = part[2]
	}
	valid := httpproxy.Config{NoProxy: part[1], HTTPSProxy: "http://p", HTTPProxy: "http://p"}
	if proxy, err := valid.ProxyFunc()(server); err != nil || proxy == nil || text == "" {
		return "direct"
	}
	config := httpproxy.Config{NoProxy: part[1], HTTPSProxy: part[2], HTTPProxy: part[3]}
	return describeProxy(text, func(text string) (*url.URL, error) {
		config.HTTPSProxy, config.HTTPProxy = text, text
		return config.ProxyFunc()(server)
	})
}

const invalidProxy = "invalid proxy"

var proxyUser = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*://)?[^/?#]*@`)

// describeProxy says which proxy the text is, by the function that reads it. A text that Go cannot parse
// is no proxy, or the proxy "http:", so there is a separate answer.
func describeProxy(text string, read func(string) (*url.URL, error)) string {
	parsed, err := url.Parse(text)
	absolute := err == nil && parsed.Scheme != "" && parsed.Host != ""
	proxy, err := read(text)
	switch {
	case err != nil:
		return refused
	case proxy != nil && (absolute || proxy.Host != "" && !strings.HasSuffix(proxy.Host, ":")):
		if portOfScheme[proxy.Scheme] == "" || !canConnect(proxy) {
			return refused // a scheme that net/http does not know, or no host
		}
		return fmt.Sprintf("%s %s %s", proxy.Scheme, plain(strings.ToLower(proxy.Hostname())), portOf(proxy))
	}
	without := proxyUser.ReplaceAllString(text, "$1")
	if without == text {
		return invalidProxy
	}
	answer := describeProxy(without, read)
	if answer == refused || answer == invalidProxy {
		return answer
	}
	return "invalid user: " + answer
}
