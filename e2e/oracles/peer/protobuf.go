// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"
)

// kinds has the types of all built-in kinds.
var kinds = func() *runtime.Scheme {
	all := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(all))
	utilruntime.Must(apiextensionsv1.AddToScheme(all))
	utilruntime.Must(apiregistrationv1.AddToScheme(all))
	utilruntime.Must(metav1.AddMetaToScheme(all))
	return all
}()

var protobufSerializer = protobuf.NewSerializer(kinds, kinds)

// readProtobuf reads an object in its envelope, and answers with its JSON.
func readProtobuf(input []byte) string {
	object, _, err := protobufSerializer.Decode(input, nil, nil)
	if err != nil {
		return refused
	}
	answer, err := json.Marshal(object)
	if err != nil {
		return refused
	}
	return string(answer)
}

// makeProtobuf reads "VERSION KIND SEED", and answers with an object of random content in base64.
func makeProtobuf(input []byte) string {
	object := randomObject(input)
	if object == nil {
		return refused
	}
	var encoded bytes.Buffer
	if err := protobufSerializer.Encode(object, &encoded); err != nil {
		return refused
	}
	return base64.StdEncoding.EncodeToString(encoded.Bytes())
}

// randomObject reads "VERSION KIND SEED". It returns nil for an unknown kind.
func randomObject(input []byte) runtime.Object {
	words := strings.Fields(string(input))
	if len(words) != 3 {
		return nil
	}
	kind := schema.FromAPIVersionAndKind(words[0], words[1])
	seed, err := strconv.ParseInt(words[2], 10, 64)
	object, errNew := kinds.New(kind)
	if err != nil || errNew != nil {
		return nil
	}
	fill(object, seed)
	object.GetObjectKind().SetGroupVersionKind(kind)
	return object
}

var rawValues = []string{`{}`, `{"a":1}`, `{"a":{"b":[1.5,"x",null,true]}}`, `{"f:metadata":{"f:labels":{".":{}}}}`}

// fill gives random values to the fields of an object. Text, times and quantities are those that the
// API has, and random ones.
func fill(object any, seed int64) {
	random := rand.New(rand.NewSource(seed))
	raw := func() []byte { return []byte(rawValues[random.Intn(len(rawValues))]) }
	when := func() time.Time {
		if random.Intn(4) == 0 {
			return time.Time{}
		}
		return time.Unix(random.Int63n(1<<33), random.Int63n(1e9)).UTC()
	}
	randfill.NewWithSeed(seed).RandSource(random).NilChance(0.5).NumElements(0, 2).MaxDepth(9).Funcs(
		func(value *string, c randfill.Continue) {
			switch c.Intn(4) {
			case 0:
				*value = ""
			case 1:
				*value = c.String(8)
			default:
				*value = fmt.Sprintf("text-%d", c.Intn(100))
			}
		},
		func(value *metav1.TypeMeta, c randfill.Continue) {},
		func(value *metav1.Time, c randfill.Continue) { value.Time = when().Truncate(time.Second) },
		func(value *metav1.MicroTime, c randfill.Continue) { value.Time = when().Truncate(time.Microsecond) },
		func(value *metav1.Duration, c randfill.Continue) { value.Duration = time.Duration(c.Int63n(1 << 40)) },
		func(value *metav1.FieldsV1, c randfill.Continue) { value.SetRawBytes(raw()) },
		func(value *runtime.RawExtension, c randfill.Continue) { value.Raw = raw() },
		func(value *apiextensionsv1.JSON, c randfill.Continue) { value.Raw = raw() },
		func(value *intstr.IntOrString, c randfill.Continue) {
			*value = intstr.FromInt32(c.Int31n(70000))
			if c.Bool() {
				*value = intstr.FromString(fmt.Sprintf("%d%%", c.Intn(100)))
			}
		},
		func(value *resource.Quantity, c randfill.Continue) {
			unit := []string{"", "m", "k", "Mi", "G", "e3", "n"}[c.Intn(7)]
			*value = resource.MustParse(fmt.Sprintf("%d%s", c.Intn(100000), unit))
		},
		func(value *apiextensionsv1.JSONSchemaPropsOrBool, c randfill.Continue) {
			value.Allows = true
			if c.Intn(3) == 0 {
				value.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(value.Schema)
			}
		},
		func(value *apiextensionsv1.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if c.Bool() {
				value.Property = []string{"a", "b"}[:1+c.Intn(2)]
			} else {
				value.Schema = &apiextensionsv1.JSONSchemaProps{}
				c.Fill(value.Schema)
			}
		},
		func(value *apiextensionsv1.JSONSchemaPropsOrArray, c randfill.Continue) {
			value.Schema = &apiextensionsv1.JSONSchemaProps{}
			c.Fill(value.Schema)
		},
	).Fill(object)
}
