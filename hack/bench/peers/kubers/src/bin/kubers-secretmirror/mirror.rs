// SPDX-License-Identifier: Apache-2.0

// What the controller keeps of Secrets and namespaces, and what it does with them.
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    hash::{BuildHasher, RandomState},
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};

use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{
    Api, Client, Error, Resource, ResourceExt,
    api::{DeleteParams, ObjectMeta, PartialObjectMeta, PostParams, Preconditions},
    runtime::{
        controller::Action,
        events::{Event, EventType, Recorder},
        reflector::{ObjectRef, Store},
        watcher,
    },
};
use serde::{Deserialize, Deserializer};
use tracing::{error, info};

/// The group of a source, and of a namespace that wants the sources of this group.
pub const GROUP_LABEL: &str = "example.com/mirror-group";
/// A copy has this label, and the annotation with the "namespace/name" of its source.
pub const COPY_LABEL: &str = "example.com/mirror-copy";
const SOURCE_ANNOTATION: &str = "example.com/mirror-of";

/// All that a cache keeps of a Secret. `data` are 8 bytes, by which two are compared.
#[derive(Resource, Deserialize, Clone, Debug)]
#[resource(inherit = Secret)]
pub struct SecretDigest {
    pub metadata: ObjectMeta,
    #[serde(rename = "type")]
    pub type_: Option<String>,
    #[serde(default, deserialize_with = "digest")]
    pub data: u64,
    /// The values of GROUP_LABEL and SOURCE_ANNOTATION. A map with one entry would take 544 bytes.
    #[serde(skip)]
    pub group: Option<String>,
    #[serde(skip)]
    pub source: Option<String>,
}

impl SecretDigest {
    /// Drops what the controller does not use.
    pub fn keep_little(&mut self) {
        self.group = group_of(self).cloned();
        self.source = self.annotations().get(SOURCE_ANNOTATION).cloned();
        let all = std::mem::take(&mut self.metadata);
        self.metadata = ObjectMeta {
            name: all.name,
            namespace: all.namespace,
            uid: all.uid,
            resource_version: all.resource_version,
            deletion_timestamp: all.deletion_timestamp,
            ..ObjectMeta::default()
        };
    }

    fn source(&self) -> Option<Key> {
        key_from(self.source.as_ref()?)
    }
}

fn digest<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    let data = Option::<BTreeMap<String, String>>::deserialize(from)?;
    Ok(data.map_or(0, |data| HASHER.hash_one(data)))
}

type Key = ObjectRef<SecretDigest>;

fn key_of(secret: &impl ResourceExt) -> Key {
    Key::new(&secret.name_any()).within(&secret.namespace().unwrap_or_default())
}

fn key_text(key: &Key) -> String {
    format!("{}/{}", key.namespace.as_deref().unwrap_or_default(), key.name)
}

fn key_from(text: &str) -> Option<Key> {
    let (namespace, name) = text.split_once('/')?;
    Some(Key::new(name).within(namespace))
}

fn group_of(object: &impl ResourceExt) -> Option<&String> {
    object.labels().get(GROUP_LABEL)
}

pub struct Mirror {
    pub client: Client,
    pub recorder: Recorder,
    pub sources: Store<SecretDigest>,
    pub copies: Store<SecretDigest>,
    pub namespaces: Store<PartialObjectMeta<Namespace>>,
    /// The namespaces of the copies of a source. A Store has no index.
    pub by_source: Mutex<HashMap<Key, BTreeSet<String>>>,
    /// The last known group of each namespace. A watch does not pass the old object on.
    pub groups: Mutex<HashMap<String, String>>,
    pub retry: Duration,
}

