// SPDX-License-Identifier: Apache-2.0

package labeler

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func TestLabelsNewConfigMap(t *testing.T) {
	environment := &envtest.Environment{}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Reconciler{manager.GetClient()}).SetupWithManager(manager); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error)
	go func() { stopped <- manager.Start(ctx) }()
	defer func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}()

	created := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "settings"}}
	if err := manager.GetClient().Create(ctx, created); err != nil {
		t.Fatal(err)
	}

	err = wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			found := &corev1.ConfigMap{}
			err := manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(created), found)
			return found.Labels["labeled"] == "yes", err
		})
	if err != nil {
		t.Fatal("the ConfigMap has no label: ", err)
	}
}
