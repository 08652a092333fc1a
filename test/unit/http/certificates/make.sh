#!/bin/sh
# Makes every certificate of this folder anew. The authority's own key is thrown away.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
start=20000101000000Z
end=21251231235959Z

new_key() {
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"
}

# issue FILE KEY EXTENSIONS END SIGNER...
issue() {
  file=$1 key=$2 extensions=$3 until=$4
  shift 4
  openssl req -new -key "$key" -subj "/CN=vmform test $(basename "$file" .pem)" \
    -out "$work/request.pem"
  printf '%s\n' "$extensions" >"$work/extensions"
  openssl ca -batch -notext -config "$work/ca.conf" -extfile "$work/extensions" \
    -startdate "$start" -enddate "$until" -in "$work/request.pem" -out "$file" "$@"
}

cat >"$work/ca.conf" <<CONF
[ca]
default_ca = here
[here]
database = $work/index
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
CONF
: >"$work/index"

new_key key.pem
new_key "$work/key.pem"
issue authority.pem "$work/key.pem" "basicConstraints=critical,CA:TRUE" "$end" \
  -selfsign -keyfile "$work/key.pem"
set -- -cert authority.pem -keyfile "$work/key.pem"
issue server.pem key.pem "subjectAltName=DNS:vm-host.invalid,IP:127.0.0.1" "$end" "$@"
issue other-host.pem key.pem "subjectAltName=DNS:other.example.com" "$end" "$@"
issue expired.pem key.pem "subjectAltName=IP:127.0.0.1" 20010101000000Z "$@"
issue self.pem key.pem "subjectAltName=IP:127.0.0.1" "$end" -selfsign -keyfile key.pem
