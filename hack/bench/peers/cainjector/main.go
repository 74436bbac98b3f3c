// SPDX-License-Identifier: Apache-2.0

// cainjector is upstream's CA injector as a peer for measurements: its unmodified package under a
// controller-runtime manager with the defaults of upstream's command: all four kinds, Certificates as a
// source, Secrets never cached whole. Of upstream's flags it has those of the leader election, with the
// same defaults, Lease and release; it accepts the others without effect.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	certmanager "github.com/cert-manager/cert-manager/pkg/api"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetes "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const lease = "cert-manager-cainjector-leader-election"

type election struct {
	enabled                                   bool
	namespace                                 string
	leaseDuration, renewDeadline, retryPeriod time.Duration
}

func main() {
	var elect election
	pflag.BoolVar(&elect.enabled, "leader-elect", true, "act only while holding the Lease")
	pflag.StringVar(&elect.namespace, "leader-election-namespace", "kube-system", "namespace of the Lease")
	pflag.DurationVar(&elect.leaseDuration, "leader-election-lease-duration", 60*time.Second, "as upstream")
	pflag.DurationVar(&elect.renewDeadline, "leader-election-renew-deadline", 40*time.Second, "as upstream")
	pflag.DurationVar(&elect.retryPeriod, "leader-election-retry-period", 15*time.Second, "as upstream")
	pflag.CommandLine.ParseErrorsAllowlist.UnknownFlags = true
	pflag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	if err := run(ctx, elect); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, elect election) error {
	ctrl.SetLogger(klog.Background())
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		kubernetes.AddToScheme, certmanager.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config.UserAgent = "cert-manager-cainjector/peer"
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		LeaderElection:                elect.enabled,
		LeaderElectionID:              lease,
		LeaderElectionNamespace:       elect.namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &elect.leaseDuration,
		RenewDeadline:                 &elect.renewDeadline,
		RetryPeriod:                   &elect.retryPeriod,
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		Cache:                         cache.Options{ReaderFailOnMissingInformer: true},
		Client:                        client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	if err := cainjector.RegisterAllInjectors(ctx, manager, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.APIServiceName:                     true,
			cainjector.CustomResourceDefinitionName:       true,
			cainjector.MutatingWebhookConfigurationName:   true,
			cainjector.ValidatingWebhookConfigurationName: true,
		},
	}); err != nil {
		return err
	}
	return manager.Start(ctx)
}
