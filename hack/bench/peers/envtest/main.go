// SPDX-License-Identifier: Apache-2.0

// envtest FOLDER is the Go peer of bench_first_reconcile: it starts envtest with the
// CustomResourceDefinitions of a folder, runs a manager with a controller of Widgets, and creates a
// Widget. It prints a line when the controller has reconciled it, and stops everything.
// $KUBEBUILDER_ASSETS has the kube-apiserver and etcd.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	ctrl.SetLogger(logr.Discard())
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "envtest:", err)
		os.Exit(1)
	}
}

func newWidget() *unstructured.Unstructured {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(schema.GroupVersionKind{Group: "bench.capstan.dev", Version: "v1", Kind: "Widget"})
	return widget
}

func run(folder string) (err error) {
	environment := &envtest.Environment{CRDDirectoryPaths: []string{folder}, ErrorIfCRDPathMissing: true}
	config, err := environment.Start()
	if err != nil {
		return err
	}
	defer func() {
		if stopped := environment.Stop(); err == nil {
			err = stopped
		}
	}()
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	reconciled := make(chan struct{})
	var once sync.Once
	err = ctrl.NewControllerManagedBy(manager).Named("widgets").For(newWidget()).Complete(
		reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			once.Do(func() { close(reconciled) })
			return reconcile.Result{}, nil
		}))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()

	direct, err := client.New(config, client.Options{})
	if err != nil {
		cancel()
		return err
	}
	widget := newWidget()
	widget.SetNamespace("default")
	widget.SetName("first")
	if err := direct.Create(ctx, widget); err != nil {
		cancel()
		return err
	}
	<-reconciled
	fmt.Println("reconciled")
	cancel()
	return <-ended
}
