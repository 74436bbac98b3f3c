// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"strconv"
	"strings"
	"sync"
	"time"
)

// forgeCertificates makes the input of verifyCertificate from a description, and answers with it in
// base64. A line "name=N time=T chain=A,B bundle=C" is about the server; a line "A: WORD..." describes
// the certificate A. The words are in forgery.apply. Faults are allowed everywhere.
func forgeCertificates(input []byte) string {
	forged := map[string][]byte{}
	server := map[string]string{"time": "2026-06-01T00:00:00Z"}
	descriptions := map[string][]string{}
	var names []string
	for _, line := range strings.Split(string(input), "\n") {
		name, words, certificate := strings.Cut(line, ": ")
		if certificate {
			names = append(names, name)
			descriptions[name] = strings.Fields(words)
			continue
		}
		for _, word := range strings.Fields(line) {
			key, value, _ := strings.Cut(word, "=")
			server[key] = value
		}
	}
	for _, name := range names {
		if der, err := forge(name, descriptions); err == nil {
			forged[name] = der
		}
	}
	var chain []string
	for _, name := range strings.Split(server["chain"], ",") {
		if der := forged[name]; der != nil {
			chain = append(chain, base64.StdEncoding.EncodeToString(der))
		}
	}
	var bundle bytes.Buffer
	for _, name := range strings.Split(server["bundle"], ",") {
		if der := forged[name]; der != nil {
			pem.Encode(&bundle, &pem.Block{Type: "CERTIFICATE", Bytes: der})
		}
	}
	material := strings.Join([]string{server["name"], server["time"], strings.Join(chain, " "),
		bundle.String()}, "\x00")
	return base64.StdEncoding.EncodeToString([]byte(material))
}

type tbsCertificate struct {
	Version    int `asn1:"optional,explicit,default:0,tag:0"`
	Serial     *big.Int
	Algorithm  pkix.AlgorithmIdentifier
	Issuer     asn1.RawValue
	Validity   validity
	Subject    asn1.RawValue
	PublicKey  asn1.RawValue
	Extensions []pkix.Extension `asn1:"omitempty,optional,explicit,tag:3"`
}

type validity struct{ NotBefore, NotAfter time.Time }

type signedCertificate struct {
	TBS       asn1.RawValue
	Algorithm pkix.AlgorithmIdentifier
	Signature asn1.BitString
}

// forgery is a certificate that is being described.
type forgery struct {
	tbs       tbsCertificate
	key       crypto.Signer
	keyName   string // certificates with one name here have one key, except for RSA
	cn        string
	issuer    string
	usage     []int
	usages    []asn1.ObjectIdentifier
	names     []asn1.RawValue
	permitted []generalSubtree
	excluded  []generalSubtree
	change    int // the byte of the signed part that is changed; 0: none
	broken    bool
}

type generalSubtree struct{ Base asn1.RawValue }

type basicConstraints struct {
	IsCA       bool `asn1:"optional"`
	MaxPathLen int  `asn1:"optional,default:-1"`
}

var keyUsages = map[string]int{"signature": 0, "encipherment": 2, "data": 3, "agreement": 4, "sign": 5, "crl": 6}

var extendedKeyUsages = map[string]asn1.ObjectIdentifier{
	"server":  {1, 3, 6, 1, 5, 5, 7, 3, 1},
	"client":  {1, 3, 6, 1, 5, 5, 7, 3, 2},
	"email":   {1, 3, 6, 1, 5, 5, 7, 3, 4},
	"any":     {2, 5, 29, 37, 0},
	"sgc":     {1, 3, 6, 1, 4, 1, 311, 10, 3, 3},
	"unknown": {1, 2, 3, 4},
}

func extension(id asn1.ObjectIdentifier, critical bool, value any) (pkix.Extension, error) {
	der, err := asn1.Marshal(value)
	return pkix.Extension{Id: id, Critical: critical, Value: der}, err
}

