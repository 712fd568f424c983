"""Loads a studio's inventory into DuckDB with dlt: everything at first, then what has changed.

pip install "dlt[duckdb]", then put the address and the token into .dlt/secrets.toml:

    [sources.studio_inventory]
    api_url = "https://api.example.com"
    token = "svc_studio_..."
"""

import dlt
from dlt.sources.rest_api import rest_api_source


def changing(name, **more):
    """A list that is read from the newest updated_at of the run before. What is at that moment is read again, and merged."""
    return {
        "name": name,
        **more,
        "endpoint": {
            "path": name,
            "incremental": {
                "cursor_path": "updated_at",
                "start_param": "updated_since",
                "initial_value": "1970-01-01T00:00:00.000Z",
            },
        },
    }


def studio_inventory(api_url, token):
    return rest_api_source(
        {
            "client": {
                "base_url": f"{api_url}/v1/",
                "auth": {"type": "bearer", "token": token},
                "paginator": {"type": "header_link"},
            },
            "resource_defaults": {
                "primary_key": "id",
                "write_disposition": "merge",
                "endpoint": {"data_selector": "data", "params": {"per_page": 100}},
            },
            "resources": [
                changing("items"),
                # Depreciation moves the updated_at of values, and not of items.
                changing("valuations", primary_key="item_id"),
                changing("maintenance"),
                {"name": "locations", "write_disposition": "replace", "endpoint": {"path": "locations"}},
                {"name": "policies", "write_disposition": "replace", "endpoint": {"path": "policies"}},
                # Merged, because the API forgets removals after 90 days, and items stay in their table.
                {"name": "removals", "primary_key": ["resource", "id"], "endpoint": {"path": "removals"}},
            ],
        }
    )


if __name__ == "__main__":
    pipeline = dlt.pipeline("studio_inventory", destination="duckdb", dataset_name="inventory")
    secrets = dlt.secrets["sources.studio_inventory"]
    print(pipeline.run(studio_inventory(secrets["api_url"], secrets["token"])))
