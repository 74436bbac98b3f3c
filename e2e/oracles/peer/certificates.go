// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"strings"
	"time"
)

// readPEM answers with the certificates that AppendCertsFromPEM of a new pool takes.
func readPEM(input []byte) string {
	var found []string
	for rest := input; len(rest) > 0; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			break
		}
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			continue
		}
		sum := sha256.Sum256(certificate.Raw)
		found = append(found, hex.EncodeToString(sum[:8]))
	}
	if x509.NewCertPool().AppendCertsFromPEM(input) != (len(found) > 0) {
		return "readPEM is not AppendCertsFromPEM"
	}
	return strings.Join(found, " ")
}

// verifyCertificate answers with the verdict of the API server's webhook client on a server. The
// input is the name of the server, the time, the certificates that it sends, and the CA bundle.
func verifyCertificate(input []byte) string {
	part := parts(input, 4)
	now, err := time.Parse(time.RFC3339, part[1])
	if err != nil {
		return "no time"
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(part[3])) {
		return "no bundle"
	}
	options := x509.VerifyOptions{
		DNSName:       part[0],
		CurrentTime:   now,
		Roots:         roots,
		Intermediates: x509.NewCertPool(),
	}
	var leaf *x509.Certificate
	for index, text := range strings.Fields(part[2]) {
		der, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return "no chain"
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			return "unreadable"
		}
		if index == 0 {
			leaf = certificate
		} else {
			options.Intermediates.AddCert(certificate)
		}
	}
	if leaf == nil {
		return "no chain"
	}
	_, err = leaf.Verify(options)
	ordered := orderedVerdict(leaf, options)
	if options.DNSName != "" && (err == nil) != (ordered == "verified") {
		return "orderedVerdict is not Verify"
	}
	return ordered
}

// orderedVerdict looks for a chain first, as capstan does: a bundle that is wrong matters more than the
// name or the dates of the server. Verify reports the first fault that it finds, and checks no empty name.
func orderedVerdict(leaf *x509.Certificate, options x509.VerifyOptions) string {
	name := options.DNSName
	options.DNSName = ""
	chained := *leaf
	chained.UnhandledCriticalExtensions = nil
	chained.NotBefore, chained.NotAfter = options.CurrentTime, options.CurrentTime
	if _, err := chained.Verify(options); err != nil {
		return verdict(err)
	}
	if len(leaf.UnhandledCriticalExtensions) > 0 {
		return "unknown authority"
	}
	if options.CurrentTime.Before(leaf.NotBefore) || options.CurrentTime.After(leaf.NotAfter) {
		return "expired"
	}
	return verdict(leaf.VerifyHostname(name))
}

func verdict(err error) string {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	switch {
	case err == nil:
		return "verified"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "expired"
	case errors.As(err, &name):
		return "name"
	default:
		return "unknown authority"
	}
}
