// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// parseQuantity answers with the canonical text. String may return the text that was parsed.
func parseQuantity(input []byte) string {
	quantity, err := resource.ParseQuantity(string(input))
	if err != nil {
		return refused
	}
	number, suffix := quantity.CanonicalizeBytes(nil)
	return fmt.Sprintf("%s%s value=%d milli=%d", number, suffix, quantity.Value(), quantity.MilliValue())
}

func parseDuration(input []byte) string {
	duration, err := time.ParseDuration(string(input))
	if err != nil {
		return refused
	}
	return fmt.Sprintf("%d %s", duration.Nanoseconds(), duration.String())
}

// parseTime answers with what metav1.MicroTime and metav1.Time read and write.
func parseTime(input []byte) string {
	parsed, err := time.Parse(time.RFC3339, string(input))
	if err != nil {
		return refused
	}
	parsed = parsed.UTC()
	return fmt.Sprintf("%d %s %s", parsed.UnixMicro(), parsed.Format(metav1.RFC3339Micro), parsed.Format(time.RFC3339))
}
