#!/bin/sh
# The fonts that figures of other scripts are tested with: Debian's Noto and Symbola, installed if we may.
has() {
  dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q ' installed$'
}
if has fonts-noto-core && has fonts-noto-cjk && has fonts-symbola; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends fonts-noto-core fonts-noto-cjk fonts-symbola && exit 0
fi
echo "no fonts of other scripts, and they can't be installed here: the tests that need them will say that they are skipped" >&2
