// SPDX-License-Identifier: Apache-2.0

// envtest FOLDER [COUNT] starts envtest with the CustomResourceDefinitions of a folder, and prints
// "started". It runs a manager with a controller of Widgets, creates COUNT of them (1), and prints
// "reconciled" when the controller has seen all. When stdin has ended, it deletes them, waits until
// the controller has seen that, and stops everything. With 1 Widget it is the Go peer of
// bench_first_reconcile. $KUBEBUILDER_ASSETS has the kube-apiserver and etcd.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	ctrl.SetLogger(logr.Discard())
	count := 1
	if len(os.Args) > 2 {
		count, _ = strconv.Atoi(os.Args[2])
	}
	if err := run(os.Args[1], count); err != nil {
		fmt.Fprintln(os.Stderr, "envtest:", err)
		os.Exit(1)
	}
}

func newWidget(number int) *unstructured.Unstructured {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(schema.GroupVersionKind{Group: "bench.capstan.dev", Version: "v1", Kind: "Widget"})
	widget.SetNamespace("default")
	widget.SetName(fmt.Sprint("widget-", number))
	return widget
}

func run(folder string, count int) (err error) {
	environment := &envtest.Environment{CRDDirectoryPaths: []string{folder}, ErrorIfCRDPathMissing: true}
	config, err := environment.Start()
	if err != nil {
		return err
	}
	fmt.Println("started")
	defer func() {
		if stopped := environment.Stop(); err == nil {
			err = stopped
		}
	}()
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	// Each name arrives once when the controller sees its Widget, and once when it sees that it is gone.
	created, deleted := make(chan string, count), make(chan string, count)
	seen := map[string]bool{}
	err = ctrl.NewControllerManagedBy(manager).Named("widgets").For(newWidget(0)).Complete(
		reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
			err := manager.GetClient().Get(ctx, request.NamespacedName, newWidget(0))
			if err == nil && !seen[request.Name] {
				seen[request.Name] = true
				created <- request.Name
			} else if err != nil && client.IgnoreNotFound(err) == nil {
				deleted <- request.Name
			}
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	err = use(ctx, config, count, created, deleted)
	cancel()
	if stopped := <-ended; err == nil {
		err = stopped
	}
	return err
}

// use creates and deletes the Widgets.
func use(ctx context.Context, config *rest.Config, count int, created, deleted <-chan string) error {
	direct, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	for number := range count {
		if err := direct.Create(ctx, newWidget(number)); err != nil {
			return err
		}
	}
	for range count {
		<-created
	}
	fmt.Println("reconciled")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for number := range count {
		if err := direct.Delete(ctx, newWidget(number)); err != nil {
			return err
		}
	}
	for range count {
		<-deleted
	}
	return nil
}
