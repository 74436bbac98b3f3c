// SPDX-License-Identifier: Apache-2.0

// Package labeler adds a label to each ConfigMap.
package labeler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Reconciler keeps the label "labeled" on ConfigMaps.
type Reconciler struct {
	client.Client
}

func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Complete(r)
}

func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	found := &corev1.ConfigMap{}
	if err := r.Get(ctx, request.NamespacedName, found); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if found.Labels["labeled"] == "yes" {
		return ctrl.Result{}, nil
	}
	changed := found.DeepCopy()
	if changed.Labels == nil {
		changed.Labels = map[string]string{}
	}
	changed.Labels["labeled"] = "yes"
	return ctrl.Result{}, r.Patch(ctx, changed, client.MergeFrom(found))
}
