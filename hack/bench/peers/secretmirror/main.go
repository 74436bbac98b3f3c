// SPDX-License-Identifier: Apache-2.0

// secretmirror is examples/secret-mirror with controller-runtime, as a peer for measurements. It has the
// same behaviour and requests, and its caches hold the same: a digest in place of a Secret's data.
package main

import (
	"flag"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	retry := flag.Duration("retry", time.Minute,
		"The time after which a copy whose name is in use is tried again.")
	listen := flag.String("metrics-listen-address", ":8080", "Address of /metrics. 0: none.")
	probes := flag.String("probe-listen-address", "0", "Address of /healthz. 0: none.")
	flag.Parse() // controller-runtime adds --kubeconfig
	ctrl.SetLogger(zap.New())
	if err := run(*listen, *probes, *retry); err != nil {
		ctrl.Log.Error(err, "secret-mirror failed")
		os.Exit(1)
	}
}

func hasLabel(name string) labels.Selector {
	selector, err := labels.Parse(name)
	if err != nil {
		panic(err)
	}
	return selector
}

func run(listen, probes string, retry time.Duration) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.UserAgent = "secret-mirror/go"
	noCopy := true // nothing here changes an object of a cache
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                metricsserver.Options{BindAddress: listen},
		HealthProbeBindAddress: probes,
		Cache: cache.Options{
			ReaderFailOnMissingInformer:  true,
			DefaultUnsafeDisableDeepCopy: &noCopy,
			ByObject: map[client.Object]cache.ByObject{
				&corev1.Secret{}:    {Label: hasLabel(copyLabel), Transform: keepDigest},
				&corev1.Namespace{}: {Label: hasLabel(groupLabel), Transform: keepIdentity},
			},
		},
	})
	if err != nil {
		return err
	}
	// A cache has one selector for each kind, so the sources have their own.
	sources, err := cache.New(config, cache.Options{
		HTTPClient:                   manager.GetHTTPClient(),
		Scheme:                       manager.GetScheme(),
		Mapper:                       manager.GetRESTMapper(),
		ReaderFailOnMissingInformer:  true,
		DefaultUnsafeDisableDeepCopy: &noCopy,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}: {Label: hasLabel(groupLabel), Transform: keepDigest},
		},
	})
	if err != nil {
		return err
	}
	if err := manager.Add(sources); err != nil {
		return err
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := manager.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	mirror := &secretMirror{
		client:  manager.GetClient(),
		live:    manager.GetAPIReader(),
		sources: sources,
		events:  manager.GetEventRecorder("secret-mirror"),
		retry:   retry,
	}
	ctx := ctrl.SetupSignalHandler()
	if err := mirror.setUp(ctx, manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}

// keepIdentity drops the metadata that the controller does not use.
func keepIdentity(object any) (any, error) {
	if namespace, ok := object.(*metav1.PartialObjectMetadata); ok {
		namespace.ObjectMeta = identityOf(&namespace.ObjectMeta)
	}
	return object, nil
}

// keepDigest replaces the data of a Secret with 8 bytes, and drops the rest that is not used. They are an
// annotation, because one map for both takes less memory than two.
func keepDigest(object any) (any, error) {
	if secret, ok := object.(*corev1.Secret); ok {
		sum, done := secret.Annotations[digestAnnotation]
		if !done {
			sum = digest(secret.Data)
		}
		secret.ObjectMeta = identityOf(&secret.ObjectMeta)
		metav1.SetMetaDataAnnotation(&secret.ObjectMeta, digestAnnotation, sum)
		secret.Data = nil
	}
	return object, nil
}
