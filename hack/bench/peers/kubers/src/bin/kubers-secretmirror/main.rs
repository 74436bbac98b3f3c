// SPDX-License-Identifier: Apache-2.0

// kubers-secretmirror --kubeconfig=FILE [--retry=SECONDS] is examples/secret-mirror with kube-rs, as a peer
// for measurements. It has the same behaviour and requests, and its caches hold the same: a digest in
// place of a Secret's data. It has no metrics and no health checks.
use std::{collections::HashMap, env, error::Error, process::exit, sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt};
use http::header::{HeaderValue, USER_AGENT};
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client, Config,
    api::PartialObjectMeta,
    config::{KubeConfigOptions, Kubeconfig},
    runtime::{
        Controller, WatchStreamExt,
        controller::{self, Action},
        events::Recorder,
        reflector, watcher,
    },
};
use tracing::error;

mod mirror;
use mirror::{COPY_LABEL, GROUP_LABEL, Mirror, SecretDigest, reconcile};

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn with_label(label: &str) -> watcher::Config {
    watcher::Config::default().labels(label).streaming_lists()
}

async fn run(kubeconfig: &str, retry: Duration) -> Result<(), Box<dyn Error>> {
    let file = Kubeconfig::read_from(kubeconfig)?;
    let mut config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
    config.headers.push((USER_AGENT, HeaderValue::from_static("secret-mirror/rust")));
    let client = Client::try_from(config)?;

    let (sources, sources_writer) = reflector::store::<SecretDigest>();
    let (copies, copies_writer) = reflector::store::<SecretDigest>();
    let (namespaces, namespaces_writer) = reflector::store::<PartialObjectMeta<Namespace>>();
    let mirror = Arc::new(Mirror {
        recorder: Recorder::new(client.clone(), "secret-mirror".into()),
        sources,
        copies,
        namespaces,
        by_source: Default::default(),
        groups: Default::default(),
        retry,
        client: client.clone(),
    });

    let secrets: Api<SecretDigest> = Api::all(client.clone());
    let source_events = watcher(secrets.clone(), with_label(GROUP_LABEL))
        .default_backoff()
        .modify(SecretDigest::keep_little)
        .reflect(sources_writer)
        .touched_objects();
    let index = mirror.clone();
    let copy_events = watcher(secrets, with_label(COPY_LABEL))
        .default_backoff()
        .modify(SecretDigest::keep_little)
        .inspect_ok(move |event| index.update_index(event))
        .reflect(copies_writer)
        .touched_objects();
    let namespace_events =
        watcher(Api::<PartialObjectMeta<Namespace>>::all(client), with_label(GROUP_LABEL))
            .default_backoff()
            .modify(|namespace| namespace.metadata.managed_fields = None)
            .reflect(namespaces_writer)
            .touched_objects();

    let (of_copy, of_namespace) = (mirror.clone(), mirror.clone());
    Controller::for_stream(source_events, mirror.sources.clone())
        .watches_stream(copy_events, move |copy| of_copy.sources_of_copy(&copy))
        .watches_stream(namespace_events, move |ns| of_namespace.sources_of_namespace(&ns))
        .with_config(controller::Config::default().concurrency(1))
        .shutdown_on_signal()
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), mirror.clone())
        .for_each(|result| {
            match result {
                // A Controller reconciles no object that is gone, so this removes its copies.
                Err(controller::Error::ObjectNotFound(source)) => {
                    tokio::spawn(mirror.clone().clean_up(source.into_kind_unchecked(())));
                }
                Err(error) => error!(%error, "Failed to reconcile"),
                Ok(_) => {}
            }
            futures::future::ready(())
        })
        .await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let flags: HashMap<String, String> = env::args()
        .skip(1)
        .filter_map(|flag| {
            flag.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()))
        })
        .collect();
    let retry = flags.get("--retry").map_or(Ok(60.0), |text| text.parse());
    let (Some(kubeconfig), Ok(retry)) = (flags.get("--kubeconfig"), retry) else {
        eprintln!("usage: kubers-secretmirror --kubeconfig=FILE [--retry=SECONDS]");
        exit(1);
    };
    if let Err(error) = run(kubeconfig, Duration::from_secs_f64(retry)).await {
        error!(%error, "Failed");
        exit(1);
    }
}
