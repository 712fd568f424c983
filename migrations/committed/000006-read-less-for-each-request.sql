--! Previous: sha1:5db3908c8bdcc1ad181d37983c831ea8d0f3c513
--! Hash: sha1:ae76f58e18d61260d99f8d8d88ec26de052fdaaf
--! Message: read less for each request

-- What a request reads costs less: lists are made of documents that are stored with their rows, an item is read without the version
-- of its studio's data, tokens are authenticated by one query, and a transaction moves the version once.
set local role studio_owner;

-- Null until the row is written next, so that no table is rewritten.
alter table app.items add column document text;
alter table app.items alter column document set statistics 0;
alter table app.maintenance_records add column document text;
alter table app.maintenance_records alter column document set statistics 0;

drop function api_v1.get_item(bytea, uuid);

--! Included access/views/recognised_tokens.sql
-- The tokens that are recognised at this moment: not revoked, and their effective user is a current member. status 403: the plan
-- includes no API access, and plan_tier is null; else 200. For access.authenticate_token() and its like alone.
-- spec: "a token acts as the member it is scoped to; an unscoped token … acts as its issuer"; "the effective plan is
-- read from the studio's subscription at each authentication".
create or replace view access.recognised_tokens with (security_invoker = true) as
select t.digest, t.id as token_id, t.studio_id, plan.tier as plan_tier,
  (case when plan.tier is null then 403 else 200 end)::smallint as status
from access.tokens t
join access.members m on m.studio_id = t.studio_id and m.user_id = coalesce(t.scope_user_id, t.issued_by)
left join access.subscriptions s on s.studio_id = t.studio_id
cross join lateral (select access.api_plan(s) as tier) as plan
where t.revoked_at is null;

comment on view access.recognised_tokens is 'The tokens that are recognised at this moment, with the plan of their studio.';
--! EndIncluded access/views/recognised_tokens.sql
--! Included access/functions/authenticate_token.sql
-- Authenticates a token: one look-up by the digest of the whole token, the membership of its effective user and the plan,
-- all at this moment. status 401: access.recognised_tokens does not have it. 403: the plan includes no API access. 304: all is
-- well, and the validator is the version of this moment. 200: all is well.
--   validator  the version of the answer that the caller has cached, as an ETag in If-None-Match; null for none
create or replace function access.authenticate_token(token_digest bytea, validator text) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.status, t.token_id, t.studio_id, t.plan_tier, access.data_version(studio), access.watermark()
  into answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark
  from access.recognised_tokens t
  join app.studios studio on studio.id = t.studio_id
  where t.digest = token_digest;

  if not found then
    answer.status := 401;
  elsif answer.status = 200 and answer.version = validator then
    answer.status := 304;
  end if;
  return answer;
end
$$;

comment on function access.authenticate_token(bytea, text) is
  'Authenticates a token by the sha256 digest of its text: status 200, 304, 401 or 403.';
--! EndIncluded access/functions/authenticate_token.sql
--! Included access/functions/authenticate_tokens.sql
-- Authenticates many tokens in one statement, each with the validator that is known of its studio (null for none): in
-- their order, what access.authenticate_token() says of each. Nothing is read and no session is opened. Both are looked up
-- for each token by their keys (offset 0): the planner does not know how many there are.
create or replace function access.authenticate_tokens(token_digests bytea[], validators text[]) returns setof access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  watermark timestamptz := access.watermark();
  answer access.answer;
begin
  for answer.status, answer.token_id, answer.studio_id, answer.plan_tier, answer.version, answer.watermark in
    select
      case when t.token_id is null then 401 when t.status = 200 and v.version = asked.validator then 304 else t.status end,
      t.token_id, t.studio_id, t.plan_tier, v.version, case when t.token_id is not null then watermark end
    from unnest(token_digests, validators) with ordinality as asked (digest, validator, place)
    left join lateral (select r.* from access.recognised_tokens r where r.digest = asked.digest offset 0) as t on true
    left join lateral (
      select access.data_version(studio) as version from app.studios studio where studio.id = t.studio_id offset 0) as v on true
    order by asked.place
  loop
    return next answer;
  end loop;
