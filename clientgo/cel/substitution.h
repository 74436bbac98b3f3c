// SPDX-License-Identifier: Apache-2.0
// Substitution is what the checker knows about type parameters: which type each one stands for.
// Mirrors cel-go's checker/types.go and checker/mapping.go.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clientgo/cel/type.h"

namespace capstan::cel {

class Substitution {
 public:
  // Reports whether a value of one type can be used as one of the other. If it can, remembers what
  // this says about the parameters of both.
  bool Assign(const Type& from, const Type& to);
  bool AssignAll(const std::vector<Type>& from, const std::vector<Type>& to);
  // Returns the type with the types that its parameters stand for. `to_dyn`: a parameter without a
  // type becomes dyn.
  Type Apply(const Type& type, bool to_dyn) const;
  void Set(const Type& param, Type type) { types_[param->name] = std::move(type); }

 private:
  bool Assignable(const Type& from, const Type& to);
  bool AllAssignable(const std::vector<Type>& from, const std::vector<Type>& to);
  struct Verdict {
    bool valid = false;
    bool known = false;  // the parameter has a type
  };
  Verdict CanStandFor(const Type& type, const Type& param);
  bool IsAbsent(const Type& param, const Type& within) const;
  const Type* Find(const Type& type) const;

  std::map<std::string, Type, std::less<>> types_;
};

// Returns the more general one of two types of which one is assignable to the other.
Type MostGeneral(const Type& a, const Type& b);

}  // namespace capstan::cel
