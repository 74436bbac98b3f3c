// SPDX-License-Identifier: Apache-2.0

// oracles_peer MODE reads inputs on standard input, and prints what Go makes of each. An input is its
// length, four bytes with the highest first, and its bytes. Each answer is one line.
// capstan_oracle has the same modes and prints what capstan makes of the input.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
)

// answers maps a mode to the function that answers one input. An answer has no line break.
var answers = map[string]func(input []byte) string{
	"apply":            applyConfigurations,
	"cel":              evaluateCEL,
	"certificate":      verifyCertificate,
	"duration":         parseDuration,
	"forge":            forgeCertificates,
	"exec":             readExecCredential,
	"field_selector":   parseFieldSelector,
	"json":             parseJSON,
	"json_patch":       applyJSONPatch,
	"kinds":            readKind,
	"kubeconfig":       readKubeconfig,
	"label_selector":   parseLabelSelector,
	"make_json":        makeJSON,
	"make_protobuf":    makeProtobuf,
	"merge_patch":      applyMergePatch,
	"no_proxy":         chooseProxy,
	"pem":              readPEM,
	"protobuf":         readProtobuf,
	"quantity":         parseQuantity,
	"read_server":      readServer,
	"schema":           validateSchema,
	"selector_of_kind": readSelectorOfKind,
	"strategic_patch":  applyStrategicPatch,
	"time":             parseTime,
	"url":              parseServerURL,
	"yaml":             parseYAML,
}

// refused is the answer for an input that Go refuses.
const refused = "refused"

// parts returns the parts of an input with several, which NUL bytes separate.
func parts(input []byte, count int) []string {
	list := strings.SplitN(string(input), "\x00", count)
	for len(list) < count {
		list = append(list, "")
	}
	return list
}

// plain returns the text with %XX instead of every byte that an answer does not show.
func plain(text string) string {
	var line strings.Builder
	for _, b := range []byte(text) {
		if b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' ||
			strings.IndexByte(".:-_/%", b) >= 0 {
			line.WriteByte(b)
		} else {
			fmt.Fprintf(&line, "%%%02X", b)
		}
	}
	return line.String()
}

func answer(mode func([]byte) string, input []byte) (line string) {
	defer func() {
		if cause := recover(); cause != nil {
			line = fmt.Sprintf("panic: %q", fmt.Sprint(cause))
		}
	}()
	return mode(input)
}

func run(mode func([]byte) string, in io.Reader, out io.Writer) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	for {
		var size uint32
		if err := binary.Read(reader, binary.BigEndian, &size); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		input := make([]byte, size)
		if _, err := io.ReadFull(reader, input); err != nil {
			return err
		}
		// Without a buffer: after a crash, the answers show which input it was.
		if _, err := io.WriteString(out, answer(mode, input)+"\n"); err != nil {
			return err
		}
	}
}

func main() {
	var modes []string
	for name := range answers {
		modes = append(modes, name)
	}
	sort.Strings(modes)
	if len(os.Args) != 2 || answers[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "usage: oracles_peer MODE; modes: %s\n", strings.Join(modes, " "))
		os.Exit(2)
	}
	if err := run(answers[os.Args[1]], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
