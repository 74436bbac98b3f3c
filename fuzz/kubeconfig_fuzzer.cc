// SPDX-License-Identifier: Apache-2.0
// Tests LoadKubeconfig on any bytes: it never crashes, and no error contains a credential. The
// seeds have the word S3CRET in place of credentials, and the fuzzer may move it. An error may
// contain the word only if it is also outside of "users", for example in a server's address.
#include <glog/logging.h>
#include <sys/mman.h>
#include <unistd.h>
#include <yaml.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/clientcmd/config.h"

namespace {

constexpr std::string_view kSecret = "S3CRET";

// MemoryFile is a file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : fd_(memfd_create("kubeconfig", MFD_CLOEXEC)) {
    PCHECK(fd_ >= 0);
    PCHECK(write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  const int fd_;
};

// Document is a document that libyaml reads.
class Document {
 public:
  explicit Document(const std::string& text) {
    CHECK(yaml_parser_initialize(&parser_));
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
    loaded_ = yaml_parser_load(&parser_, &document_) != 0;
  }
  ~Document() {
    if (loaded_) yaml_document_delete(&document_);
    yaml_parser_delete(&parser_);
  }
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // Returns nullptr if the text is not YAML, or is empty.
  const yaml_node_t* Root() { return loaded_ ? yaml_document_get_root_node(&document_) : nullptr; }
  const yaml_node_t* Node(int index) { return yaml_document_get_node(&document_, index); }

 private:
  yaml_parser_t parser_ = {};
  yaml_document_t document_ = {};
  bool loaded_ = false;
};

std::string_view Scalar(const yaml_node_t* node) {
  if (node->type != YAML_SCALAR_NODE) return {};
  return {reinterpret_cast<const char*>(node->data.scalar.value), node->data.scalar.length};
}

// Reports whether `node` contains the word. A document with aliases is a graph, so the walk returns
// true after `budget` nodes.
bool Contains(Document& document, const yaml_node_t* node, int& budget) {
  if (--budget < 0) return true;
  if (node->type == YAML_SEQUENCE_NODE) {
    const auto& items = node->data.sequence.items;
    return std::any_of(items.start, items.top,
                       [&](int item) { return Contains(document, document.Node(item), budget); });
  }
  if (node->type == YAML_MAPPING_NODE) {
    const auto& pairs = node->data.mapping.pairs;
    return std::any_of(pairs.start, pairs.top, [&](const yaml_node_pair_t& pair) {
      return Contains(document, document.Node(pair.key), budget) ||
             Contains(document, document.Node(pair.value), budget);
    });
  }
  return Scalar(node).find(kSecret) != std::string_view::npos;
}

// Reports whether an entry of "users" has the word only in the value of "user".
bool IsPrivateUser(Document& document, const yaml_node_t* entry, int& budget) {
  if (entry->type != YAML_MAPPING_NODE) return true;
  const auto& fields = entry->data.mapping.pairs;
  return std::none_of(fields.start, fields.top, [&](const yaml_node_pair_t& field) {
    const yaml_node_t* const key = document.Node(field.key);
    return Contains(document, key, budget) ||
           (Scalar(key) != "user" && Contains(document, document.Node(field.value), budget));
  });
}

// Reports whether the word occurs only in the values of "user" in the entries of "users". Text that
// is not YAML is private as a whole.
bool IsPrivate(const std::string& text) {
  Document document(text);
  const yaml_node_t* const root = document.Root();
  if (root == nullptr || root->type != YAML_MAPPING_NODE) return true;
  int budget = 1000;
  const auto& sections = root->data.mapping.pairs;
  return std::all_of(sections.start, sections.top, [&](const yaml_node_pair_t& section) {
    const yaml_node_t* const key = document.Node(section.key);
    const yaml_node_t* const value = document.Node(section.value);
    if (Scalar(key) != "users") {
      return !Contains(document, key, budget) && !Contains(document, value, budget);
    }
    if (value->type != YAML_SEQUENCE_NODE) return true;
    const auto& entries = value->data.sequence.items;
    return std::all_of(entries.start, entries.top, [&](int entry) {
      return IsPrivateUser(document, document.Node(entry), budget);
    });
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const MemoryFile file(text);
  for (const char* context : {"", "c"}) {
    const auto config = capstan::clientcmd::LoadKubeconfig({file.path()}, context);
    if (config) continue;
    CHECK(!config.error().message.empty());
    const bool repeated = config.error().message.find(kSecret) != std::string::npos;
    CHECK(!repeated || !IsPrivate(text)) << config.error().message;
  }
  return 0;
}
