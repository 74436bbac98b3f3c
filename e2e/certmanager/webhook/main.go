// SPDX-License-Identifier: Apache-2.0

// webhook runs cert-manager's webhook: its dynamic certificate authority, its TLS server and its
// validation. The module keeps the constructor internal and exports it only to tests, so this program
// runs one test that ends with the process. Its flags are those of upstream's command.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/cert-manager/cert-manager/pkg/webhook/options"
	"github.com/cert-manager/cert-manager/pkg/webhook/server"
	certmanager "github.com/cert-manager/cert-manager/test/webhook"
	"github.com/spf13/pflag"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, arguments []string) error {
	config, err := options.NewWebhookConfiguration()
	if err != nil {
		return err
	}
	flags := pflag.NewFlagSet("certmanager-webhook", pflag.ContinueOnError)
	options.NewWebhookFlags().AddFlags(flags)
	options.AddConfigFlags(flags, config)
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if !config.TLSConfig.DynamicConfigProvided() {
		return errors.New("set --dynamic-serving-ca-secret-namespace, --dynamic-serving-ca-secret-name and --dynamic-serving-dns-names")
	}
	// The test helper listens on free ports. These are the ports of the flags.
	ports := func(made *server.Server) {
		health := int(config.HealthzPort)
		made.ListenAddr, made.HealthzAddr = int(config.SecurePort), &health
	}
	if path := os.Getenv("KUBECONFIG"); path != "" {
		arguments = append([]string{"--kubeconfig=" + path}, arguments...)
	}
	testing.Init()
	if err := flag.CommandLine.Parse([]string{"-test.v"}); err != nil { // prints the log when it is written
		return err
	}
	serve := func(t *testing.T) {
		_, stop := certmanager.StartWebhookServer(t, arguments, ports)
		<-ctx.Done()
		stop()
	}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "Webhook", F: serve}}, nil, nil) // exits
	return nil
}
