// SPDX-License-Identifier: Apache-2.0

// controller runs the issuing controllers of cert-manager's module: those that make a Secret of a
// Certificate, with CA and self-signed issuers. Its flags have the names of upstream's command. A
// controller registers itself when its package is imported, so the imports are the list of controllers.
//
// ACME, Vault and Venafi are left out, and so are ingresses and gateways.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cert-manager/cert-manager/pkg/controller"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	"github.com/cert-manager/cert-manager/pkg/healthz"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"
)

const workers = 5 // of each controller, as in upstream's command

// flags are those of upstream's command that matter here. It accepts the others without effect.
type flags struct {
	kubeconfig string
	namespace  string // of the Secrets of ClusterIssuers
	health     string // address
}

func main() {
	var given flags
	pflag.StringVar(&given.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "the default is the pod's account")
	pflag.StringVar(&given.namespace, "cluster-resource-namespace", "kube-system", "as upstream")
	pflag.StringVar(&given.health, "internal-healthz-listen-address", "0.0.0.0:9403", "address of /livez")
	pflag.CommandLine.ParseErrorsAllowlist.UnknownFlags = true
	pflag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	if err := run(logr.NewContext(ctx, klog.Background()), given); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, given flags) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:    given.kubeconfig,
		IssuerOptions: controller.IssuerOptions{ClusterResourceNamespace: given.namespace},
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", given.health)
	if err != nil {
		return err
	}
	group.Go(func() error { return healthz.NewServer(0).Start(ctx, listener) })
	for name, build := range controller.Known() {
		made, err := build(factory)
		if err != nil {
			return fmt.Errorf("controller %s: %w", name, err)
		}
		klog.InfoS("Starting controller", "name", name)
		group.Go(func() error { return made.Run(workers, ctx) })
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
