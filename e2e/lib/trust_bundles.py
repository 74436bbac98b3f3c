# SPDX-License-Identifier: Apache-2.0
"""ClusterTrustBundles on each version of kube-apiserver.

Kubernetes before 1.37 serves them only with FLAGS, and before 1.33 not in a version that capstan reads.
"""
FLAGS = ("--feature-gates=ClusterTrustBundle=true",
         "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true")


def serve(cluster):
    """Returns their version, or "" if there is none. May restart kube-apiserver with FLAGS."""
    minor = int(cluster.client().call("GET", "/version")["minor"])
    if minor >= 37:
        return "v1"
    if minor < 33:
        return ""
    cluster.kill("kube-apiserver")
    cluster.state["apiserver_flags"] = list(FLAGS)
    cluster.start_apiserver()
    return "v1beta1"
