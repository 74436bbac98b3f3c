// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// celSchema is the schema of "self" in evaluateCEL. The C++ program reads the same file.
//
//go:embed cel_schema.json
var celSchema []byte

type celWorld struct {
	schema *spec.Schema
	self   *apiservercel.DeclType
	env    *cel.Env
	err    error
}

// celEnvironment has what new expressions of Kubernetes 1.34 may use: its minimal version is 1.33.
var celEnvironment = sync.OnceValue(func() celWorld {
	schema := &spec.Schema{}
	if err := json.Unmarshal(celSchema, schema); err != nil {
		return celWorld{err: err}
	}
	self := openapi.SchemaDeclType(schema, false).MaybeAssignTypeName("selfType")
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 33)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", self.CelType())},
		DeclTypes:         []*apiservercel.DeclType{self},
	})
	if err != nil {
		return celWorld{err: err}
	}
	return celWorld{schema: schema, self: self, env: set.NewExpressionsEnv()}
})

// evaluateCEL reads an expression and the JSON of "self". It answers with the value, with the kind of
// the error, with refused if the expression is wrong, or with random if the order of a map decides. In
// front of a value are what it cost and the most that the expression may cost for any object.
func evaluateCEL(input []byte) string {
	world := celEnvironment()
	if world.err != nil {
		return "no environment: " + world.err.Error()
	}
	list := parts(input, 2)
	ast, issues := world.env.Compile(list[0])
	if issues != nil && issues.Err() != nil {
		return refused
	}
	program, err := programOf(world.env, ast)
	if err != nil {
		return refused
	}
	var self map[string]any
	if err := utiljson.Unmarshal([]byte(list[1]), &self); err != nil || self == nil {
		return "no object"
	}
	estimate, err := world.env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: schemaSizes{world.self}})
	if err != nil {
		return "no estimate: " + err.Error()
	}
	answer := answerOfCEL(program, self, world.schema)
	for i := 0; i < mapOrders && readsMapInOrder(ast); i++ {
		if answerOfCEL(program, inOtherOrder(self).(map[string]any), world.schema) != answer {
			return "random"
		}
	}
	return fmt.Sprintf("at most %d, %s", estimate.Max, answer)
}

// programOf returns an error where cel-go panics, for a constant map whose keys Go cannot hash.
func programOf(env *cel.Env, ast *cel.Ast) (program cel.Program, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	return env.Program(ast)
}

// inOtherOrder returns a copy of a JSON value whose maps were filled in a random order. Go visits a map from
// a random member on, but in the order that it has.
func inOtherOrder(value any) any {
	switch v := value.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		copied := map[string]any{}
		for _, name := range names {
			copied[name] = inOtherOrder(v[name])
		}
		return copied
	case []any:
		var copied = make([]any, len(v))
		for i, element := range v {
			copied[i] = inOtherOrder(element)
		}
		return copied
	}
	return value
}

// schemaSizes gives the sizes of a schema to an estimate, as apiextensions-apiserver does for rules.
type schemaSizes struct{ root *apiservercel.DeclType }

func (s schemaSizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	path := node.Path()
	if len(path) == 0 {
		return nil
	}
	at := s.root
	for _, step := range path[1:] { // behind the variable
		var next *apiservercel.DeclType
		switch field := at.Fields[step]; {
		case step == "@items" || step == "@values":
			next = at.ElemType
		case step == "@keys":
			next = at.KeyType
		case field != nil:
			next = field.Type
		}
		if next == nil {
			return nil
		}
		at = next
	}
	return &checker.SizeEstimate{Max: uint64(at.MaxElements)}
}

func (s schemaSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// mapOrders is how often an expression is evaluated that reads a map in Go's random order. A map with
// two members has the rarer of its orders in one of eight cases.
const mapOrders = 100

// readsMapInOrder returns whether an expression has a comprehension over what may be a map, or a format,
// which stops at the first member that it cannot write.
func readsMapInOrder(ast *cel.Ast) bool {
	found := false
	celast.PreOrderVisit(ast.NativeRep().Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.ComprehensionKind {
			kind := ast.NativeRep().GetType(e.AsComprehension().IterRange().ID()).Kind()
			found = found || kind != types.ListKind
		}
		found = found || e.Kind() == celast.CallKind && e.AsCall().FunctionName() == "format"
	}))
	return found
}

func answerOfCEL(program cel.Program, self map[string]any, schema *spec.Schema) string {
	value, details, err := program.Eval(map[string]any{"self": openapi.UnstructuredToVal(self, schema)})
	if err != nil {
		return "error: " + celErrorKind(err.Error())
	}
	return fmt.Sprintf("cost %d: %s", *details.ActualCost(), plainLine(showCEL(value)))
}

// celErrorKinds are the beginnings of errors that the two programs compare.
var celErrorKinds = []string{
	"no such overload", "no such key", "index out of bounds", "index out of range", "division by zero",
	"modulus by zero", "integer overflow", "unsigned integer overflow", "duration overflow",
	"timestamp overflow", "type conversion error", "operation cancelled", "optional.none() dereference",
}

func celErrorKind(text string) string {
	for _, kind := range celErrorKinds {
		if strings.HasPrefix(text, kind) {
			return kind
		}
	}
	return "other"
}

// plainLine returns the text with %XX instead of bytes that are no printable ASCII.
func plainLine(text string) string {
	var line strings.Builder
	for _, b := range []byte(text) {
		if b >= ' ' && b < 0x7f && b != '%' {
			line.WriteByte(b)
		} else {
			fmt.Fprintf(&line, "%%%02X", b)
		}
	}
	return line.String()
}

// showCEL returns a value as ShowValue of clientgo/cel does.
func showCEL(value ref.Val) string {
	switch v := value.(type) {
	case *types.Err:
		return "error: " + celErrorKind(v.Error())
	case types.Null:
		return "null"
	case types.Bool:
		return fmt.Sprint(bool(v))
	case types.Int:
		return fmt.Sprint(int64(v))
	case types.Uint:
		return fmt.Sprintf("%du", uint64(v))
	case types.Double:
		return fmt.Sprintf("double(%g)", float64(v))
	case types.String:
		return `"` + string(v) + `"`
	case types.Bytes:
		return fmt.Sprintf(`b"%x"`, []byte(v))
	case types.Timestamp:
		return "timestamp(" + v.Time.UTC().Format(time.RFC3339Nano) + ")"
	case types.Duration:
		return "duration(" + string(v.ConvertToType(types.StringType).(types.String)) + ")"
	case *types.Optional:
		if !v.HasValue() {
			return "optional()"
		}
		return "optional(" + showCEL(v.GetValue()) + ")"
	case *types.Type:
		return "type(" + v.TypeName() + ")"
	case traits.Mapper:
		var members []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if key == nil { // Kubernetes' iterator ends with one for each unknown field
				break
			}
			members = append(members, showCEL(key)+": "+showCEL(v.Get(key)))
		}
		sort.Strings(members)
		return "{" + strings.Join(members, ", ") + "}"
	case traits.Lister:
		var elements []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			elements = append(elements, showCEL(it.Next()))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
	return value.Type().TypeName()
}
