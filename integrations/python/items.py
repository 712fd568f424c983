"""How many items there are and what was paid for them, by the generated client: API_URL=… TOKEN=… python3 items.py"""

import json
import os
import re
from urllib.parse import parse_qs, urlsplit

from urllib3.util import Retry

from studio_inventory import ApiClient, ApiException, Configuration, ItemsApi

configuration = Configuration(host=os.environ["API_URL"] + "/v1")
configuration.access_token = os.environ["TOKEN"]
# urllib3 waits for Retry-After of a 429 or 503 by itself, but gives up after three attempts.
configuration.retries = Retry(total=20)


def next_cursor(headers):
    """The cursor of the next page, from the Link header; None on the last page."""
    link = re.search('<([^>]+)>; rel="next"', headers.get("Link", ""))
    return link and parse_qs(urlsplit(link[1]).query)["cursor"][0]


items = []
page = {}
with ApiClient(configuration) as client:
    api = ItemsApi(client)
    while True:
        try:
            body, status, headers = api.list_items_with_http_info(per_page=100, **page)
        except ApiException as error:
            raise SystemExit(error.body)
        items += body.data
        cursor = next_cursor(headers)
        if cursor is None:
            break
        page = {"cursor": cursor}

paid = sum(round(item.purchase_price * 100) for item in items) / 100
print(json.dumps({"items": len(items), "total": body.meta.total, "paid": paid}))
