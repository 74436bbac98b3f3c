// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/binary"
	"hash/maphash"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

const (
	// The group of a source, and of a namespace that wants the sources of this group.
	groupLabel = "example.com/mirror-group"
	// A copy has this label, and the annotation with the "namespace/name" of its source.
	copyLabel        = "example.com/mirror-copy"
	sourceAnnotation = "example.com/mirror-of"

	// Only objects in a cache have this annotation: no API server allows the name.
	digestAnnotation = "/digest"

	byGroup  = "group"
	bySource = "source"
)

var (
	fieldOwner = client.FieldOwner("secret-mirror")
	seed       = maphash.MakeSeed()
)

// digest returns 8 bytes that are the same for the same data.
func digest(data map[string][]byte) string {
	var sum uint64
	for key, value := range data { // a sum, so the order does not matter
		sum += maphash.Bytes(seed, append(append([]byte(key), 0), value...))
	}
	return string(binary.NativeEndian.AppendUint64(nil, sum))
}

// identityOf returns the metadata that the controller uses.
func identityOf(all *metav1.ObjectMeta) metav1.ObjectMeta {
	kept := metav1.ObjectMeta{Namespace: all.Namespace, Name: all.Name, UID: all.UID,
		ResourceVersion: all.ResourceVersion, DeletionTimestamp: all.DeletionTimestamp}
	if group, found := all.Labels[groupLabel]; found {
		kept.Labels = map[string]string{groupLabel: group}
	}
	if key, found := all.Annotations[sourceAnnotation]; found {
		kept.Annotations = map[string]string{sourceAnnotation: key}
	}
	return kept
}

type secretMirror struct {
	client  client.Client // reads copies and namespaces from the manager's cache
	live    client.Reader
	sources cache.Cache
	events  events.EventRecorder
	retry   time.Duration
}

func (m *secretMirror) setUp(ctx context.Context, manager ctrl.Manager) error {
	group := func(object client.Object) []string { return []string{object.GetLabels()[groupLabel]} }
	sourceOf := func(object client.Object) []string { return []string{object.GetAnnotations()[sourceAnnotation]} }
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	indexer := manager.GetFieldIndexer()
	if err := m.sources.IndexField(ctx, &corev1.Secret{}, byGroup, group); err != nil {
		return err
	}
	if err := indexer.IndexField(ctx, namespace, byGroup, group); err != nil {
		return err
	}
	if err := indexer.IndexField(ctx, &corev1.Secret{}, bySource, sourceOf); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).Named("secret-mirror").
		WatchesRawSource(source.Kind(m.sources, &corev1.Secret{}, &handler.TypedEnqueueRequestForObject[*corev1.Secret]{})).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(requestsOfCopy)).
		WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(m.requestsOfNamespace)).
		Complete(m)
}

func requestsOfCopy(_ context.Context, secret client.Object) []ctrl.Request {
	namespace, name, found := strings.Cut(secret.GetAnnotations()[sourceAnnotation], "/")
	if !found {
		return nil
	}
	return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}}
}

func (m *secretMirror) requestsOfNamespace(ctx context.Context, namespace client.Object) []ctrl.Request {
	var found corev1.SecretList
	if err := m.sources.List(ctx, &found, client.MatchingFields{byGroup: namespace.GetLabels()[groupLabel]}); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Failed to list sources")
		return nil
	}
	requests := make([]ctrl.Request, 0, len(found.Items))
	for i := range found.Items {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&found.Items[i])})
	}
	return requests
}

