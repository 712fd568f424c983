-- A maintenance record as lists show it; row_to_json() of it is its document.
-- spec: Maintenance record object.
do $$
begin
  if pg_catalog.to_regtype('api_v1.listed_maintenance') is null then
    create type api_v1.listed_maintenance as (
      id uuid,
      item_id uuid,
      item_name text,
      title text,
      maintenance_type text,
      status text,
      scheduled_date date,
      completed_date date,
      cost numeric,
      vendor text,
      description text,
      created_at text,
      updated_at text
    );
  end if;
end
$$;

comment on type api_v1.listed_maintenance is 'A maintenance record as lists show it, moments as text.';
