# .ci/run and .ci/nightly source this file. It counts checks, and sums them up.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
passed=0 failed=0 red=() left_out=() running=()
# PostgreSQL decides much, so its tests also run on the oldest version that we support.
oldest=/usr/lib/postgresql/15/bin

# step NAME COMMAND…: one check that passes or fails as a whole
step() {
  local name=$1 began=$SECONDS
  shift
  printf '\n=== %s\n' "$name"
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && red+=("$name"); fi
  printf '=== %s: %s s\n' "$name" $((SECONDS - began))
}

# suite NAME COMMAND…: a run of vitest, whose tests are counted one by one
suite() {
  local name=$1 began=$SECONDS
  shift
  printf '\n=== %s\n' "$name"
  vitest "$name" "$@"
  count "$name" $? $((SECONDS - began))
}

# beside step|suite NAME COMMAND…: what runs while the checks after it run, until `join`
beside() {
  local kind=$1 name=$2
  shift 2
  printf '\n=== %s: begun, to run beside what follows\n' "$name"
  (began=$SECONDS; "$([ "$kind" = suite ] && echo vitest || echo plainly)" "$name" "$@"; status=$?
    echo $((SECONDS - began)) >"$results/$name.seconds"; exit $status) >"$results/$name.log" 2>&1 &
  running+=("$!:$kind:$name")
}

# join [NAME]: waits for what runs beside, all of it or only NAME, prints what it printed, and counts it
join() {
  local only=${1-} entry pid kind name status left=()
  for entry in "${running[@]}"; do
    IFS=: read -r pid kind name <<<"$entry"
    if [ -n "$only" ] && [ "$name" != "$only" ]; then left+=("$entry") && continue; fi
    wait "$pid"
    status=$?
    printf '\n=== %s\n' "$name"
    cat "$results/$name.log"
    if [ "$kind" = suite ]; then
      count "$name" $status "$(cat "$results/$name.seconds")"
    else
      if [ $status -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && red+=("$name"); fi
      printf '=== %s: %s s\n' "$name" "$(cat "$results/$name.seconds")"
    fi
  done
  running=("${left[@]}")
}

vitest() { "${@:2}" --reporter=default --reporter=json --outputFile.json="$results/$1.json"; }
plainly() { "${@:2}"; }

# count NAME STATUS SECONDS: the tests of a suite that has ended
count() {
  local name=$1 status=$2 file="$results/$1.json" counts ok bad
  counts=$(node -e 'const r = JSON.parse(require("fs").readFileSync(process.argv[1])); console.log(r.numPassedTests, r.numFailedTests + r.numPendingTests)' "$file" 2>/dev/null) || counts='0 1'
  read -r ok bad <<<"$counts"
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$ok" -eq 0 ]; then bad=$((bad + 1)); fi
  passed=$((passed + ok)) failed=$((failed + bad))
  if [ "$bad" -gt 0 ]; then red+=("$name" "$(node .ci/failures.mjs "$file")"); fi
  printf '=== %s: %s passed, %s failed or skipped, %s s\n' "$name" "$ok" "$bad" "$3"
}

install_packages() {
  # This user tries the fresh clone and the package.
  id inventory-ci >/dev/null 2>&1 || useradd -m inventory-ci
  local missing=()
  [ -x /usr/lib/postgresql/15/bin/postgres ] || missing+=(postgresql-15)
  command -v redis-server >/dev/null || missing+=(redis-server)
  [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
  command -v promtool >/dev/null || missing+=(prometheus)
  [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
  [ -x /usr/sbin/haproxy ] || missing+=(haproxy)
  command -v openssl >/dev/null || missing+=(openssl)
  command -v curl >/dev/null || missing+=(curl)
  command -v jq >/dev/null || missing+=(jq)
  command -v python3 >/dev/null || missing+=(python3)
  command -v dockerd >/dev/null || missing+=(docker.io iptables)
  docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || missing+=(docker-compose)
  command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
  [ -x /usr/bin/chromium-headless-shell ] || missing+=(chromium-headless-shell)
  apt_install "${missing[@]}"
}

# Only the recipes of integrations/ need these, at night.
install_tool_packages() {
  local missing=()
  /usr/bin/python3 -c 'import pandas, matplotlib, sqlalchemy, psycopg2' 2>/dev/null ||
    missing+=(python3-pandas python3-matplotlib python3-sqlalchemy python3-psycopg2)
  Rscript -e 'for (name in c("httr2", "jsonlite", "DBI", "RPostgreSQL", "ggplot2")) loadNamespace(name)' >/dev/null 2>&1 ||
    missing+=(r-base-core r-cran-httr2 r-cran-jsonlite r-cran-dbi r-cran-rpostgresql r-cran-ggplot2)
  command -v java >/dev/null || missing+=(default-jre-headless)
  /usr/bin/python3 -c 'import urllib3, dateutil, six, certifi' 2>/dev/null ||
    missing+=(python3-urllib3 python3-dateutil python3-six python3-certifi)
  apt_install "${missing[@]}"
}

# Only the cluster of the nightly run needs these.
install_cluster_packages() {
  local missing=() package
  for package in patroni etcd-server etcd-client haproxy pgbouncer postgresql-15 redis-server iproute2; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  apt_install "${missing[@]}"
}

# apt_install PACKAGE…: installs packages without their services. Debian would start these on ports
# that tests and people use, and the tests start their own. Services that ran before stay as they
# are.
apt_install() {
  [ $# -eq 0 ] && return
  # Debian's own cluster would be in the way.
  mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
  local policy=/usr/sbin/policy-rc.d made='' status service
  [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy && made=$policy; }
  apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
  status=$?
  [ -z "$made" ] || rm "$made"
  # They do not start with the machine either.
  for service in nginx haproxy redis-server pgbouncer prometheus patroni etcd; do
    case " $* " in *" $service"*) [ ! -d /run/systemd/system ] || systemctl --quiet disable "$service" ;; esac
  done
  return $status
}

# summary: prints once more what failed, because people look for it at the end. Succeeds when
# nothing failed.
summary() {
  for entry in "${red[@]}"; do printf '*** FAILED: %s\n' "$entry"; done
  for entry in "${left_out[@]}"; do printf '*** LEFT OUT: %s\n' "$entry"; done
  printf '\n%s passed, %s failed' "$passed" "$failed"
  [ ${#left_out[@]} -eq 0 ] || printf ', %s skipped' ${#left_out[@]}
  printf '\n'
  [ "$failed" -eq 0 ]
}
