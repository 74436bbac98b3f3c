// SPDX-License-Identifier: Apache-2.0
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::PostParams;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt};

/// A server of its own for one test, or the one of $TEST_KUBECONFIG.
struct Server {
    process: Option<Child>,
    kubeconfig: PathBuf,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        if let Some(kubeconfig) = std::env::var_os("TEST_KUBECONFIG") {
            return Self { process: None, kubeconfig: kubeconfig.into(), _folder: folder };
        }
        let kubeconfig = folder.path().join("kubeconfig");
        let mut process = Command::new("capstan-test-server")
            .arg(format!("--kubeconfig={}", kubeconfig.display()))
            .arg("--until-stdin-ends")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("capstan-test-server must be on the PATH");
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("serving on "), "{line}");
        Self { process: Some(process), kubeconfig, _folder: folder }
    }

    async fn client(&self) -> Client {
        let kubeconfig = Kubeconfig::read_from(&self.kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        Client::try_from(config.unwrap()).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            drop(process.stdin.take());
            process.wait().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_new_config_map() {
    let server = Server::start();
    let client = server.client().await;
    let controller = tokio::spawn(labeler::run(client.clone()));
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let mut settings = ConfigMap::default();
    settings.metadata.generate_name = Some("settings-".into());

    let created = maps.create(&PostParams::default(), &settings).await.unwrap();

    let labeled = async {
        loop {
            let found = maps.get(&created.name_any()).await.unwrap();
            if found.labels().get("labeled").map(String::as_str) == Some("yes") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let result = tokio::time::timeout(Duration::from_secs(30), labeled).await;
    controller.abort();
    result.expect("the ConfigMap has no label");
}
