// SPDX-License-Identifier: Apache-2.0
//! Adds a label to each ConfigMap.
use std::{future::ready, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::runtime::{Controller, controller::Action, watcher};
use kube::{Api, Client, Error, ResourceExt};

/// Runs the controller. It does not return.
pub async fn run(client: Client) {
    Controller::new(Api::<ConfigMap>::all(client.clone()), watcher::Config::default())
        .run(reconcile, retry, Arc::new(client))
        .for_each(|_| ready(()))
        .await;
}

async fn reconcile(found: Arc<ConfigMap>, client: Arc<Client>) -> Result<Action, Error> {
    if found.labels().get("labeled").map(String::as_str) != Some("yes") {
        let namespace = found.namespace().unwrap_or_default();
        let maps: Api<ConfigMap> = Api::namespaced(client.as_ref().clone(), &namespace);
        let patch = serde_json::json!({"metadata": {"labels": {"labeled": "yes"}}});
        maps.patch(&found.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await?;
    }
    Ok(Action::await_change())
}

fn retry(_: Arc<ConfigMap>, _: &Error, _: Arc<Client>) -> Action {
    Action::requeue(Duration::from_secs(1))
}
