#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ca.sh NAME: makes the CA NAME.crt, and NAME-server.pem, a key and a certificate for 127.0.0.1 that it issued.
set -eu
new="openssl req -x509 -newkey rsa:2048 -nodes -days 30"
$new -subj "/CN=$1" -keyout "$1.key" -out "$1.crt" 2>/dev/null
$new -subj /CN=orders -addext subjectAltName=IP:127.0.0.1 -CA "$1.crt" -CAkey "$1.key" \
  -keyout "$1-server.pem" -out "$1-server.crt" 2>/dev/null
cat "$1-server.crt" >>"$1-server.pem"