end
$$;

comment on function access.authenticate_tokens(bytea[], text[]) is 'Authenticates many tokens in one statement, in their order.';
--! EndIncluded access/functions/authenticate_tokens.sql
--! Included access/functions/open_unversioned_session.sql
-- As access.open_session(), without a version and a watermark, for an answer that needs neither: status 200, 401 or 403.
create or replace function access.open_unversioned_session(token_digest bytea) returns access.answer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer access.answer;
begin
  select t.status, t.token_id, t.studio_id, t.plan_tier
  into answer.status, answer.token_id, answer.studio_id, answer.plan_tier
  from access.recognised_tokens t
  where t.digest = token_digest;

  if not found then
    answer.status := 401;
  elsif answer.status = 200 then
    perform pg_catalog.set_config('studio.id', answer.studio_id::text, true);
  end if;
  return answer;
end
$$;

comment on function access.open_unversioned_session(bytea) is
  'Authenticates a token and opens its studio''s session, without saying the version of its data: status 200, 401 or 403.';
--! EndIncluded access/functions/open_unversioned_session.sql
--! Included app/functions/add_data_version.sql
-- Moves the data version of some studios, each in a slot that no other open transaction uses. The step is random: a database
-- that was restored, or that took over from another, does not come to the same number with other data.
-- Once a transaction is enough, since the version is seen from its commit on. A slot that this transaction wrote has its id as
-- xmin; writing it again would leave one more row behind that the next statement has to read. (After a savepoint it is the
-- savepoint's own id, and the version moves once more.)
create or replace function app.add_data_version(studios uuid[]) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  studio uuid;
  step bigint := 1 + pg_catalog.floor(pg_catalog.random() * 1e9)::bigint;
begin
  foreach studio in array studios loop
    continue when exists (
      select from app.data_versions d
      where d.studio_id = studio and d.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid);
    update app.data_versions d set version = d.version + step
    where d.studio_id = studio and d.slot = (
      select f.slot from app.data_versions f where f.studio_id = studio order by f.slot limit 1 for update skip locked);
    if not found then
      insert into app.data_versions as held (studio_id, slot, version)
      values (studio, pg_catalog.pg_backend_pid() % 32767, step)
      on conflict (studio_id, slot) do update set version = held.version + step;
    end if;
  end loop;
end
$$;

comment on function app.add_data_version(uuid[]) is 'Moves the data version of some studios.';
--! EndIncluded app/functions/add_data_version.sql
--! Included app/functions/store_document.sql
-- Trigger of app.items and app.maintenance_records: keeps the row's document, which lists are made of, beside it. Comes after every
-- trigger that changes the row. A row from before the column has none until it is written next; it is computed when it is read.
create or replace function app.store_document() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if tg_relid = 'app.items'::regclass then
    new.document := api_v1.item_document(
      new.id, new.name, new.manufacturer, new.model, new.serial_number, new.barcode, new.category, new.tags,
      new.purchase_price, new.acquisition_date, new.depreciation_method, new.market_value_as_of,
      new.reported_insured_value, new.location_id, new.created_at, new.updated_at);
  else
    new.document := api_v1.maintenance_document(
      new.id, new.item_id, new.item_name, new.title, new.maintenance_type, new.status, new.scheduled_date,
      new.completed_date, new.cost, new.vendor, new.description, new.created_at, new.updated_at);
  end if;
  return new;
end
$$;

comment on function app.store_document() is 'Trigger: keeps the JSON text of a row beside it.';
--! EndIncluded app/functions/store_document.sql
--! Included app/triggers/items.sql
-- The triggers of app.items. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.items
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.items
  for each row execute function app.prepare_item();
create or replace trigger c_touch before update on app.items
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.items
  for each row execute function app.store_document();
-- Always: who writes past the triggers, as replication does, would leave documents of other rows behind.
alter table app.items enable always trigger d_store_document;

create or replace trigger project_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.project_items();
create or replace trigger project_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.project_items();

create or replace trigger count_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.count_items();
create or replace trigger count_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.count_items();
create or replace trigger count_deleted after delete on app.items
  referencing old table as before for each statement execute function app.count_items();

create or replace trigger copy_to_maintenance after update on app.items
  referencing old table as before new table as changed for each statement
  execute function app.copy_item_to_maintenance();

create or replace trigger bump_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.items
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.items
  referencing new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_updated after update on app.items
  referencing old table as before new table as changed for each statement execute function app.remove_items();
create or replace trigger remove_deleted after delete on app.items
  referencing old table as before for each statement execute function app.remove_items();
--! EndIncluded app/triggers/items.sql
--! Included app/triggers/maintenance_records.sql
-- The triggers of app.maintenance_records. Triggers of one event run in the order of their names.
create or replace trigger a_require_session before insert or update or delete on app.maintenance_records
  for each row execute function app.require_session();
create or replace trigger b_prepare before insert or update on app.maintenance_records
  for each row execute function app.prepare_maintenance_record();
create or replace trigger c_touch before update on app.maintenance_records
  for each row execute function app.touch();
create or replace trigger d_store_document before insert or update on app.maintenance_records
  for each row execute function app.store_document();
-- Always: who writes past the triggers, as replication does, would leave documents of other rows behind.
alter table app.maintenance_records enable always trigger d_store_document;

create or replace trigger count_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.count_maintenance();
create or replace trigger count_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.count_maintenance();

create or replace trigger bump_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.bump_data_version();
create or replace trigger bump_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.bump_data_version();

create or replace trigger remove_inserted after insert on app.maintenance_records
  referencing new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_updated after update on app.maintenance_records
  referencing old table as before new table as changed for each statement execute function app.remove_maintenance();
create or replace trigger remove_deleted after delete on app.maintenance_records
  referencing old table as before for each statement execute function app.remove_maintenance();
--! EndIncluded app/triggers/maintenance_records.sql
--! Included api_v1/functions/listed_item.sql
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
      purchase_price numeric(14,2),
      acquisition_date date,
      depreciation_method text,
      market_value_as_of text,
      reported_insured_value numeric(14,2),
      location_id uuid,
      created_at text,
      updated_at text
    );
  end if;
