// SPDX-License-Identifier: Apache-2.0
// The flags of all capstan commands. inspect_options.cc reads them.
#include <gflags/gflags.h>

DEFINE_string(kubeconfig, "", "Path to a kubeconfig.");
DEFINE_string(feature_gates, "", "--feature-gates of the manager.");
DEFINE_string(http2, "auto",
              "auto: HTTP/2 to the API server if it offers it, otherwise HTTP/1.1. off: HTTP/1.1.");
DEFINE_string(context, "", "Context of the kubeconfig. Default: its current context.");
DEFINE_string(
    as, "",
    "User to act as, for example that of the manager. Its missing rights are then reported.");
DEFINE_string(output, "", "Output format: \"json\". Default: text.");
DEFINE_string(namespace, "", "--namespace of the manager. It hides no target.");
DEFINE_string(ignore_namespaces, "", "--ignore-namespaces of the manager.");
DEFINE_bool(enable_certificates_data_source, true, "The value that the manager has.");
DEFINE_bool(enable_validatingwebhookconfigurations_injectable, true,
            "The value that the manager has.");
DEFINE_bool(enable_mutatingwebhookconfigurations_injectable, true,
            "The value that the manager has.");
DEFINE_bool(enable_customresourcedefinitions_injectable, true, "The value that the manager has.");
DEFINE_bool(enable_apiservices_injectable, true, "The value that the manager has.");
DEFINE_string(wait, "0s", "How long to wait until all targets are fine. 0: check once.");
DEFINE_bool(dry_run, false, "Show what would be written, and write nothing. Required.");
DEFINE_string(file, "",
              "YAML or JSON file to read instead of a cluster, \"-\" for stdin. May be repeated.");
