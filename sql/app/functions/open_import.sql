-- Opens an import into one table of the session's studio, until the end of the transaction. Returns
-- the studio's time zone and currency. Two temporary tables, because COPY cannot write into a table
-- with row-level security:
--   pg_temp.import_rows        the rows of a file. Before the table's own columns: references as
--                              written, the existing row with its key (existing_id), and
--                              change: new, changed or same (at first null for photos, else new)
--                              A row of several pieces is several rows: piece counts them from 1
--   pg_temp.import_row_errors  their errors, and what is doubtful in them by the name of the doubt
--                              (doubt)
-- The owner makes them and lends them to the writer, who must not have TEMP: PostgreSQL looks for
-- types in pg_temp first, in spite of search_path, so a login could make a type there that makes a
-- function of the owner run other code. The session gets the studio's time zone: a date is midnight
-- there. Ten minutes without a statement end it: somebody may have to confirm that records are
-- archived, and until then all studios' polls wait. A studio has one import at a time. Raises 22023
-- for a table without imports, 42501 without a studio, 55P03 while another import runs.
create or replace function app.open_import(target text, out timezone text, out currency text)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if target is null or target not in ('locations', 'items', 'item_photos', 'market_values', 'depreciation_changes', 'policies',
    'policy_assignments', 'maintenance_records') then
    raise exception 'nothing is imported into %', pg_catalog.quote_nullable(target) using errcode = '22023';
  end if;
  if access.current_studio_id() is null then
    raise exception 'an import needs the session of a studio' using errcode = '42501';
  end if;
  if not pg_catalog.pg_try_advisory_xact_lock(
    pg_catalog.hashtextextended('import ' || access.current_studio_id()::text, 0)) then
    raise exception 'another import into this studio is under way' using errcode = '55P03',
      hint = 'Try again when it has ended.';
  end if;

  select pg_catalog.set_config('TimeZone', s.timezone, true), s.currency into timezone, currency
  from app.studios s where s.id = access.current_studio_id();

  perform pg_catalog.set_config('idle_in_transaction_session_timeout', '10min', true);

  execute pg_catalog.format('create temporary table import_rows on commit drop as
    select null::bigint as line, null::integer as piece, null::text[] as invalid_columns, null::text as change, null::uuid as existing_id,
      null::text as location, null::text as parent, null::text as item, null::text as policy, null::boolean as archived,
      null::text as file, null::text as item_in_name, null::smallint as position_in_name,
      t.*
    from app.%I t with no data', target);
  if target <> 'item_photos' then
    execute 'alter table pg_temp.import_rows alter column change set default ''new''';
  end if;
  -- After an undone large import PostgreSQL may believe that the table is empty. Without these
  -- settings it would then join in quadratic time.
  execute 'create index on pg_temp.import_rows (existing_id) where change = ''changed''';
  execute 'alter table pg_temp.import_rows alter column piece set default 1';
  if target in ('items', 'policies') then
    execute 'create index on pg_temp.import_rows (external_key)';
  end if;
  execute 'create temporary table import_row_errors (
    line bigint, column_name text, value text, problem text not null, remedy text, doubt text
  ) on commit drop';
  execute 'grant select, insert, update on pg_temp.import_rows to studio_writer';
  execute 'grant select, insert, delete on pg_temp.import_row_errors to studio_writer';
end
$$;

comment on function app.open_import(text) is
  'Opens an import into one table: temporary tables for the rows of a file and for what is wrong with them.';
