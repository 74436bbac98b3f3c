// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

var jsonSerializer = jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, kinds, kinds,
	jsonserializer.SerializerOptions{})

// readKind reads an object in JSON into the type of its kind, and answers with the JSON of the type.
func readKind(input []byte) string {
	object, _, err := jsonSerializer.Decode(input, nil, nil)
	if err != nil {
		return refused
	}
	answer, err := json.Marshal(object)
	if err != nil {
		return refused
	}
	var document any
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		return refused
	}
	dropEmptyStructs(reflect.ValueOf(object), document)
	if answer, err = json.Marshal(document); err != nil {
		return refused
	}
	return string(answer)
}

var (
	marshaler = reflect.TypeFor[json.Marshaler]()
	bytesType = reflect.TypeFor[[]byte]()
)

// dropEmptyStructs removes from the JSON of a value the empty structs that Go writes although they are optional:
// omitempty has no effect on a struct. Bytes that are null become empty.
func dropEmptyStructs(value reflect.Value, document any) {
	if value.Type().Implements(marshaler) || reflect.PointerTo(value.Type()).Implements(marshaler) {
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			dropEmptyStructs(value.Elem(), document)
		}
	case reflect.Slice:
		if elements, ok := document.([]any); ok {
			for i := range elements {
				dropEmptyStructs(value.Index(i), elements[i])
			}
		}
	case reflect.Map:
		if members, ok := document.(map[string]any); ok {
			for _, key := range value.MapKeys() {
				if value.Type().Elem() == bytesType && members[key.String()] == nil {
					members[key.String()] = ""
				}
				dropEmptyStructs(value.MapIndex(key), members[key.String()])
			}
		}
	case reflect.Struct:
		members, ok := document.(map[string]any)
		if !ok {
			return
		}
		for i := range value.NumField() {
			name, options, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
			if name == "" {
				dropEmptyStructs(value.Field(i), document)
				continue
			}
			if member, present := members[name]; present && member == nil && value.Field(i).Type() == bytesType {
				members[name] = ""
			}
			dropEmptyStructs(value.Field(i), members[name])
			inner, ok := members[name].(map[string]any)
			optional := strings.Contains(options, "omitempty")
			if ok && optional && len(inner) == 0 && value.Field(i).Kind() == reflect.Struct {
				delete(members, name)
			}
		}
	}
}

// makeJSON reads "VERSION KIND SEED", and answers with an object of random content and a name in base64.
func makeJSON(input []byte) string {
	object := randomObject(input)
	if object == nil {
		return refused
	}
	if metadata, err := meta.Accessor(object); err == nil && metadata.GetName() == "" {
		metadata.SetName("a")
	}
	answer, err := json.Marshal(object)
	if err != nil {
		return refused
	}
	return base64.StdEncoding.EncodeToString(answer)
}
