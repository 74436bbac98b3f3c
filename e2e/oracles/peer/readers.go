// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// contentTypes collects the types of the responses to lists and watches.
type contentTypes struct {
	http.RoundTripper
	seen map[string]bool
}

func (c *contentTypes) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(request)
	if err == nil {
		c.seen[response.Header.Get("Content-Type")] = true
	}
	return response, err
}

// read is what client-go reads from a server.
type read struct {
	ContentTypes []string
	// Lists, Watched and Metadata map a resource such as "apps/v1 deployments" to its objects.
	Lists, Watched, Metadata map[string][]json.RawMessage
	Errors                   []string
}

// readServer reads "KUBECONFIG ENCODING WATCHES", separated by NUL bytes, and answers with a read. It lists
// the metadata of every kind and the objects of every built-in kind in the encoding. If WATCHES is "watch",
// it also reads the built-in kinds with a watch that begins with the objects.
func readServer(input []byte) string {
	words := parts(input, 3)
	config, err := clientcmd.BuildConfigFromFlags("", words[0])
	if err != nil {
		return refused
	}
	objects := func() map[string][]json.RawMessage { return map[string][]json.RawMessage{} }
	found := read{Lists: objects(), Watched: objects(), Metadata: objects()}
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerPreferredResources()
	if err != nil {
		found.Errors = append(found.Errors, err.Error())
	}
	config.QPS = -1 // no limit
	config.WarningHandler = rest.NoWarnings{}
	seen := map[string]bool{}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &contentTypes{next, seen} })
	config.AcceptContentTypes = words[1]
	config.NegotiatedSerializer = serializer.NewCodecFactory(kinds).WithoutConversion()
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return refused
		}
		for _, resource := range list.APIResources {
			if !hasVerb(resource, "list") {
				continue
			}
			name := version.String() + " " + resource.Name
			if err := found.readKind(config, version, resource, name, words[2] == "watch"); err != nil {
				found.Errors = append(found.Errors, name+": "+err.Error())
			}
		}
	}
	for contentType := range seen {
		found.ContentTypes = append(found.ContentTypes, contentType)
	}
	sort.Strings(found.ContentTypes)
	answer, err := json.Marshal(found)
	if err != nil {
		return refused
	}
	return string(answer)
}

func hasVerb(resource metav1.APIResource, verb string) bool {
	for _, known := range resource.Verbs {
		if known == verb {
			return true
		}
	}
	return false
}

func (r *read) readKind(config *rest.Config, version schema.GroupVersion, resource metav1.APIResource,
	name string, watches bool) error {
	config = rest.CopyConfig(config)
	config.GroupVersion = &version
	config.APIPath = "/apis"
	if version.Group == "" {
		config.APIPath = "/api"
	}
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return err
	}
	const as = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	metadata := strings.ReplaceAll(config.AcceptContentTypes, ",", as+",") + as
	if r.Metadata[name], err = listed(client.Get().SetHeader("Accept", metadata), resource); err != nil {
		return err
	}
	if !kinds.Recognizes(version.WithKind(resource.Kind)) {
		return nil
	}
	if r.Lists[name], err = listed(client.Get(), resource); err != nil {
		return err
	}
	if watches && hasVerb(resource, "watch") {
		r.Watched[name], err = watched(client, resource)
	}
	return err
}

func listed(request *rest.Request, resource metav1.APIResource) ([]json.RawMessage, error) {
	list, err := request.Resource(resource.Name).Do(context.Background()).Get()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	var items struct{ Items []json.RawMessage }
	err = json.Unmarshal(text, &items)
	return items.Items, err
}

// watched returns the objects that a watch begins with.
func watched(client *rest.RESTClient, resource metav1.APIResource) ([]json.RawMessage, error) {
	initial, timeout := true, int64(20)
	watcher, err := client.Get().Resource(resource.Name).VersionedParams(&metav1.ListOptions{
		Watch:                true,
		SendInitialEvents:    &initial,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		AllowWatchBookmarks:  true,
		TimeoutSeconds:       &timeout,
	}, metav1.ParameterCodec).Watch(context.Background())
	if err != nil {
		return nil, err
	}
	defer watcher.Stop()
	objects := []json.RawMessage{}
	for event := range watcher.ResultChan() {
		switch event.Type {
		case watch.Bookmark:
			return objects, nil
		case watch.Added:
			text, err := json.Marshal(event.Object)
			if err != nil {
				return nil, err
			}
			objects = append(objects, text)
		default:
			return nil, fmt.Errorf("an event %s: %v", event.Type, event.Object)
		}
	}
	return nil, fmt.Errorf("the watch ended after %d objects, before its bookmark", len(objects))
}
