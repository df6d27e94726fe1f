#!/bin/sh
# The same package at two places, in one process.   apart.sh APART PACKAGE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$2/." "$work"
"$1" "$2" "$work"
# SPDX-License-Identifier: Apache-2.0