func (f *forgery) add(id asn1.ObjectIdentifier, critical bool, value any) error {
	made, err := extension(id, critical, value)
	f.tbs.Extensions = append(f.tbs.Extensions, made)
	return err
}

func generalName(kind, value string) asn1.RawValue {
	name := asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte(value)}
	switch kind {
	case "ip", "permitip", "excludeip":
		name.Tag = 7
		name.Bytes = nil
		for _, part := range strings.Split(value, ".") {
			number, _ := strconv.Atoi(part)
			name.Bytes = append(name.Bytes, byte(number))
		}
	case "email":
		name.Tag = 1
	case "uri":
		name.Tag = 6
	}
	return name
}

// apply understands one word of a description.
func (f *forgery) apply(word string) error {
	key, value, _ := strings.Cut(word, "=")
	number, _ := strconv.Atoi(value)
	switch key {
	case "cn":
		f.cn = value
	case "by":
		f.issuer = value
	case "key":
		return f.setKey(value)
	case "keyof":
		f.keyName = value
		return f.setKey("p256")
	case "v1":
		f.tbs.Version = 0
	case "serial":
		f.tbs.Serial.SetString(value, 16)
	case "from":
		f.tbs.Validity.NotBefore, _ = time.Parse(time.DateOnly, value)
	case "to":
		f.tbs.Validity.NotAfter, _ = time.Parse(time.DateOnly, value)
	case "ca":
		return f.add(asn1.ObjectIdentifier{2, 5, 29, 19}, true, basicConstraints{true, -1})
	case "pathlen":
		return f.add(asn1.ObjectIdentifier{2, 5, 29, 19}, true, basicConstraints{true, number})
	case "notca":
		return f.add(asn1.ObjectIdentifier{2, 5, 29, 19}, true, basicConstraints{false, -1})
	case "usage":
		for _, name := range strings.Split(value, ",") {
			f.usage = append(f.usage, keyUsages[name])
		}
	case "eku":
		for _, name := range strings.Split(value, ",") {
			f.usages = append(f.usages, extendedKeyUsages[name])
		}
	case "dns", "ip", "email", "uri":
		f.names = append(f.names, generalName(key, value))
	case "permit", "permitip":
		f.permitted = append(f.permitted, generalSubtree{generalName(key, value)})
	case "exclude", "excludeip":
		f.excluded = append(f.excluded, generalSubtree{generalName(key, value)})
	case "critical":
		return f.add(asn1.ObjectIdentifier{1, 2, 3, number}, true, 1)
	case "extension":
		return f.add(asn1.ObjectIdentifier{1, 2, 3, number}, false, 1)
	case "change":
		f.change = number
	case "badsignature":
		f.broken = true
	default:
		return errors.New("unknown word " + word)
	}
	return nil
}

var rsaKeys = map[string]func() *rsa.PrivateKey{
	"rsa":     sync.OnceValue(func() *rsa.PrivateKey { return newRSA(2048) }),
	"rsa1024": sync.OnceValue(func() *rsa.PrivateKey { return newRSA(1024) }),
}

func newRSA(bits int) *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		panic(err)
	}
	return key
}

// setKey makes the key of this kind.
func (f *forgery) setKey(kind string) (err error) {
	curves := map[string]elliptic.Curve{"p256": elliptic.P256(), "p384": elliptic.P384(), "p521": elliptic.P521()}
	seed := sha256.Sum256([]byte(f.keyName))
	switch {
	case kind == "ed":
		f.key = ed25519.NewKeyFromSeed(seed[:])
	case rsaKeys[kind] != nil:
		f.key = rsaKeys[kind]()
	case curves[kind] != nil:
		raw := make([]byte, (curves[kind].Params().BitSize+7)/8)
		copy(raw[len(raw)-len(seed):], seed[:])
		f.key, err = ecdsa.ParseRawPrivateKey(curves[kind], raw)
	default:
		err = errors.New("unknown key " + kind)
	}
	return err
}