impl Mirror {
    pub fn update_index(&self, event: &watcher::Event<SecretDigest>) {
        let mut by_source = self.by_source.lock().unwrap();
        match event {
            watcher::Event::Apply(copy) | watcher::Event::InitApply(copy) => {
                if let (Some(source), Some(namespace)) = (copy.source(), copy.namespace()) {
                    by_source.entry(source).or_default().insert(namespace);
                }
            }
            watcher::Event::Delete(copy) => {
                let (Some(source), Some(namespace)) = (copy.source(), copy.namespace()) else {
                    return;
                };
                if let Some(namespaces) = by_source.get_mut(&source) {
                    namespaces.remove(&namespace);
                    if namespaces.is_empty() {
                        by_source.remove(&source);
                    }
                }
            }
            _ => {}
        }
    }

    pub fn sources_of_copy(&self, copy: &SecretDigest) -> Vec<Key> {
        match copy.source() {
            Some(key) => vec![key],
            // Somebody removed the annotation. A copy has the name of its source.
            None => self.sources_that(|source| source.name_any() == copy.name_any()),
        }
    }

    pub fn sources_of_namespace(&self, namespace: &PartialObjectMeta<Namespace>) -> Vec<Key> {
        let group = group_of(namespace).cloned().unwrap_or_default();
        let before = self.groups.lock().unwrap().insert(namespace.name_any(), group.clone());
        self.sources_that(|source| source.group.as_ref() == Some(&group) || source.group == before)
    }

    fn sources_that(&self, holds: impl Fn(&SecretDigest) -> bool) -> Vec<Key> {
        let found = self.sources.state().into_iter().filter(|source| holds(source));
        found.map(|source| key_of(source.as_ref())).collect()
    }

    /// Returns the namespaces that want a copy.
    fn namespaces_of(&self, source: &SecretDigest) -> BTreeSet<String> {
        if source.metadata.deletion_timestamp.is_some() {
            return BTreeSet::new();
        }
        let wants = |namespace: &PartialObjectMeta<Namespace>| {
            group_of(namespace) == source.group.as_ref()
                && namespace.metadata.deletion_timestamp.is_none()
                && namespace.metadata.name != source.metadata.namespace
        };
        self.namespaces.state().iter().filter(|ns| wants(ns)).map(|ns| ns.name_any()).collect()
    }

    fn api(&self, namespace: &str) -> Api<Secret> {
        Api::namespaced(self.client.clone(), namespace)
    }

    /// Returns the copy of `source` in a namespace.
    fn copy_in(&self, source: &Key, namespace: &str) -> Option<Arc<SecretDigest>> {
        let copy = self.copies.get(&Key::new(&source.name).within(namespace))?;
        (copy.source().as_ref() == Some(source)).then_some(copy)
    }

    /// Deletes the copies in other namespaces.
    async fn delete_others(&self, source: &Key, wanted: &BTreeSet<String>) -> Result<(), Error> {
        let held = self.by_source.lock().unwrap().get(source).cloned().unwrap_or_default();
        for namespace in held.difference(wanted) {
            if let Some(copy) = self.copy_in(source, namespace) {
                self.delete(&copy).await?;
            }
        }
        Ok(())
    }

    async fn delete(&self, copy: &SecretDigest) -> Result<(), Error> {
        // The version is a precondition: the Secret is still a copy.
        let parameters = DeleteParams::default().preconditions(Preconditions {
            uid: copy.uid(),
            resource_version: copy.resource_version(),
        });
        let namespace = copy.namespace().unwrap_or_default();
        match self.api(&namespace).delete(&copy.name_any(), &parameters).await {
            Err(Error::Api(status)) if status.is_not_found() => {}
            Err(error) => return Err(error),
            Ok(_) => info!(namespace, name = copy.name_any(), "Deleted copy"),
        }
        Ok(())
    }