end
$$;

comment on type api_v1.listed_item is 'An item as lists show it, moments as text.';
--! EndIncluded api_v1/functions/listed_item.sql
--! Included api_v1/functions/listed_maintenance.sql
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
      cost numeric(14,2),
      vendor text,
      description text,
      created_at text,
      updated_at text
    );
  end if;
end
$$;

comment on type api_v1.listed_maintenance is 'A maintenance record as lists show it, moments as text.';
--! EndIncluded api_v1/functions/listed_maintenance.sql
--! Included api_v1/functions/item_document.sql
-- An item as the JSON text of a list, from the columns of app.items. The trigger app.store_document() keeps it beside the item.
-- An expression that is inlined: a sub-select, or another function, would take twice to four times as long, for each row that is
-- written. Null is null in JSON; amounts have two decimals; moments are as api_v1.rfc3339() writes them.
-- spec: Item object, the fields that are not "Detail only".
create or replace function api_v1.item_document(
  id uuid, name text, manufacturer text, model text, serial_number text, barcode text, category text, tags text[],
  purchase_price numeric, acquisition_date date, depreciation_method text, market_value_as_of timestamptz,
  reported_insured_value numeric, location_id uuid, created_at timestamptz, updated_at timestamptz
) returns text
language sql stable security invoker
return row_to_json(row(
  id, name, manufacturer, model, serial_number, barcode, category, tags, purchase_price, acquisition_date,
  depreciation_method, api_v1.rfc3339(market_value_as_of), reported_insured_value, location_id,
  api_v1.rfc3339(created_at), api_v1.rfc3339(updated_at)
)::api_v1.listed_item)::text;

