# SPDX-License-Identifier: Apache-2.0
"""ClusterTrustBundles on each version of kube-apiserver.

Kubernetes 1.33 to 1.36 serves them only with FLAGS. Older versions have none that capstan can read.
"""
FLAGS = ("--feature-gates=ClusterTrustBundle=true",
         "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true")


def serve(cluster):
    """Returns their version, or "" if there is none. May restart kube-apiserver with FLAGS."""
    served = cluster.client().call("GET", "/apis/certificates.k8s.io/v1")["resources"]
    if any(resource["name"] == "clustertrustbundles" for resource in served):
        return "v1"  # also the embedded API server
    minor = int(cluster.client().call("GET", "/version")["minor"])
    if minor < 33:
        return ""
    cluster.kill("kube-apiserver")
    cluster.state["apiserver_flags"] = list(FLAGS)
    cluster.start_apiserver()
    return "v1beta1"
