// SPDX-License-Identifier: Apache-2.0

// metadatainformer is the Go peer for measurements of capstan's caches: one client-go metadata informer
// for Secrets. It drops managedFields, as client-go recommends for large caches. It prints one line when
// it has synced and keeps running. For each line "namespace/name" of its standard input it then prints
// whether the cache holds this object.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "path of a kubeconfig")
	flag.Parse()
	if err := run(*kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func dropManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

func run(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()

	start := time.Now()
	factory := metadatainformer.NewSharedInformerFactoryWithOptions(client, 0,
		metadatainformer.WithTransform(dropManagedFields))
	informer := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"})
	lister := informer.Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	fmt.Printf("synced objects=%d seconds=%.3f\n", len(lister.GetStore().ListKeys()), time.Since(start).Seconds())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		word := "absent"
		if _, exists, _ := lister.GetStore().GetByKey(lines.Text()); exists {
			word = "present"
		}
		fmt.Println(lines.Text(), word)
	}
	<-ctx.Done()
	return nil
}
