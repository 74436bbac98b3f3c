// SPDX-License-Identifier: Apache-2.0
// Lists the JSON paths of declared fields, for a Projection. Only the library uses this header.
#pragma once

#include <concepts>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "capstan/codec.h"
#include "capstan/field.h"
#include "capstan/object_meta.h"
#include "capstan/runtime/projection.h"

namespace capstan::detail {

using Path = runtime::Projection::Path;

template <class... F>
void AddPaths(const std::tuple<F...>& fields, const Path& prefix, std::vector<Path>& paths);

// Adds the paths of a value at `path`. Lists have no step of their own, and "*" is any key of a
// map.
template <class T, class Children>
void AddPathsOfValue(const Children& children, Path path, std::vector<Path>& paths) {
  if constexpr (std::same_as<T, ObjectMeta>) {
    for (const Path& below : ObjectMetaPaths()) {
      Path whole = path;
      whole.insert(whole.end(), below.begin(), below.end());
      paths.push_back(std::move(whole));
    }
  } else if constexpr (HasCodec<Innermost<T>> && !std::same_as<Innermost<T>, ObjectMeta>) {
    paths.push_back(std::move(path));
  } else if constexpr (kIsOptional<T> || kIsVector<T>) {
    AddPathsOfValue<typename T::value_type>(children, std::move(path), paths);
  } else if constexpr (kIsMap<T>) {
    path.emplace_back("*");
    AddPathsOfValue<typename T::mapped_type>(children, std::move(path), paths);
  } else {
    WithFields<T>(children, [&](const auto& fields) { AddPaths(fields, path, paths); });
  }
}

template <class... F>
void AddPaths(const std::tuple<F...>& fields, const Path& prefix, std::vector<Path>& paths) {
  const auto add =
      [&]<class Owner, class Member, class... C>(const Field<Owner, Member, C...>& field) {
        Path path = prefix;
        path.emplace_back(field.name());
        AddPathsOfValue<Member>(field.children(), std::move(path), paths);
      };
  std::apply([&](const auto&... field) { (add(field), ...); }, fields);
}

}  // namespace capstan::detail
