#!/bin/sh
# Updates copy.json, a copy of a studio's data: TOKEN=svc_studio_… sh sync.sh
# Needs jq, and curl 7.84 or newer (it obeys Retry-After by itself).
set -eu
api=https://api.example.com/v1
new=$(mktemp -d) && : >"$new/read"
trap 'rm -r "$new"' EXIT

# Appends the records of a list to $new/read, one per line. Fails when removals since then are no longer known.
read_list() {
  url="$api/$1?per_page=100${since:+&updated_since=$since}"
  while [ "$url" ]; do
    curl --silent --show-error --retry 9 --header "Authorization: Bearer $TOKEN" --output "$new/page" \
      --write-out '%{http_code}\n%header{next-updated-since}\n%header{link}\n' "$url" >"$new/head" || exit 1
    { read -r code; read -r now; read -r link; } <"$new/head"
    case $code in
      200) jq --compact-output --arg list "$1" '.data[] | [$list, .]' "$new/page" >>"$new/read" || exit 1 ;;
      410) return 1 ;;
      *) cat "$new/page" >&2; exit 1 ;;
    esac
    moment=${moment-$now}
    url=$(echo "$link" | sed -n 's/.*<\(.*\)>; rel="next".*/\1/p')
  done
}

since=
[ ! -f copy.json ] || since=$(jq --raw-output '.since // empty' copy.json)
if [ "$since" ] && read_list removals; then
  cp copy.json "$new/copy"
else
  since=
  echo '{"items":{},"valuations":{},"locations":{},"maintenance":{},"policies":{}}' >"$new/copy"
fi
for list in items valuations locations maintenance policies; do read_list "$list"; done
jq --slurp --compact-output --arg since "$moment" '
  {item: ["items", "valuations"], location: ["locations"], maintenance: ["maintenance"], policy: ["policies"]} as $lists
  | reduce .[1:][] as [$list, $record] (.[0];
      if $list == "removals" then delpaths([($lists[$record.resource] // [])[] | [., $record.id]])
      else .[$list][$record.id // $record.item_id] = $record end)
  | .since = $since' "$new/copy" "$new/read" >copy.json.new
mv copy.json.new copy.json