// Reconcile writes and deletes the copies of a source, which may be gone.
func (m *secretMirror) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	source := &corev1.Secret{}
	if err := m.sources.Get(ctx, request.NamespacedName, source); apierrors.IsNotFound(err) {
		source = nil
	} else if err != nil {
		return ctrl.Result{}, err
	}
	wanted, err := m.namespacesOf(ctx, source)
	if err != nil {
		return ctrl.Result{}, err
	}
	copies, err := m.copiesOf(ctx, request.String())
	if err != nil {
		return ctrl.Result{}, err
	}
	for namespace, copied := range copies {
		if !wanted[namespace] {
			if err := m.delete(ctx, copied); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	blocked := false
	var whole *corev1.Secret // is read once, if at all
	for namespace := range wanted {
		copied := copies[namespace]
		if copied != nil && copied.Type == source.Type &&
			copied.Annotations[digestAnnotation] == source.Annotations[digestAnnotation] {
			continue
		}
		if copied != nil && copied.Type != source.Type {
			// The type of a Secret cannot be changed. The deletion comes back as an event.
			if err := m.delete(ctx, copied); err != nil {
				return ctrl.Result{}, err
			}
			continue
		}
		if whole == nil {
			whole = &corev1.Secret{}
			if err := m.live.Get(ctx, request.NamespacedName, whole); err != nil {
				return ctrl.Result{}, err
			}
		}
		taken, err := m.write(ctx, whole, copied, namespace)
		if err != nil {
			return ctrl.Result{}, err
		}
		blocked = blocked || taken
	}
	if blocked {
		return ctrl.Result{RequeueAfter: m.retry}, nil
	}
	return ctrl.Result{}, nil
}

// namespacesOf returns the namespaces that want a copy.
func (m *secretMirror) namespacesOf(ctx context.Context, source *corev1.Secret) (map[string]bool, error) {
	names := map[string]bool{}
	if source == nil || source.DeletionTimestamp != nil {
		return names, nil
	}
	found := &metav1.PartialObjectMetadataList{}
	found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NamespaceList"))
	if err := m.client.List(ctx, found, client.MatchingFields{byGroup: source.Labels[groupLabel]}); err != nil {
		return nil, err
	}
	for i := range found.Items {
		if found.Items[i].Name != source.Namespace && found.Items[i].DeletionTimestamp == nil {
			names[found.Items[i].Name] = true
		}
	}
	return names, nil
}

// copiesOf returns the copies of a source by their namespaces.
func (m *secretMirror) copiesOf(ctx context.Context, key string) (map[string]*corev1.Secret, error) {
	var found corev1.SecretList
	if err := m.client.List(ctx, &found, client.MatchingFields{bySource: key}); err != nil {
		return nil, err
	}
	copies := make(map[string]*corev1.Secret, len(found.Items))
	for i := range found.Items {
		if strings.HasSuffix(key, "/"+found.Items[i].Name) {
			copies[found.Items[i].Namespace] = &found.Items[i]
		}
	}
	return copies, nil
}

func (m *secretMirror) delete(ctx context.Context, copied *corev1.Secret) error {
	// The version is a precondition: the Secret is still a copy.
	err := m.client.Delete(ctx, copied, client.Preconditions{UID: &copied.UID, ResourceVersion: &copied.ResourceVersion})
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	ctrl.LoggerFrom(ctx).Info("Deleted copy", "secret", client.ObjectKeyFromObject(copied))
	return nil
}

// write creates or updates a copy. It returns whether a Secret that is no copy of this source has its name.
func (m *secretMirror) write(ctx context.Context, source, copied *corev1.Secret, namespace string) (bool, error) {
	key := client.ObjectKeyFromObject(source)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   namespace,
			Name:        source.Name,
			Labels:      map[string]string{copyLabel: "true"},
			Annotations: map[string]string{sourceAnnotation: key.String()},
		},
		Type: source.Type,
		Data: source.Data,
	}
	if copied != nil {
		secret.ResourceVersion = copied.ResourceVersion
		if err := m.client.Update(ctx, secret, fieldOwner); err != nil {
			return false, err
		}
	} else if err := m.client.Create(ctx, secret, fieldOwner); apierrors.IsAlreadyExists(err) {
		return m.taken(ctx, source, client.ObjectKeyFromObject(secret))
	} else if err != nil {
		return false, err
	}
	ctrl.LoggerFrom(ctx).Info("Wrote copy", "secret", client.ObjectKeyFromObject(secret), "source", key)
	return false, nil
}

// taken returns whether the Secret that exists is no copy of this source. It may also be a copy that the
// cache does not hold yet, whose event will come.
func (m *secretMirror) taken(ctx context.Context, source *corev1.Secret, key types.NamespacedName) (bool, error) {
	existing := &corev1.Secret{}
	if err := m.live.Get(ctx, key, existing); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	_, labelled := existing.Labels[copyLabel]
	if labelled && existing.Annotations[sourceAnnotation] == client.ObjectKeyFromObject(source).String() {
		return false, nil
	}
	m.events.Eventf(source, nil, corev1.EventTypeWarning, "SecretExists", "Copy",
		"Secret %s exists and is not a copy of this one", key)
	return true, nil
}