func describe(name string, descriptions map[string][]string) (*forgery, error) {
	f := &forgery{cn: name, keyName: name, issuer: name}
	f.tbs.Version = 2
	f.tbs.Serial = big.NewInt(1)
	f.tbs.Validity = validity{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	if err := f.setKey("p256"); err != nil {
		return nil, err
	}
	for _, word := range descriptions[name] {
		if err := f.apply(word); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *forgery) addExtensions() error {
	if f.usage != nil {
		bits := asn1.BitString{Bytes: []byte{0}, BitLength: 8}
		for _, bit := range f.usage {
			bits.Bytes[0] |= 0x80 >> bit
		}
		if err := f.add(asn1.ObjectIdentifier{2, 5, 29, 15}, true, bits); err != nil {
			return err
		}
	}
	if f.usages != nil {
		if err := f.add(asn1.ObjectIdentifier{2, 5, 29, 37}, false, f.usages); err != nil {
			return err
		}
	}
	if f.names != nil {
		if err := f.add(asn1.ObjectIdentifier{2, 5, 29, 17}, false, f.names); err != nil {
			return err
		}
	}
	if f.permitted == nil && f.excluded == nil {
		return nil
	}
	return f.add(asn1.ObjectIdentifier{2, 5, 29, 30}, true, struct {
		Permitted []generalSubtree `asn1:"optional,tag:0,omitempty"`
		Excluded  []generalSubtree `asn1:"optional,tag:1,omitempty"`
	}{f.permitted, f.excluded})
}

func rawName(cn string) (asn1.RawValue, error) {
	der, err := asn1.Marshal(pkix.Name{CommonName: cn}.ToRDNSequence())
	return asn1.RawValue{FullBytes: der}, err
}

func forge(name string, descriptions map[string][]string) ([]byte, error) {
	f, err := describe(name, descriptions)
	if err != nil {
		return nil, err
	}
	issuer := f
	if f.issuer != name {
		if issuer, err = describe(f.issuer, descriptions); err != nil {
			return nil, err
		}
	}
	public, err := x509.MarshalPKIXPublicKey(f.key.Public())
	if err != nil {
		return nil, err
	}
	f.tbs.PublicKey = asn1.RawValue{FullBytes: public}
	if f.tbs.Subject, err = rawName(f.cn); err != nil {
		return nil, err
	}
	if f.tbs.Issuer, err = rawName(issuer.cn); err != nil {
		return nil, err
	}
	if err := f.addExtensions(); err != nil {
		return nil, err
	}
	return f.sign(issuer.key)
}

func (f *forgery) sign(key crypto.Signer) ([]byte, error) {
	hash := crypto.SHA256
	switch key.(type) {
	case *rsa.PrivateKey:
		f.tbs.Algorithm = pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 11}, Parameters: asn1.NullRawValue}
	case *ecdsa.PrivateKey:
		f.tbs.Algorithm.Algorithm = asn1.ObjectIdentifier{1, 2, 840, 10045, 4, 3, 2}
	default:
		hash = 0
		f.tbs.Algorithm.Algorithm = asn1.ObjectIdentifier{1, 3, 101, 112}
	}
	tbs, err := asn1.Marshal(f.tbs)
	if err != nil {
		return nil, err
	}
	if f.change > 0 {
		tbs[f.change%len(tbs)] ^= byte(1 + f.change/len(tbs)%255)
	}
	digest := tbs
	if hash != 0 {
		sum := sha256.Sum256(tbs)
		digest = sum[:]
	}
	// Without a source of randomness, the signature depends on the input alone.
	signature, err := key.Sign(nil, digest, hash)
	if err != nil {
		return nil, err
	}
	if f.broken {
		signature[len(signature)-1] ^= 1
	}
	return asn1.Marshal(signedCertificate{asn1.RawValue{FullBytes: tbs}, f.tbs.Algorithm,
		asn1.BitString{Bytes: signature, BitLength: 8 * len(signature)}})
}
