"""What is insured, by coverage state: a table and a plot.

Over REST:  API_URL=http://localhost:3000 TOKEN=svc_studio_… python3 coverage.py
Over SQL:   DATABASE_URL=postgresql://analyst_… python3 coverage.py
"""

import json
import os
import re
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import matplotlib

matplotlib.use("Agg")
import pandas as pd


def over_rest(api, token):
    """One row for each coverage state, by its filter. The list itself has what was paid and what is insured."""
    states = ["fully_covered", "under_covered", "uninsured", "value_unknown"]
    frames = [read(f"{api}/v1/items?per_page=100&coverage_state={state}", token).assign(coverage_state=state) for state in states]
    return pd.concat(frames, ignore_index=True)


def read(url, token):
    """All pages of a list; waits as long as a 429 or 503 says."""
    records = []
    while url:
        try:
            with urlopen(Request(url, headers={"Authorization": f"Bearer {token}"})) as response:
                records += json.load(response)["data"]
                link = re.search('<(.*)>; rel="next"', response.headers["Link"] or "")
        except HTTPError as error:
            if error.code not in (429, 503):
                raise SystemExit(error.read().decode())
            time.sleep(int(error.headers["Retry-After"]))
            continue
        url = link and link[1]
    return pd.DataFrame(records)


def over_sql(database):
    from sqlalchemy import create_engine, text

    with create_engine(database).connect() as connection:
        query = "select coverage_state, purchase_price, reported_insured_value from items where coverage_state is not null"
        return pd.read_sql(text(query), connection)


if "DATABASE_URL" in os.environ:
    items = over_sql(os.environ["DATABASE_URL"])
else:
    items = over_rest(os.environ["API_URL"], os.environ["TOKEN"])

table = items.groupby("coverage_state").agg(
    items=("purchase_price", "size"), paid=("purchase_price", "sum"), insured=("reported_insured_value", "sum")
)
print(table.round(2).to_csv(float_format="%.2f"), end="")

axes = table[["paid", "insured"]].plot.barh(title="Paid and insured, by coverage state", ylabel="")
axes.xaxis.set_major_formatter("{x:,.0f}")
axes.figure.savefig("coverage.png", bbox_inches="tight")
