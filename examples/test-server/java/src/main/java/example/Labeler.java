// SPDX-License-Identifier: Apache-2.0
package example;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Map;

/** Adds a label to each ConfigMap. */
public final class Labeler implements ResourceEventHandler<ConfigMap>, AutoCloseable {
  private final KubernetesClient client;
  private final SharedIndexInformer<ConfigMap> informer;

  public Labeler(KubernetesClient client) {
    this.client = client;
    informer = client.configMaps().inAnyNamespace().inform(this);
  }

  @Override
  public void onAdd(ConfigMap found) {
    Map<String, String> labels = found.getMetadata().getLabels();
    if (labels != null && "yes".equals(labels.get("labeled"))) {
      return;
    }
    client.resource(found).edit(map ->
        new ConfigMapBuilder(map).editMetadata().addToLabels("labeled", "yes").endMetadata().build());
  }

  @Override
  public void onUpdate(ConfigMap before, ConfigMap after) {
    onAdd(after);
  }

  @Override
  public void onDelete(ConfigMap last, boolean unknown) {}

  @Override
  public void close() {
    informer.close();
  }
}
