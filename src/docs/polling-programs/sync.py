# Updates copy.json, a copy of a studio's data: TOKEN=svc_studio_… python3 sync.py
import json, os, re, time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

api = "https://api.example.com/v1"
headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
lists = {"item": ["items", "valuations"], "location": ["locations"], "maintenance": ["maintenance"], "policy": ["policies"]}
paths = sum(lists.values(), [])
moments = []


def read(path, since):
    """All records of a list; None when removals since that moment are no longer known."""
    records = []
    url = f"{api}/{path}?per_page=100" + (f"&updated_since={since}" if since else "")
    while url:
        try:
            with urlopen(Request(url, headers=headers)) as response:
                body, answered = json.load(response), response.headers
        except HTTPError as error:
            if error.code == 410:
                return None
            if error.code not in (429, 503):
                raise SystemExit(error.read().decode())
            time.sleep(int(error.headers["Retry-After"]))
            continue
        moments.append(answered["Next-Updated-Since"])
        records += body["data"]
        link = re.search('<(.*)>; rel="next"', answered["Link"] or "")
        url = link and link[1]
    return records


try:
    with open("copy.json") as file:
        copy = json.load(file)
except FileNotFoundError:
    copy = {}
removed = read("removals", copy["since"]) if copy.get("since") else None
if removed is None:
    copy = {path: {} for path in paths}
for gone in removed or []:
    for path in lists.get(gone["resource"], []):
        copy[path].pop(gone["id"], None)
for path in paths:
    for record in read(path, copy.get("since")):
        copy[path][record.get("id") or record["item_id"]] = record
copy["since"] = moments[0]
with open("copy.json.new", "w") as file:
    json.dump(copy, file)
os.replace("copy.json.new", "copy.json")
