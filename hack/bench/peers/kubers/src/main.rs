// SPDX-License-Identifier: Apache-2.0

// kubers --kubeconfig=FILE [--watch-list=false] is the peer of kube-rs for measurements of capstan's
// caches: one reflector for the metadata of Secrets. It keeps name, namespace and annotations. It prints
// one line when it has synced. Then it prints "KEY present" or "KEY absent" for each line
// "namespace/name" of its standard input, and runs until SIGKILL.
use std::{env, error::Error, process::exit, time::Instant};

use futures::StreamExt;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client, Config,
    api::{ObjectMeta, PartialObjectMeta},
    config::{KubeConfigOptions, Kubeconfig},
    runtime::{
        WatchStreamExt,
        reflector::{self, ObjectRef},
        watcher,
    },
};
use tokio::io::{AsyncBufReadExt, BufReader};

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

type Metadata = PartialObjectMeta<Secret>;

fn keep_few_fields(object: &mut Metadata) {
    let all = std::mem::take(&mut object.metadata);
    object.types = None;
    object.metadata = ObjectMeta {
        name: all.name,
        namespace: all.namespace,
        annotations: all.annotations,
        ..ObjectMeta::default()
    };
}

async fn run(kubeconfig: &str, watch_list: bool) -> Result<(), Box<dyn Error>> {
    let file = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
    let start = Instant::now();
    let secrets: Api<Metadata> = Api::all(Client::try_from(config)?);
    let options = watcher::Config::default();
    let options = if watch_list { options.streaming_lists() } else { options };

    let (reader, writer) = reflector::store::<Metadata>();
    let events = watcher(secrets, options)
        .default_backoff()
        .modify(keep_few_fields)
        .reflect(writer)
        .for_each(|_| async {});
    tokio::spawn(events);
    reader.wait_until_ready().await?;
    let seconds = start.elapsed().as_secs_f64();
    println!("synced objects={} seconds={seconds:.3}", reader.len());

    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(key) = lines.next_line().await? {
        let (namespace, name) = key.split_once('/').unwrap_or(("", &key));
        let found = reader.get(&ObjectRef::new(name).within(namespace));
        println!("{key} {}", if found.is_some() { "present" } else { "absent" });
    }
    std::future::pending().await
}

#[tokio::main]
async fn main() {
    let mut kubeconfig = String::new();
    let mut watch_list = true;
    for argument in env::args().skip(1) {
        match argument.split_once('=') {
            Some(("--kubeconfig", path)) => kubeconfig = path.to_owned(),
            Some(("--watch-list", "true")) => watch_list = true,
            Some(("--watch-list", "false")) => watch_list = false,
            _ => {
                eprintln!("usage: kubers --kubeconfig=FILE [--watch-list=false]");
                exit(1);
            }
        }
    }
    if let Err(error) = run(&kubeconfig, watch_list).await {
        eprintln!("{error}");
        exit(1);
    }
}