comment on function api_v1.item_document(
  uuid, text, text, text, text, text, text, text[], numeric, date, text, timestamptz, numeric, uuid, timestamptz, timestamptz) is
  'An item as the JSON text of a list.';
--! EndIncluded api_v1/functions/item_document.sql
--! Included api_v1/functions/maintenance_document.sql
-- A maintenance record as JSON text, from the columns of app.maintenance_records. The trigger app.store_document() keeps it beside
-- the record. Null is null in JSON; amounts have two decimals; moments are as api_v1.rfc3339() writes them.
-- spec: Maintenance record object.
create or replace function api_v1.maintenance_document(
  id uuid, item_id uuid, item_name text, title text, maintenance_type text, status text, scheduled_date date,
  completed_date date, cost numeric, vendor text, description text, created_at timestamptz, updated_at timestamptz
) returns text
language sql stable security invoker
return row_to_json(row(
  id, item_id, item_name, title, maintenance_type, status, scheduled_date, completed_date, cost, vendor, description,
  api_v1.rfc3339(created_at), api_v1.rfc3339(updated_at)
)::api_v1.listed_maintenance)::text;

comment on function api_v1.maintenance_document(
  uuid, uuid, text, text, text, text, date, date, numeric, text, text, timestamptz, timestamptz) is
  'A maintenance record as JSON text.';
--! EndIncluded api_v1/functions/maintenance_document.sql
--! Included api_v1/views/item_documents.sql
-- The items of the list, each as its JSON text, beside the columns that filter and order it. For the REST service.
-- The text is stored with the item, but with those that were not written since the column was added.
-- spec: Item object, the fields that are not "Detail only".
create or replace view api_v1.item_documents with (security_invoker = true) as
select
  i.id, i.updated_at, i.category, i.coverage_state,
  coalesce(i.document, api_v1.item_document(
    i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
    i.acquisition_date, i.depreciation_method, i.market_value_as_of, i.reported_insured_value, i.location_id,
    i.created_at, i.updated_at)) as document
from app.items i
where i.archived_at is null;

comment on view api_v1.item_documents is 'The items of the list as JSON text, for the REST service.';
--! EndIncluded api_v1/views/item_documents.sql
--! Included api_v1/views/maintenance_documents.sql
-- The maintenance records as JSON text, beside the columns that filter and order them. For the REST service.
-- The text is stored with the record, but with those that were not written since the column was added.
create or replace view api_v1.maintenance_documents with (security_invoker = true) as
select
  m.id, m.updated_at, m.item_id, m.status,
  coalesce(m.document, api_v1.maintenance_document(
    m.id, m.item_id, m.item_name, m.title, m.maintenance_type, m.status, m.scheduled_date, m.completed_date, m.cost,
    m.vendor, m.description, m.created_at, m.updated_at)) as document
from app.maintenance_records m
where not m.item_archived;