    /// Deletes the copies of a source that is gone.
    pub async fn clean_up(self: Arc<Self>, source: Key) {
        self.copies.wait_until_ready().await.expect("the watch of copies never ends");
        while self.sources.get(&source).is_none() {
            match self.delete_others(&source, &BTreeSet::new()).await {
                Ok(()) => return,
                Err(error) => error!(%error, source = key_text(&source), "Failed to delete copies"),
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Creates or updates a copy. Returns whether a Secret that is no copy of this source has its name.
    async fn write(
        &self,
        source: &Secret,
        copy: Option<&SecretDigest>,
        namespace: &str,
    ) -> Result<bool, Error> {
        let (name, key) = (source.name_any(), key_text(&key_of(source)));
        let wanted = Secret {
            metadata: ObjectMeta {
                name: Some(name.clone()),
                namespace: Some(namespace.to_owned()),
                labels: Some(BTreeMap::from([(COPY_LABEL.to_owned(), "true".to_owned())])),
                annotations: Some(BTreeMap::from([(SOURCE_ANNOTATION.to_owned(), key.clone())])),
                resource_version: copy.and_then(|copy| copy.resource_version()),
                ..ObjectMeta::default()
            },
            type_: source.type_.clone(),
            data: source.data.clone(),
            ..Secret::default()
        };
        let parameters =
            PostParams { field_manager: Some("secret-mirror".to_owned()), ..PostParams::default() };
        let api = self.api(namespace);
        let written = match copy {
            Some(_) => api.replace(&name, &parameters, &wanted).await,
            None => api.create(&parameters, &wanted).await,
        };
        match written {
            Err(Error::Api(status)) if status.is_already_exists() => {
                self.is_taken(source, &name, namespace).await
            }
            Err(error) => Err(error),
            Ok(_) => {
                info!(namespace, name, source = key, "Wrote copy");
                Ok(false)
            }
        }
    }

    /// Returns whether the Secret that exists is no copy of this source. It may also be a copy that the
    /// cache does not hold yet, whose event will come.
    async fn is_taken(&self, source: &Secret, name: &str, namespace: &str) -> Result<bool, Error> {
        let Some(existing) = self.api(namespace).get_metadata_opt(name).await? else {
            return Ok(false);
        };
        let labelled = existing.labels().contains_key(COPY_LABEL);
        if labelled
            && existing.annotations().get(SOURCE_ANNOTATION) == Some(&key_text(&key_of(source)))
        {
            return Ok(false);
        }
        let event = Event {
            type_: EventType::Warning,
            reason: "SecretExists".to_owned(),
            note: Some(format!("Secret {namespace}/{name} exists and is not a copy of this one")),
            action: "Copy".to_owned(),
            secondary: None,
        };
        self.recorder.publish(&event, &source.object_ref(&())).await?;
        Ok(true)
    }
}

/// Writes and deletes the copies of a source.
pub async fn reconcile(source: Arc<SecretDigest>, mirror: Arc<Mirror>) -> Result<Action, Error> {
    mirror.copies.wait_until_ready().await.expect("the watch of copies never ends");
    mirror.namespaces.wait_until_ready().await.expect("the watch of namespaces never ends");
    let key = key_of(source.as_ref());
    let wanted = mirror.namespaces_of(&source);
    mirror.delete_others(&key, &wanted).await?;
    let mut blocked = false;
    let mut whole = None; // is read once, if at all
    for namespace in &wanted {
        let copy = mirror.copy_in(&key, namespace);
        match &copy {
            Some(copy) if copy.type_ != source.type_ => {
                // The type of a Secret cannot be changed. The deletion comes back as an event.
                mirror.delete(copy).await?;
                continue;
            }
            Some(copy) if copy.data == source.data => continue,
            _ => {}
        }
        if whole.is_none() {
            let api = mirror.api(&source.namespace().unwrap_or_default());
            whole = Some(api.get(&source.name_any()).await?);
        }
        if let Some(whole) = &whole {
            blocked |= mirror.write(whole, copy.as_deref(), namespace).await?;
        }
    }
    Ok(if blocked { Action::requeue(mirror.retry) } else { Action::await_change() })
}
