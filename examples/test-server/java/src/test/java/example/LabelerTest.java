// SPDX-License-Identifier: Apache-2.0
package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fabric8.kubeapitest.junit.EnableKubeAPIServer;
import io.fabric8.kubeapitest.junit.KubeConfig;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@EnableKubeAPIServer
class LabelerTest {
  @KubeConfig
  static String kubeConfig;

  @Test
  void labelsNewConfigMap() {
    try (var client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(kubeConfig)).build();
        var labeler = new Labeler(client)) {
      ConfigMap settings = new ConfigMapBuilder()
          .withNewMetadata().withNamespace("default").withName("settings").endMetadata()
          .build();

      client.resource(settings).create();

      ConfigMap labeled = client.resource(settings).waitUntilCondition(
          map -> map.getMetadata().getLabels() != null
              && map.getMetadata().getLabels().containsKey("labeled"),
          30, TimeUnit.SECONDS);
      assertEquals("yes", labeled.getMetadata().getLabels().get("labeled"));
    }
  }
}