comment on view api_v1.maintenance_documents is 'Maintenance records as JSON text, for the REST service.';
--! EndIncluded api_v1/views/maintenance_documents.sql
--! Included api_v1/functions/list_items.sql
-- GET /items: one page of live items, newest updated first, and the number of all that match. One query text per
-- filter, so that each uses the index made for it. A page may begin after a row whose key the caller knows (cursor_*);
-- otherwise that key is found in the index alone before rows are read.
--   page, per_page  from 1; 1 to 100. Null filters do not filter.
--   updated_since   also leaves out what is not before the watermark, so that whoever asks next with the newest updated_at, or
--                   with the watermark, misses nothing: what is left out, and what is not committed yet, is newer
--   validator       see access.authenticate_token()
--   cursor_at, cursor_id           the key that a client's cursor names; the page begins after it
--   cursor_version, cursor_total   version and total of an answer whose last key that is, the page before this one to the same
--                   question: the cache's cursor, not used when that version is not the version of this moment
-- spec: GET /items, rules 1 to 3.
create or replace function api_v1.list_items(
  token_digest bytea, page bigint, per_page integer, category text, coverage_state text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_items(category, coverage_state, updated_since, before)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from api_v1.item_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if category is null and coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif coverage_state is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif category is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.item_documents d
      where d.category = category and d.coverage_state = coverage_state and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_items(
  bytea, bigint, integer, text, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /items: a page of live items, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_items.sql
--! Included api_v1/functions/list_maintenance.sql
-- GET /maintenance: one page of the maintenance records of live items, newest updated first, and the number of all that
-- match. One query text per filter; deep pages and cursors as in api_v1.list_items().
create or replace function api_v1.list_maintenance(
  token_digest bytea, page bigint, per_page integer, item_id uuid, status text, updated_since timestamptz,
  validator text default null,
  cursor_version text default null, cursor_total bigint default null, cursor_at timestamptz default null,
  cursor_id uuid default null
) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := access.open_session(token_digest, validator);
  since timestamptz := coalesce(updated_since, '-infinity');
  -- A poll leaves out what is not before the watermark: something older may still become visible.
  before timestamptz := case when updated_since is not null then answer.watermark end;
  skipped bigint := 0;
  after_at timestamptz := coalesce(before, 'infinity');
  after_id uuid := case
    when before is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else '00000000-0000-0000-0000-000000000000' end;
  documents text[];
  moments timestamptz[];
  ids uuid[];
begin
  if answer.status <> 200 then
    return answer;
  end if;
  answer.data := '';
  answer.total := case
    when cursor_version = answer.version then cursor_total
    else api_v1.count_maintenance(item_id, status, updated_since, before)
  end;
  if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then
    after_at := cursor_at;
    after_id := cursor_id;
  else
    skipped := least(page - 1, answer.total) * per_page; -- of a number that is no page, no more than that
  end if;
  if before is not null and exists (select from api_v1.maintenance_documents d where d.updated_at >= before) then
    answer.version := null; -- what is left out now will be in the next answer
  end if;
  if skipped >= answer.total then
    answer.has_more := false;
    return answer;
  end if;

  if item_id is not null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.item_id = item_id and d.status = coalesce(status, d.status) and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  elsif status is null then
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  else
    if skipped > 0 then
      select d.updated_at, d.id into after_at, after_id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since
        and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc offset skipped - 1 limit 1;
    end if;
    select pg_catalog.array_agg(p.document), pg_catalog.array_agg(p.updated_at), pg_catalog.array_agg(p.id)
    into documents, moments, ids
    from (
      select d.document, d.updated_at, d.id from api_v1.maintenance_documents d
      where d.status = status and d.updated_at >= since and (d.updated_at, d.id) < (after_at, after_id)
      order by d.updated_at desc, d.id desc limit per_page + 1) as p;
  end if;

  return api_v1.with_page(answer, per_page, documents, moments, ids);
end
$$;

comment on function api_v1.list_maintenance(
  bytea, bigint, integer, uuid, text, timestamptz, text, text, bigint, timestamptz, uuid) is
  'GET /maintenance: a page of maintenance records, newest updated first, and their total.';
--! EndIncluded api_v1/functions/list_maintenance.sql
--! Included api_v1/functions/get_item_in_parts.sql
-- What get_item() reads, each part by itself, for when they cannot be read together: what cannot be read is null (the
-- valuation) or empty (the photos), and leaves the rest whole.
-- spec: "When the valuation projection is unavailable, only … the valuation fields are null"; "If signing photos fails,
-- photo_urls is an empty array".
create or replace function api_v1.get_item_in_parts(answer access.answer, id uuid) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  valuation record;
begin
  begin
    select v.current_estimated_value, v.value_source, v.coverage_state, v.gap_amount into valuation
    from api_v1.item_valuations v where v.item_id = id;
  exception when others then
    raise warning 'an item is shown without its valuation: SQLSTATE %', sqlstate;
    select null::numeric as current_estimated_value, null::text as value_source, null::text as coverage_state,
      null::numeric as gap_amount into valuation;
  end;

  select api_v1.valued_item(d.document, valuation.current_estimated_value, valuation.value_source,
    valuation.coverage_state, valuation.gap_amount)
  into answer.data
  from api_v1.item_documents d where d.id = id;

  begin
    answer.photo_keys := array(
      select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id);
  exception when others then
    raise warning 'an item is shown without its photos: SQLSTATE %', sqlstate;
    answer.photo_keys := '{}';
  end;
  return answer;
end
$$;

comment on function api_v1.get_item_in_parts(access.answer, uuid) is
  'What get_item() reads, each part by itself, without those that cannot be read.';
--! EndIncluded api_v1/functions/get_item_in_parts.sql
--! Included api_v1/functions/get_item.sql
-- GET /items/{id}: one live item, as in the list, with its valuation, and the storage keys of its photos. A projection or
-- photos that cannot be read leave the rest whole, with a warning in the log. 404 for null (a malformed id), unknown, archived
-- and another studio's alike.
--   versioned  whether the answer has a version, for who compares it: no ETag, photo URLs are signed for each answer
-- spec: GET /items/{id}, rules 1 to 3; Item object, "Detail only".
create or replace function api_v1.get_item(token_digest bytea, id uuid, versioned boolean default true) returns access.answer
language plpgsql stable security invoker
set search_path = ''
as $$
#variable_conflict use_variable
declare
  answer access.answer := case
    when versioned then access.open_session(token_digest) else access.open_unversioned_session(token_digest) end;
begin
  if answer.status <> 200 then
    return answer;
  end if;
  begin
    select
      row_to_json((select item from (select
        i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags, i.purchase_price,
        i.acquisition_date, i.depreciation_method, api_v1.rfc3339(i.market_value_as_of) as market_value_as_of,
        i.reported_insured_value, i.location_id, api_v1.rfc3339(i.created_at) as created_at,
        api_v1.rfc3339(i.updated_at) as updated_at, v.current_estimated_value, v.value_source,
        i.agreed_value_from_policy, v.coverage_state, v.gap_amount
      ) as item))::text,
      array(select p.storage_key from api_v1.item_photos p where p.item_id = id order by p.position, p.id)
    into answer.data, answer.photo_keys
    from api_v1.items i -- whose own join is not made, since nothing of it is asked for
    left join api_v1.item_valuations v on v.item_id = i.id
    where i.id = id;
  exception when others then
    answer := api_v1.get_item_in_parts(answer, id);
  end;
  if answer.data is null then
    answer.status := 404;
  end if;
  return answer;
end
$$;

comment on function api_v1.get_item(bytea, uuid, boolean) is
  'GET /items/{id}: one live item with its valuation and photo keys.';
--! EndIncluded api_v1/functions/get_item.sql
--! Included audit/views/allowed_privileges.sql
-- Who may read and write what, at most: role × privilege × relation × column; '*' is the whole relation, columns yet to
-- come included. The grants are made in grants/; this list is their check, so a new grant is written twice on purpose.
create or replace view audit.allowed_privileges with (security_invoker = true) as
select role, privilege, listed.relation, column_name
from (values
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.items', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.locations', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.maintenance', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.policies', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.assignments', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.account', '*'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'api_v1.removals', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.workings', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_schedule', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.depreciation_years', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.closed_values', '*'),
  ('studio_graphql studio_analyst', 'SELECT', 'api_v1.corrections', '*'),
  ('studio_analyst', 'SELECT', 'api_v1.relationships', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_valuations', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_photos', '*'),
  ('studio_api', 'SELECT', 'api_v1.item_counts', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_documents', '*'),
  ('studio_api', 'SELECT', 'api_v1.maintenance_counts', '*'),

  -- under the views, column by column
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.items',
    'studio_id id name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method reported_insured_value archived_at market_value_as_of created_at updated_at'),
  ('studio_api', 'SELECT', 'app.items', 'coverage_state document'),
  ('studio_api', 'SELECT', 'app.maintenance_records', 'document'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.item_valuations',
    'studio_id item_id current_estimated_value value_source coverage_state gap_amount'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.locations',
    'studio_id id name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.maintenance_records',
    'studio_id id item_id item_name item_archived title maintenance_type status scheduled_date completed_date cost
     vendor description created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policies',
    'studio_id id name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at created_at updated_at'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.policy_assignments',
    'studio_id item_id policy_id declared_value is_primary effective_start effective_end'),
  ('studio_api studio_graphql studio_analyst', 'SELECT', 'app.removals',
    'studio_id resource id reason removed_at leaves_at returns_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closings', 'studio_id month_end closed_at'),
  ('studio_graphql studio_analyst', 'SELECT', 'app.closed_values',
    'studio_id month_end item_id name category currency current_estimated_value value_source coverage_state
     reported_insured_value gap_amount purchase_price acquisition_date depreciation_method useful_life_months
     residual_value financial_year_start_month market_value market_value_as_of manual_value replacement_cost'),
  ('studio_api', 'SELECT', 'app.item_photos', 'studio_id id item_id storage_key position'),
  ('studio_api', 'SELECT', 'app.item_counts', 'studio_id category coverage_state items'),
  ('studio_api', 'SELECT', 'app.maintenance_counts', 'studio_id status records'),

  -- the writer
  ('studio_writer', 'SELECT', 'app.locations', '*'),
  ('studio_writer', 'SELECT', 'app.items', '*'),
  ('studio_writer', 'SELECT', 'app.item_photos', '*'),
  ('studio_writer', 'SELECT', 'app.market_values', '*'),
  ('studio_writer', 'SELECT', 'app.item_valuations', '*'),
  ('studio_writer', 'SELECT', 'app.maintenance_records', '*'),
  ('studio_writer', 'SELECT', 'app.policies', '*'),
  ('studio_writer', 'SELECT', 'app.policy_assignments', '*'),
  ('studio_writer', 'DELETE', 'app.locations', '*'),
  ('studio_writer', 'DELETE', 'app.item_photos', '*'),
  ('studio_writer', 'DELETE', 'app.market_values', '*'),
  ('studio_writer', 'DELETE', 'app.maintenance_records', '*'),
  ('studio_writer', 'DELETE', 'app.policy_assignments', '*'),
  ('studio_writer', 'INSERT', 'app.locations', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.locations',
    'external_key name description type parent_id address_line1 address_line2 city region postal_code country_code
     is_default'),
  ('studio_writer', 'INSERT', 'app.items', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.items',
    'external_key name manufacturer model serial_number barcode category tags location_id purchase_price
     acquisition_date depreciation_method useful_life_months residual_value manual_value replacement_cost
     reported_insured_value archived_at'),
  ('studio_writer', 'INSERT', 'app.item_photos', 'studio_id id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.item_photos', 'storage_key position'),
  ('studio_writer', 'INSERT', 'app.market_values', 'studio_id item_id'),
  ('studio_writer', 'INSERT UPDATE', 'app.market_values', 'value as_of source'),
  ('studio_writer', 'INSERT', 'app.maintenance_records', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.maintenance_records',
    'external_key item_id title maintenance_type status scheduled_date completed_date cost vendor description'),
  ('studio_writer', 'INSERT', 'app.policies', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policies',
    'external_key name carrier policy_number policy_type overall_limit deductible covered_perils location_constraints
     effective_start effective_end archived_at owner_user_id source_document_id notes'),
  ('studio_writer', 'INSERT', 'app.policy_assignments', 'studio_id id'),
  ('studio_writer', 'INSERT UPDATE', 'app.policy_assignments',
    'external_key item_id policy_id declared_value is_primary effective_start effective_end notes')
) as listed (roles, privileges, relation, columns)
cross join lateral pg_catalog.regexp_split_to_table(listed.roles, '\s+') as role
cross join lateral pg_catalog.regexp_split_to_table(listed.privileges, '\s+') as privilege
cross join lateral pg_catalog.regexp_split_to_table(listed.columns, '\s+') as column_name
union all
select 'studio_auditor', 'SELECT', pg_catalog.format('audit.%I', c.relname), '*'
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'audit' and c.relkind = 'v';

comment on view audit.allowed_privileges is
  'Who may read and write which column, at most; ''*'' is the whole relation.';
--! EndIncluded audit/views/allowed_privileges.sql
--! Included grants/studio_api.sql
-- The REST pool: reads the views and runs the operations of api_v1, and nothing else. Column by column on the tables
-- under the views; no USAGE on app, so that no table can be named.

grant select (studio_id, id, name, manufacturer, model, serial_number, barcode, category, tags, location_id,
  purchase_price, acquisition_date, depreciation_method, reported_insured_value, archived_at, market_value_as_of,
  coverage_state, created_at, updated_at, document) on app.items to studio_api;
grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount)
  on app.item_valuations to studio_api;
grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api;
grant select (studio_id, id, name, description, type, parent_id, address_line1, address_line2, city, region,
  postal_code, country_code, is_default, created_at, updated_at) on app.locations to studio_api;
grant select (studio_id, id, item_id, item_name, item_archived, title, maintenance_type, status, scheduled_date,
  completed_date, cost, vendor, description, created_at, updated_at, document) on app.maintenance_records to studio_api;
grant select (studio_id, id, name, carrier, policy_number, policy_type, overall_limit, deductible, covered_perils,
  location_constraints, effective_start, effective_end, archived_at, created_at, updated_at) on app.policies to studio_api;
grant select (studio_id, item_id, policy_id, declared_value, is_primary, effective_start, effective_end)
  on app.policy_assignments to studio_api;
grant select (studio_id, resource, id, reason, removed_at, leaves_at, returns_at) on app.removals to studio_api;
grant select (studio_id, category, coverage_state, items) on app.item_counts to studio_api;
grant select (studio_id, status, records) on app.maintenance_counts to studio_api;

grant select on api_v1.items, api_v1.locations, api_v1.maintenance, api_v1.policies, api_v1.assignments, api_v1.account,
  api_v1.removals,
  api_v1.item_documents, api_v1.item_valuations, api_v1.item_photos, api_v1.item_counts, api_v1.maintenance_documents,
  api_v1.maintenance_counts to studio_api;

grant execute on function
  api_v1.list_items, api_v1.get_item, api_v1.get_item_in_parts, api_v1.valued_item,
  api_v1.list_item_policies, api_v1.list_locations, api_v1.list_maintenance,
  api_v1.list_policies, api_v1.list_removals, api_v1.with_page, api_v1.get_policy, api_v1.get_account,
  api_v1.count_items, api_v1.count_maintenance,
  api_v1.rfc3339, api_v1.item_document, api_v1.maintenance_document, api_v1.items_on,
  access.open_session, access.open_unversioned_session, access.authenticate_tokens, access.current_studio_id, access.current_studio_mask,
  access.current_studio_today, access.current_plan, access.current_account, access.clock, access.first_moment,
  access.removals_since, access.schema_version, access.has_migration
  to studio_api;
--! EndIncluded grants/studio_api.sql

reset role;
