#!/bin/sh
# The browser that the token strip is tested in: Debian's chromium, installed if it is missing and we may.
if command -v chromium || command -v chromium-browser; then
  exit 0
fi >/dev/null
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core && exit 0
fi
echo "no chromium, and it can't be installed here: the tests that need a browser will say that they are skipped" >&2
