// SPDX-License-Identifier: Apache-2.0

// kubers-podinformer --kubeconfig=FILE is the peer of kube-rs for the memory of whole Pods: one
// reflector, without managedFields. It prints one line when it has synced, and runs until SIGKILL.
use std::{env, error::Error, process::exit, time::Instant};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
    runtime::{WatchStreamExt, reflector, watcher},
};

async fn run(kubeconfig: &str) -> Result<(), Box<dyn Error>> {
    let file = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
    let start = Instant::now();
    let pods: Api<Pod> = Api::all(Client::try_from(config)?);
    let (reader, writer) = reflector::store::<Pod>();
    let events = watcher(pods, watcher::Config::default().streaming_lists())
        .default_backoff()
        .modify(|pod| pod.metadata.managed_fields = None)
        .reflect(writer)
        .for_each(|_| async {});
    tokio::spawn(events);
    reader.wait_until_ready().await?;
    let seconds = start.elapsed().as_secs_f64();
    println!("synced objects={} seconds={seconds:.3}", reader.len());
    std::future::pending().await
}

#[tokio::main]
async fn main() {
    let kubeconfig = match env::args().nth(1).as_deref().and_then(|a| a.strip_prefix("--kubeconfig=").map(str::to_owned)) {
        Some(path) => path,
        None => {
            eprintln!("usage: kubers-podinformer --kubeconfig=FILE");
            exit(1);
        }
    };
    if let Err(error) = run(&kubeconfig).await {
        eprintln!("{error}");
        exit(1);
    }
}
