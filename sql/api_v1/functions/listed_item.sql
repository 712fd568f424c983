-- An item as lists show it; row_to_json() of it is its document.
-- spec: Item object, the fields that are not "Detail only".
do $$
begin
  if pg_catalog.to_regtype('api_v1.listed_item') is null then
    create type api_v1.listed_item as (
      id uuid,
      name text,
      manufacturer text,
      model text,
      serial_number text,
      barcode text,
      category text,
      tags text[],
      purchase_price numeric,
      acquisition_date date,
      depreciation_method text,
      market_value_as_of text,
      reported_insured_value numeric,
      location_id uuid,
      created_at text,
      updated_at text
    );
  end if;
end
$$;

comment on type api_v1.listed_item is 'An item as lists show it, moments as text.';
